package org.octofs.fuse.kernel;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.StringJoiner;
import org.octofs.fuse.fuse.MountFlag;
import org.octofs.fuse.fuse.MountParameters;

/**
 * Puts the file system into the mount table: by mount(2) as root, else with the help of fusermount.
 *
 * <p>Threading: any one thread at a time.
 */
final class KernelMount {
    private static final String TYPE = "fuse.octofs";

    private KernelMount() {}

    /** Mounts; answers the device that requests come by. */
    static FuseDevice mount(MountParameters parameters) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            LinuxCalls.CallState state = new LinuxCalls.CallState(arena);
            if (LinuxCalls.getuid(state) != 0) {
                return FusermountProgram.mount(parameters);
            }
            FuseDevice device = FuseDevice.open(state);
            StringJoiner options = options(parameters);
            options.add("fd=" + device.descriptor());
            options.add("rootmode=40000");
            options.add("user_id=" + Integer.toUnsignedString(LinuxCalls.getuid(state)));
            options.add("group_id=" + Integer.toUnsignedString(LinuxCalls.getgid(state)));
            long flags = parameters.readOnly() ? LinuxCalls.MS_RDONLY : 0;
            for (MountFlag flag : parameters.flags()) {
                flags |= flag.bit();
            }
            int answer = LinuxCalls.mount(
                    state,
                    arena.allocateFrom(parameters.fileSystemName()),
                    path(arena, parameters),
                    arena.allocateFrom(TYPE),
                    flags,
                    arena.allocateFrom(options.toString()));
            if (answer < 0) {
                device.close(state);
                throw LinuxCalls.failure("cannot mount " + parameters.directory(), -answer);
            }
            return device;
        }
    }

    /** Options that the kernel and fusermount take alike. */
    static StringJoiner options(MountParameters parameters) {
        StringJoiner options = new StringJoiner(",");
        options.add("default_permissions");
        if (parameters.allowOther()) {
            options.add("allow_other");
        }
        options.add("max_read=" + parameters.maxReadBytes());
        return options;
    }

    private static MemorySegment path(Arena arena, MountParameters parameters) {
        return arena.allocateFrom(parameters.directory().toString());
    }
}
