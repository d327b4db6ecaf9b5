package com.example.orders;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;

/** Ships one order under a lock, and says in which modules and from which file Holdfast runs. */
public final class Orders {

    private Orders() {}

    public static void main(String[] args) {
        try (Holdfast holdfast = Holdfast.connect(args[0])) {
            DistributedLock lock = holdfast.lock("orders/42");
            lock.lock();
            try {
                System.out.println("held with token " + lock.fencingToken());
            } finally {
                lock.unlock();
            }
            System.out.println(lock.isLocked() ? "still held" : "free again");
        }
        System.out.println("modules " + holdfastModules());
        System.out.println(
                "from " + Holdfast.class.getProtectionDomain().getCodeSource().getLocation());
    }

    private static String holdfastModules() {
        return String.join(
                " ",
                ModuleLayer.boot().modules().stream()
                        .map(Module::getName)
                        .filter(name -> name.startsWith("io.holdfast"))
                        .sorted()
                        .toList());
    }
}
