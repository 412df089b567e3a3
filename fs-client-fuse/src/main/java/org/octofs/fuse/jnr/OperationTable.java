package org.octofs.fuse.jnr;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

/**
 * {@code struct fuse_lowlevel_ops}: one pointer per request in the library's order, each to a stub that calls the method of the
 * same name. What has no method stays null, and the library answers ENOSYS for it.
 */
final class OperationTable {
    /** All fields of the structure of libfuse 2.9, in order; those in parentheses have no method here. */
    private static final List<String> SLOTS = List.of(
            "init",
            "(destroy)",
            "lookup",
            "forget",
            "getattr",
            "setattr",
            "readlink",
            "mknod",
            "mkdir",
            "unlink",
            "rmdir",
            "symlink",
            "rename",
            "link",
            "open",
            "read",
            "write",
            "flush",
            "release",
            "fsync",
            "opendir",
            "readdir",
            "releasedir",
            "fsyncdir",
            "statfs",
            "setxattr",
            "getxattr",
            "listxattr",
            "removexattr",
            "access",
            "create",
            "getlk",
            "setlk",
            "(bmap)",
            "(ioctl)",
            "(poll)",
            "(write_buf)",
            "(retrieve_reply)",
            "forgetMulti",
            "flock",
            "fallocate");

    static final int SIZE_BYTES = SLOTS.size() * Long.BYTES;

    private OperationTable() {}

    /** Offset of a slot, by the name of its method. */
    static int offset(String name) {
        return SLOTS.indexOf(name) * Long.BYTES;
    }

    /** Builds the table from the methods of {@code handlers}; it lives as long as {@code arena}. */
    static MemorySegment build(Arena arena, MethodHandles.Lookup lookup, Object... handlers) {
        MemorySegment table = arena.allocate(SIZE_BYTES, Long.BYTES);
        for (int i = 0; i < SLOTS.size(); i++) {
            String name = SLOTS.get(i);
            if (!name.startsWith("(")) {
                table.setAtIndex(ValueLayout.JAVA_LONG, i, stub(arena, lookup, name, handlers));
            }
        }
        return table;
    }

    private static long stub(Arena arena, MethodHandles.Lookup lookup, String name, Object... handlers) {
        for (Object handler : handlers) {
            for (Method method : handler.getClass().getDeclaredMethods()) {
                if (method.getName().equals(name)) {
                    try {
                        MethodHandle target = lookup.unreflect(method).bindTo(handler);
                        return Linker.nativeLinker()
                                .upcallStub(target, descriptor(method), arena)
                                .address();
                    } catch (IllegalAccessException e) {
                        throw new LinkageError("handler " + name + " cannot be reached", e);
                    }
                }
            }
        }
        throw new AssertionError("no handler for " + name);
    }

    private static FunctionDescriptor descriptor(Method method) {
        return FunctionDescriptor.ofVoid(Arrays.stream(method.getParameterTypes())
                .map(type -> type == int.class ? ValueLayout.JAVA_INT : ValueLayout.JAVA_LONG)
                .toArray(MemoryLayout[]::new));
    }
}
