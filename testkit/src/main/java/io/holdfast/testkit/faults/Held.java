package io.holdfast.testkit.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** A request, a reply or a signal that a {@link FaultyStore} holds back until the test lets it continue. */
public final class Held {

    private final ReentrantLock mutex = new ReentrantLock();
    private final List<Runnable> caught = new ArrayList<>(1);
    private boolean open;

    Held() {}

    /** Returns {@code true} if it has been caught. */
    public boolean isCaught() {
        mutex.lock();
        try {
            return !caught.isEmpty();
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Lets it continue on the calling thread, or at once when it arrives, if it has not arrived yet. Each further call sends
     * one more copy.
     */
    public void letGo() {
        mutex.lock();
        try {
            open = true;
        } finally {
            mutex.unlock();
        }
        copies().forEach(Runnable::run);
    }

    private List<Runnable> copies() {
        mutex.lock();
        try {
            return List.copyOf(caught);
        } finally {
            mutex.unlock();
        }
    }

    void catchIt(Runnable goOn) {
        boolean atOnce;
        mutex.lock();
        try {
            caught.add(goOn);
            atOnce = open;
        } finally {
            mutex.unlock();
        }
        if (atOnce) {
            goOn.run();
        }
    }
}
