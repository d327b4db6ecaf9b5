package io.holdfast.testkit.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** A request, a reply or a signal that a {@link FaultyStore} holds back until the test lets it go. */
public final class Held {

    private final ReentrantLock mutex = new ReentrantLock();
    private final List<Runnable> caught = new ArrayList<>(1);
    private boolean open;

    Held() {}

    /** Whether it has been caught. */
    public boolean isCaught() {
        mutex.lock();
        try {
            return !caught.isEmpty();
        } finally {
            mutex.unlock();
        }
    }

    /** Lets it go on, on the calling thread; at once when it comes, if it has not come yet. Once more: one more copy. */
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
