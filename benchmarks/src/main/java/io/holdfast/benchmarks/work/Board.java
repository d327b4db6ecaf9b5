package io.holdfast.benchmarks.work;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Numbers in memory that all processes on this machine share, through a mapped file: a referee beside the locks. */
public final class Board {

    private static final VarHandle INTS = MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.nativeOrder());

    // apart, so that no two share a cache line
    private static final int STRIDE = 128;
    private static final int CELLS = 32;

    private final ByteBuffer memory;

    private Board(ByteBuffer memory) {
        this.memory = memory;
    }

    /** Opens the board in that file, which is made if it is not there. */
    public static Board open(Path file) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return new Board(channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) STRIDE * CELLS));
        }
    }

    /** Adds to a number; what it was before. */
    public int add(int cell, int delta) {
        return (int) INTS.getAndAdd(memory, cell * STRIDE, delta);
    }

    /** A number. */
    public int get(int cell) {
        return (int) INTS.getVolatile(memory, cell * STRIDE);
    }
}
