package org.octofs.fuse.kernel;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.octofs.fuse.fuse.AttributesChange;
import org.octofs.fuse.fuse.AttributesReply;
import org.octofs.fuse.fuse.BytesReply;
import org.octofs.fuse.fuse.DirectoryBuffer;
import org.octofs.fuse.fuse.EntryReply;
import org.octofs.fuse.fuse.EntrySink;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.LockRange;
import org.octofs.fuse.fuse.NodeAttributes;
import org.octofs.fuse.fuse.OpenReply;
import org.octofs.fuse.fuse.RequestContext;
import org.octofs.fuse.fuse.StatisticsReply;

/** Answers everything with made-up values, no two alike, and notes the calls as text. */
final class RecordingOperations {
    private static final byte[] DATA = "data!".getBytes(StandardCharsets.ISO_8859_1);

    private final ConcurrentLinkedQueue<String> calls = new ConcurrentLinkedQueue<>();

    FuseOperations operations() {
        return (FuseOperations) Proxy.newProxyInstance(
                FuseOperations.class.getClassLoader(), new Class<?>[] {FuseOperations.class}, this::call);
    }

    /** Calls since the last time, between two of them " then ". */
    String take() {
        String taken = String.join(" then ", calls);
        calls.clear();
        return taken;
    }

    private Object call(Object proxy, Method method, Object[] arguments) throws Exception {
        StringJoiner text = new StringJoiner(" ");
        text.add(method.getName());
        if (arguments != null) {
            for (Object argument : arguments) {
                String words = words(argument);
                if (!words.isEmpty()) {
                    text.add(words);
                }
            }
        }
        boolean own = switch (method.getName()) {
            case "init", "destroy", "toString", "readsInPlace", "listsWithAttributes" -> true;
            default -> false;
        };
        if (!own) {
            if (method.getName().equals("write")) {
                MemorySegment source = (MemorySegment) arguments[4];
                byte[] data =
                        source.asSlice((long) arguments[5], (int) arguments[6]).toArray(ValueLayout.JAVA_BYTE);
                text.add(words(data));
            }
            calls.add(text.toString());
        }
        for (int i = 0; arguments != null && i < arguments.length; i++) {
            fill(arguments[i]);
        }
        return switch (method.getName()) {
            case "read" -> {
                MemorySegment.copy(
                        DATA, 0, (MemorySegment) arguments[4], ValueLayout.JAVA_BYTE, (long) arguments[5], DATA.length);
                yield DATA.length;
            }
            case "write" -> arguments[6];
            case "copyFileRange" -> 0x12345;
            case "lseek" -> 0x7FFF_FFFF_FFFF_FF01L;
            case "forget", "init", "destroy" -> null;
            case "toString" -> "recording";
            default -> method.getReturnType() == boolean.class ? (Object) false : 0;
        };
    }

    private static String words(Object argument) throws IllegalAccessException {
        return switch (argument) {
            case RequestContext c ->
                "by " + Integer.toUnsignedString(c.uid) + ":" + c.gid + "/" + c.pid
                        + (c.umask == 0 ? "" : " umask 0" + Integer.toOctalString(c.umask));
            case byte[] bytes -> quoted(bytes);
            case AttributesChange change -> fields(change);
            case LockRange lock -> fields(lock);
            case Number number -> number.toString();
            case Boolean flag -> flag.toString();
            default -> "";
        };
    }

    private static String quoted(byte[] bytes) {
        StringBuilder text = new StringBuilder("\"");
        for (byte b : bytes) {
            if (b >= ' ' && b < 0x7F) {
                text.append((char) b);
            } else {
                text.append("\\x%02x".formatted(b & 0xFF));
            }
        }
        return text.append('"').toString();
    }

    private static String fields(Object of) throws IllegalAccessException {
        StringJoiner text = new StringJoiner(",", "{", "}");
        for (Field field : of.getClass().getFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                text.add(field.getName() + "=" + field.get(of));
            }
        }
        return text.toString();
    }

    private static void fill(Object argument) {
        switch (argument) {
            case EntryReply entry -> {
                fill(entry.attributes);
                entry.generation = 0x0102_0304_0506_0708L;
                entry.attributesTimeoutSeconds = 1.5;
                entry.entryTimeoutSeconds = 2.25;
            }
            case AttributesReply reply -> {
                fill(reply.attributes);
                reply.timeoutSeconds = 3.5;
            }
            case OpenReply open -> {
                open.handle = 0x1112_1314_1516_1718L;
                open.keepCache = true;
            }
            case BytesReply bytes -> bytes.set(DATA);
            case LockRange lock -> {
                lock.type = LockRange.READ;
                lock.firstByte = 0x21;
                lock.lastByte = 0x22;
                lock.pid = 0x23;
            }
            case StatisticsReply statistics -> {
                statistics.blockSizeBytes = 0x31;
                statistics.fragmentSizeBytes = 0x32;
                statistics.blocks = 0x33;
                statistics.freeBlocks = 0x34;
                statistics.availableBlocks = 0x35;
                statistics.inodes = 0x36;
                statistics.freeInodes = 0x37;
            }
            case EntrySink entries -> {
                EntryReply entry = new EntryReply();
                fill(entry);
                MemorySegment names = MemorySegment.ofArray("-ab12345678".getBytes(StandardCharsets.ISO_8859_1));
                entries.add(entry, 0x41, 0x4000, names, 1, 2, 0x42);
                entries.add(null, 0x43, 0xA000, names, 3, 8, 0x44);
            }
            case DirectoryBuffer directory -> {
                directory.add(0x41, 0x4000, new byte[] {'a', 'b'}, 0x42);
                directory.add(0x43, 0xA000, "12345678".getBytes(StandardCharsets.ISO_8859_1), 0x44);
            }
            default -> {
                // an argument, not an answer
            }
        }
    }

    private static void fill(NodeAttributes attributes) {
        attributes.inode = 0x5152_5354_5556_5758L;
        attributes.mode = 0x61;
        attributes.linkCount = 0x62;
        attributes.uid = 0x63;
        attributes.gid = 0x64;
        attributes.device = 0x0123_4567;
        attributes.sizeBytes = 0x66;
        attributes.blocks = 0x67;
        attributes.blockSizeBytes = 0x68;
        attributes.accessSeconds = 0x69;
        attributes.accessNanos = 0x6A;
        attributes.modifySeconds = 0x6B;
        attributes.modifyNanos = 0x6C;
        attributes.changeSeconds = -0x6D;
        attributes.changeNanos = 0x6E;
        attributes.birthSeconds = 0x6F;
        attributes.birthNanos = 0x70;
    }
}
