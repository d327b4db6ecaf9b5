package io.holdfast.examples.flashsale;

/** Where a sale lives in Redis. */
record Keys(String sale) {

    String stock() {
        return key("stock");
    }

    String orders() {
        return key("orders");
    }

    String took() {
        return key("took");
    }

    String[] all() {
        return new String[] {stock(), orders(), took()};
    }

    private String key(String kind) {
        return "flash-sale:{" + sale + "}:" + kind;
    }
}
