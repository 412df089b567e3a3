package org.octofs.rpc.fabric.host;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** The few functions of libc that Java has no class for. Threading: any. */
final class Native {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO_OPTION = Linker.Option.captureCallState("errno");
    private static final VarHandle ERRNO =
            Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));

    private static final MethodHandle MEMFD_CREATE =
            errnoHandle("memfd_create", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
    private static final MethodHandle FTRUNCATE =
            errnoHandle("ftruncate", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG));
    private static final MethodHandle CLOSE = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("close"), FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle STRERROR = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private Native() {}

    private static MethodHandle errnoHandle(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor, ERRNO_OPTION);
    }

    /** A new anonymous file of a length, close-on-exec; answers its descriptor. */
    static int createMemoryFile(String name, long lengthBytes) throws HostException {
        final int closeOnExec = 1;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Linker.Option.captureStateLayout());
            int descriptor = (int) MEMFD_CREATE.invokeExact(state, arena.allocateFrom(name), closeOnExec);
            if (descriptor < 0) {
                throw new HostException("cannot create shared memory: " + describe((int) ERRNO.get(state, 0L)));
            }
            if ((int) FTRUNCATE.invokeExact(state, descriptor, lengthBytes) != 0) {
                int errno = (int) ERRNO.get(state, 0L);
                close(descriptor);
                throw new HostException("cannot make shared memory of " + lengthBytes + " bytes: " + describe(errno));
            }
            return descriptor;
        } catch (HostException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("memfd_create", e);
        }
    }

    static void close(int descriptor) {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor); // it is gone afterwards, whatever it says
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("close", e);
        }
    }

    private static String describe(int errno) throws Throwable {
        MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
        return text.reinterpret(256).getString(0) + " (errno " + errno + ")";
    }
}
