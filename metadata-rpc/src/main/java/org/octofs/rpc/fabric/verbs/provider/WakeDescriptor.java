package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/** A descriptor that another thread makes readable: an eventfd. Threading: any. Ownership: the creator closes it. */
public final class WakeDescriptor implements AutoCloseable {
    private static final int CLOSE_ON_EXEC = 0x80000;
    private static final int NON_BLOCKING = 0x800;

    private static final MethodHandle EVENTFD = handle("eventfd", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle READ =
            handle("read", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle WRITE =
            handle("write", FunctionDescriptor.of(JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG));
    private static final MethodHandle CLOSE = handle("close", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private final int descriptor;

    /** A descriptor that is not readable yet. */
    public WakeDescriptor() throws IOException {
        Calls.Outcome outcome = Calls.call(EVENTFD, 0, CLOSE_ON_EXEC | NON_BLOCKING);
        descriptor = (Integer) outcome.value();
        if (descriptor < 0) {
            throw new VerbsException("eventfd", outcome.errno());
        }
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name), descriptor, Linker.Option.captureCallState("errno"));
    }

    /** The descriptor. */
    public int descriptor() {
        return descriptor;
    }

    /** Makes it readable. */
    public void wake() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment one = arena.allocateFrom(JAVA_LONG, 1L);
            Calls.call(WRITE, descriptor, one, (long) Long.BYTES);
        }
    }

    /** Makes it unreadable again. */
    public void clear() {
        try (Arena arena = Arena.ofConfined()) {
            Calls.call(READ, descriptor, arena.allocate(JAVA_LONG), (long) Long.BYTES);
        }
    }

    @Override
    public void close() {
        Calls.call(CLOSE, descriptor);
    }
}
