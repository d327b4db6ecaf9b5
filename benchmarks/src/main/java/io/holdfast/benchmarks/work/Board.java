package io.holdfast.benchmarks.work;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Counters in memory that all processes on this machine share, in a mapped file. They check mutual exclusion independently of
 * the locks.
 */
public final class Board {

    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    // apart, so that no two counters share a cache line (false sharing)
    private static final int STRIDE = 128;
    private static final int CELLS = 32;

    private final ByteBuffer memory;

    private Board(ByteBuffer memory) {
        this.memory = memory;
    }

    /** Opens the board in the given file, which is created if it does not exist. */
    public static Board open(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Board(channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) STRIDE * CELLS));
        }
    }

    /** Adds to a counter, and returns its previous value. */
    public int add(int cell, int delta) {
        return (int) INTS.getAndAdd(memory, cell * STRIDE, delta);
    }

    /** Returns a counter. */
    public int get(int cell) {
        return (int) INTS.getVolatile(memory, cell * STRIDE);
    }
}
