package org.octofs.fuse.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.ref.Reference;

/** Address space whose pages come when they are touched, huge ones where they can be had: as the file system in C has it. */
final class RegionMemory {
    private static final int PROT_READ_WRITE = 3;
    private static final int MAP_PRIVATE_ANONYMOUS_NORESERVE = 0x2 | 0x20 | 0x4000;
    private static final int MADV_HUGEPAGE = 14;
    private static final MethodHandle MMAP = handle(
            "mmap",
            FunctionDescriptor.of(
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_LONG));
    private static final MethodHandle MUNMAP =
            handle("munmap", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG));
    private static final MethodHandle MADVISE = handle(
            "madvise",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

    private static final MethodHandle MEMCPY = Linker.nativeLinker()
            .downcallHandle(
                    Linker.nativeLinker().defaultLookup().findOrThrow("memcpy"),
                    FunctionDescriptor.of(
                            ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG),
                    Linker.Option.critical(false));

    private RegionMemory() {}

    /** As memcpy(3), which the file system in C uses: the JDK's copy takes a quarter longer where the target is in no cache. */
    static void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, int bytes) {
        long from = source.asSlice(sourceOffset, bytes).address();
        long to = target.asSlice(targetOffset, bytes).address();
        try {
            long answer = (long) MEMCPY.invokeExact(to, from, (long) bytes);
            assert answer == to;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        } finally {
            Reference.reachabilityFence(source);
            Reference.reachabilityFence(target);
        }
    }

    /** It goes when {@code arena} is closed. */
    static MemorySegment reserve(Arena arena, long bytes) {
        try {
            MemorySegment at = (MemorySegment) MMAP.invokeExact(
                    MemorySegment.NULL, bytes, PROT_READ_WRITE, MAP_PRIVATE_ANONYMOUS_NORESERVE, -1, 0L);
            if (at.address() == -1) {
                throw new IllegalStateException("no address space for " + bytes + " bytes");
            }
            int advised = (int) MADVISE.invokeExact(at, bytes, MADV_HUGEPAGE);
            assert advised <= 0;
            return at.reinterpret(bytes, arena, segment -> release(segment, bytes));
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static void release(MemorySegment segment, long bytes) {
        try {
            int answer = (int) MUNMAP.invokeExact(MemorySegment.ofAddress(segment.address()), bytes);
            if (answer != 0) {
                throw new IllegalStateException("munmap failed");
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
    }
}
