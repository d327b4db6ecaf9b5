package io.holdfast.examples.web;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** The link to the process that started this instance: prints the port, and ends with that process if that is wanted. */
@Component
final class Life {

    private static final int ORPHANED = 3;

    private final ShopProperties shop;
    private final ServletWebServerApplicationContext context;

    Life(ShopProperties shop, ServletWebServerApplicationContext context) {
        this.shop = shop;
        this.context = context;
    }

    @EventListener(ApplicationReadyEvent.class)
    void ready() {
        System.out.println(Shop.READY + context.getWebServer().getPort());
        System.out.flush();
        if (shop.endsWithInput()) {
            Thread watch = new Thread(Life::awaitEndOfInput, "end-of-input");
            watch.setDaemon(true);
            watch.start();
        }
    }

    /** The input is a pipe. It ends when the other process closes it, or dies. */
    private static void awaitEndOfInput() {
        try {
            while (System.in.read() >= 0) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
        } catch (IOException | InterruptedException e) {
            System.err.println("the standard input failed: " + e);
        }
        Runtime.getRuntime().halt(ORPHANED);
    }
}
