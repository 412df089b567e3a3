package org.octofs.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.octofs.fuse.fuse.MountParameters;

/**
 * Mounts for a user who may not call mount(2): the set-user-id program fusermount does it and sends the descriptor of
 * /dev/fuse back through a socket (SCM_RIGHTS, cmsg(3)) whose number it finds in _FUSE_COMMFD. See fusermount3(1).
 *
 * <p>Threading: any one thread at a time; waits for the program, which does not wait for anything.
 */
final class FusermountProgram {
    private static final List<String> PROGRAMS = List.of("fusermount3", "fusermount");
    private static final int AF_UNIX = 1;
    private static final int SOCK_STREAM = 1;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;

    private static final int MSGHDR_IOV = 16;
    private static final int MSGHDR_IOVLEN = 24;
    private static final int MSGHDR_CONTROL = 32;
    private static final int MSGHDR_CONTROLLEN = 40;
    private static final int MSGHDR_BYTES = 56;
    private static final int CMSG_LEVEL = 8;
    private static final int CMSG_TYPE = 12;
    private static final int CMSG_DATA = 16;
    private static final int CMSG_BYTES = 24;

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MethodHandle SOCKETPAIR = handle(
            "socketpair",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS));
    private static final MethodHandle SPAWN = handle(
            "posix_spawnp",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS,
                    ValueLayout.ADDRESS));
    private static final MethodHandle RECVMSG = handle(
            "recvmsg",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
    private static final MethodHandle WAITPID = handle(
            "waitpid",
            FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));

    private FusermountProgram() {}

    static FuseDevice mount(MountParameters parameters) throws IOException {
        StringJoiner options = KernelMount.options(parameters);
        options.add("subtype=octofs");
        options.add("fsname=" + parameters.fileSystemName().replace("\\", "\\\\"));
        parameters.flags().forEach(flag -> options.add(flag.option()));
        if (parameters.readOnly()) {
            options.add("ro");
        }
        for (String program : PROGRAMS) {
            FuseDevice device =
                    mountBy(program, options.toString(), parameters.directory().toString());
            if (device != null) {
                return device;
            }
        }
        throw new IOException("cannot mount without root: this user can start no program "
                + String.join(" or ", PROGRAMS) + "; install the package fuse3 (or fuse), or mount as root");
    }

    /** The device, or null if the program is not there; it prints its own reasons. */
    private static FuseDevice mountBy(String program, String options, String directory) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            LinuxCalls.CallState state = new LinuxCalls.CallState(arena);
            MemorySegment pair = arena.allocate(2L * Integer.BYTES, Integer.BYTES);
            if ((int) SOCKETPAIR.invokeExact(AF_UNIX, SOCK_STREAM, 0, pair) != 0) {
                throw new IOException("cannot make a socket pair for " + program);
            }
            int ours = Native.getInt(pair, 0);
            int theirs = Native.getInt(pair, Integer.BYTES);
            try {
                MemorySegment pid = arena.allocate(ValueLayout.JAVA_INT);
                MemorySegment arguments = strings(arena, List.of(program, "-o", options, "--", directory));
                int spawned = (int) SPAWN.invokeExact(
                        pid,
                        arena.allocateFrom(program),
                        MemorySegment.NULL,
                        MemorySegment.NULL,
                        arguments,
                        strings(arena, environment(theirs)));
                LinuxCalls.close(state, theirs);
                theirs = -1;
                // EACCES: a folder of $PATH that the user may not search hides that it is nowhere.
                if (spawned == LinuxCalls.ENOENT || spawned == LinuxCalls.EACCES) {
                    return null;
                }
                if (spawned != 0) {
                    throw LinuxCalls.failure("cannot start " + program, spawned);
                }
                int descriptor = receiveDescriptor(arena, ours);
                MemorySegment status = arena.allocate(ValueLayout.JAVA_INT);
                int waited = (int) WAITPID.invokeExact(Native.getInt(pid, 0), status, 0);
                if (descriptor < 0) {
                    throw new IOException(program + " did not mount " + directory + " (wait status "
                            + (waited > 0 ? Native.getInt(status, 0) : -1) + "; its words are above)");
                }
                return new FuseDevice(descriptor);
            } finally {
                LinuxCalls.close(state, ours);
                if (theirs >= 0) {
                    LinuxCalls.close(state, theirs);
                }
            }
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a system call threw", e);
        }
    }

    /** The descriptor that comes with one byte, or -1 if the other end closes without. */
    private static int receiveDescriptor(Arena arena, int socket) throws Throwable {
        MemorySegment data = arena.allocate(Long.BYTES);
        MemorySegment vector = arena.allocate(2L * Long.BYTES, Long.BYTES);
        Native.putLong(vector, 0, data.address());
        Native.putLong(vector, Long.BYTES, 1);
        MemorySegment control = arena.allocate(CMSG_BYTES, Long.BYTES);
        MemorySegment message = arena.allocate(MSGHDR_BYTES, Long.BYTES);
        Native.putLong(message, MSGHDR_IOV, vector.address());
        Native.putLong(message, MSGHDR_IOVLEN, 1);
        Native.putLong(message, MSGHDR_CONTROL, control.address());
        Native.putLong(message, MSGHDR_CONTROLLEN, CMSG_BYTES);
        long received = (long) RECVMSG.invokeExact(socket, message, 0);
        boolean carries = received > 0
                && Native.getInt(control, CMSG_LEVEL) == SOL_SOCKET
                && Native.getInt(control, CMSG_TYPE) == SCM_RIGHTS;
        return carries ? Native.getInt(control, CMSG_DATA) : -1;
    }

    private static List<String> environment(int socket) {
        List<String> environment = new ArrayList<>();
        System.getenv().forEach((name, value) -> environment.add(name + "=" + value));
        environment.add("_FUSE_COMMFD=" + socket);
        return environment;
    }

    /** An array of C strings that ends with a null pointer. */
    private static MemorySegment strings(Arena arena, List<String> strings) {
        MemorySegment array = arena.allocate(ValueLayout.ADDRESS, strings.size() + 1L);
        for (int i = 0; i < strings.size(); i++) {
            array.setAtIndex(ValueLayout.ADDRESS, i, arena.allocateFrom(strings.get(i)));
        }
        array.setAtIndex(ValueLayout.ADDRESS, strings.size(), MemorySegment.NULL);
        return array;
    }

    private static MethodHandle handle(String name, FunctionDescriptor descriptor) {
        return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor);
    }
}
