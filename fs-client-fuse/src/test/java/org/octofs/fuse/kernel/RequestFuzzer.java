package org.octofs.fuse.kernel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Sends requests that are made from recorded ones: cut, lengthened, of another operation, with lengths that lie, numbers at the
 * edges, names that do not end, inodes and handles that are, are not, or are of another kind. Each must get exactly one answer that
 * makes sense (none where the protocol has none), and afterwards nothing may be left.
 *
 * <p>Threading: one thread. A seed stands for the same requests as long as the file system answers the same.
 */
public final class RequestFuzzer {
    private static final int HEADER = KernelLayouts.InHeader.SIZE_BYTES;
    private static final int OUT_HEADER = KernelLayouts.OutHeader.SIZE_BYTES;
    private static final int ERRNO_MAX = 4095;
    private static final int KNOWN_MAX = 64;
    private static final int REQUEST_BYTES_MAX = (1 << 20) + 4096;
    private static final int INTERRUPT_AFTER_MILLIS = 20;
    private static final int INTERRUPTS_MAX = 500;
    private static final long ROOT = 1;

    private static final long[] EDGES = {
        0,
        1,
        2,
        3,
        255,
        256,
        4095,
        4096,
        65_536,
        1 << 20,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        0xFFFF_FFFFL,
        1L << 32,
        Long.MAX_VALUE,
        Long.MAX_VALUE - 4095,
        Long.MAX_VALUE - 1,
        Long.MIN_VALUE,
        -1,
        -4096,
    };

    private final ServedRequests served;
    private final Random random;
    private final List<GoldenRequest> goldens;
    private final Map<Long, Integer> inodes = new LinkedHashMap<>();
    private final Map<Long, Long> files = new LinkedHashMap<>();
    private final Map<Long, Long> directories = new LinkedHashMap<>();
    private final Map<Integer, Integer> answers = new TreeMap<>();
    private final Set<Long> waiting = new HashSet<>();
    private long unique = 2;

    public RequestFuzzer(ServedRequests served, long seed) throws IOException {
        this.served = served;
        random = new Random(seed);
        goldens = GoldenRequest.all();
        inodes.put(ROOT, 0);
    }

    /** How often each errno was answered; 0 is success. */
    public Map<Integer, Integer> answers() {
        return answers;
    }

    /** Sends so many requests; fails for an answer that must not be. */
    public void run(int count) {
        for (int i = 0; i < count; i++) {
            send(next());
        }
    }

    /** Ends what waits, and gives back what is open; fails if something cannot be given back. */
    public void finish() {
        endWaits();
        for (Map.Entry<Long, Long> file : Map.copyOf(files).entrySet()) {
            send(plain(KernelOpcode.RELEASE, file.getValue(), KernelLayouts.ReleaseIn.SIZE_BYTES, file.getKey()));
        }
        for (Map.Entry<Long, Long> directory : Map.copyOf(directories).entrySet()) {
            send(plain(
                    KernelOpcode.RELEASEDIR,
                    directory.getValue(),
                    KernelLayouts.ReleaseIn.SIZE_BYTES,
                    directory.getKey()));
        }
        if (served.waits() != 0) {
            throw new AssertionError(served.waits() + " waits for locks are left");
        }
    }

    /** The usual requests in their usual order, so that there is something to be surprised about. */
    public void warmUp() {
        for (GoldenRequest golden : goldens) {
            switch (golden.opcode()) {
                case KernelOpcode.MKDIR, KernelOpcode.CREATE, KernelOpcode.OPENDIR, KernelOpcode.SYMLINK -> {
                    byte[] request = golden.request();
                    ByteBuffer.wrap(request)
                            .order(ByteOrder.nativeOrder())
                            .putLong(KernelLayouts.InHeader.NODE_OFFSET, ROOT);
                    send(numbered(request));
                }
                default -> {
                    // later, changed
                }
            }
        }
    }

    private byte[] next() {
        GoldenRequest golden = goldens.get(random.nextInt(goldens.size()));
        byte[] request = golden.request();
        ByteBuffer fields = ByteBuffer.wrap(request).order(ByteOrder.nativeOrder());
        if (random.nextInt(4) != 0) {
            fields.putLong(KernelLayouts.InHeader.NODE_OFFSET, pick(inodes));
        }
        if (random.nextInt(4) != 0 && hasHandle(golden.opcode()) && request.length >= HEADER + Long.BYTES) {
            long handle = random.nextInt(8) == 0 || files.isEmpty() ? pick(directories) : pick(files);
            fields.putLong(HEADER, handle);
            Long node = files.getOrDefault(handle, directories.get(handle));
            if (node != null && random.nextInt(4) != 0) {
                fields.putLong(KernelLayouts.InHeader.NODE_OFFSET, node);
            }
        }
        if (random.nextInt(3) == 0) {
            fields.putInt(KernelLayouts.InHeader.UID_OFFSET, random.nextInt(3) * 1000);
        }
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            request = changed(request);
        }
        return numbered(request);
    }

    private static boolean hasHandle(int opcode) {
        return switch (opcode) {
            case KernelOpcode.READ,
                    KernelOpcode.WRITE,
                    KernelOpcode.RELEASE,
                    KernelOpcode.FSYNC,
                    KernelOpcode.FLUSH,
                    KernelOpcode.READDIR,
                    KernelOpcode.RELEASEDIR,
                    KernelOpcode.FSYNCDIR,
                    KernelOpcode.GETLK,
                    KernelOpcode.SETLK,
                    KernelOpcode.SETLKW,
                    KernelOpcode.FALLOCATE,
                    KernelOpcode.LSEEK,
                    KernelOpcode.COPY_FILE_RANGE,
                    KernelOpcode.COPY_FILE_RANGE_64 -> true;
            default -> false;
        };
    }

    private byte[] changed(byte[] request) {
        ByteBuffer fields = ByteBuffer.wrap(request).order(ByteOrder.nativeOrder());
        int body = request.length - HEADER;
        switch (random.nextInt(9)) {
            case 0 -> {
                return withLength(Arrays.copyOf(request, HEADER + random.nextInt(Math.max(1, body + 1))));
            }
            case 1 -> {
                // The header goes on telling the old length.
                return Arrays.copyOf(request, random.nextInt(request.length + 1));
            }
            case 2 -> {
                byte[] longer =
                        Arrays.copyOf(request, Math.min(request.length + random.nextInt(300), REQUEST_BYTES_MAX));
                for (int i = request.length; i < longer.length; i++) {
                    longer[i] = (byte) random.nextInt();
                }
                return withLength(longer);
            }
            case 3 -> {
                if (request.length >= HEADER) {
                    int known = goldens.get(random.nextInt(goldens.size())).opcode();
                    int opcode = random.nextInt(3) == 0 ? (int) edge() : known;
                    // This one is for the kernel to send once.
                    fields.putInt(KernelLayouts.InHeader.OPCODE_OFFSET, opcode == KernelOpcode.INIT ? 0 : opcode);
                }
            }
            case 4 -> {
                for (int i = HEADER; i < request.length; i++) {
                    request[i] = request[i] == 0 ? (byte) 'x' : request[i];
                }
            }
            case 5 -> {
                if (request.length >= HEADER) {
                    fields.putInt(KernelLayouts.InHeader.LENGTH_OFFSET, (int) edge());
                }
            }
            case 6 -> {
                if (request.length >= HEADER) {
                    fields.putLong(KernelLayouts.InHeader.NODE_OFFSET, edge() ^ random.nextInt(3));
                }
            }
            case 7 -> {
                if (body >= Long.BYTES) {
                    int at = HEADER + (random.nextInt(body / Integer.BYTES) & -2) * Integer.BYTES;
                    if (random.nextBoolean() && at + Long.BYTES <= request.length) {
                        fields.putLong(at, edge());
                    } else {
                        fields.putInt(Math.min(at + random.nextInt(2) * 4, request.length - 4), (int) edge());
                    }
                }
            }
            default -> {
                if (body > 0) {
                    request[HEADER + random.nextInt(body)] = (byte) random.nextInt();
                }
            }
        }
        return request;
    }

    private static byte[] withLength(byte[] request) {
        if (request.length < Integer.BYTES) {
            return request;
        }
        ByteBuffer.wrap(request)
                .order(ByteOrder.nativeOrder())
                .putInt(KernelLayouts.InHeader.LENGTH_OFFSET, request.length);
        return request;
    }

    private byte[] numbered(byte[] request) {
        if (request.length >= HEADER) {
            unique += 2;
            ByteBuffer.wrap(request)
                    .order(ByteOrder.nativeOrder())
                    .putLong(KernelLayouts.InHeader.UNIQUE_OFFSET, unique);
        }
        return request;
    }

    private byte[] plain(int opcode, long node, int bodyBytes, long first) {
        byte[] request = new byte[HEADER + bodyBytes];
        ByteBuffer fields = ByteBuffer.wrap(request).order(ByteOrder.nativeOrder());
        fields.putInt(KernelLayouts.InHeader.OPCODE_OFFSET, opcode);
        fields.putLong(KernelLayouts.InHeader.NODE_OFFSET, node);
        fields.putLong(HEADER, first);
        return numbered(withLength(request));
    }

    private long edge() {
        return EDGES[random.nextInt(EDGES.length)];
    }

    private long pick(Map<Long, ?> from) {
        if (from.isEmpty()) {
            return random.nextInt(4);
        }
        int index = random.nextInt(from.size());
        return from.keySet().stream().skip(index).findFirst().orElseThrow();
    }

    private void send(byte[] request) {
        List<byte[]> replies;
        try {
            replies = served.serve(request);
        } catch (IllegalStateException e) {
            throw new AssertionError("after " + HexFormat.of().formatHex(request), e);
        }
        if (request.length < HEADER) {
            replies.forEach(reply -> late(request, ByteBuffer.wrap(reply).order(ByteOrder.nativeOrder())));
            return;
        }
        ByteBuffer fields = ByteBuffer.wrap(request).order(ByteOrder.nativeOrder());
        int opcode = fields.getInt(KernelLayouts.InHeader.OPCODE_OFFSET);
        long own = fields.getLong(KernelLayouts.InHeader.UNIQUE_OFFSET);
        int count = 0;
        for (byte[] reply : replies) {
            ByteBuffer answer = ByteBuffer.wrap(reply).order(ByteOrder.nativeOrder());
            if (answer.getLong(KernelLayouts.OutHeader.UNIQUE_OFFSET) == own) {
                count++;
                take(request, opcode, answer);
            } else {
                late(request, answer);
            }
        }
        boolean mayBeSilent = opcode == KernelOpcode.INTERRUPT;
        // A flock that is refused without waiting gets a moment all the same.
        boolean mayComeLater = opcode == KernelOpcode.SETLKW || opcode == KernelOpcode.SETLK;
        if (mayComeLater && count == 0) {
            waiting.add(own);
            if (waiting.size() > KNOWN_MAX / 4) {
                endWaits();
            }
            return;
        }
        int due = KernelOpcode.isAnswered(opcode) ? 1 : 0;
        check(count == due || (mayBeSilent && count == 1), request, count + " answers instead of " + due);
    }

    private void late(byte[] request, ByteBuffer answer) {
        long of = answer.getLong(KernelLayouts.OutHeader.UNIQUE_OFFSET);
        check(waiting.remove(of), request, "an answer to " + of + ", which has one or was never asked");
        note(request, answer);
    }

    private void endWaits() {
        for (int i = 0; !waiting.isEmpty(); i++) {
            check(i < INTERRUPTS_MAX, new byte[0], "locks wait in spite of interrupts: " + waiting);
            for (byte[] reply : served.later(i == 0 ? 1 : INTERRUPT_AFTER_MILLIS)) {
                late(new byte[0], ByteBuffer.wrap(reply).order(ByteOrder.nativeOrder()));
            }
            for (long one : Set.copyOf(waiting)) {
                send(plain(KernelOpcode.INTERRUPT, 0, Long.BYTES, one));
            }
        }
    }

    private int note(byte[] request, ByteBuffer answer) {
        int error = answer.getInt(KernelLayouts.OutHeader.ERROR_OFFSET);
        check(error <= 0 && error >= -ERRNO_MAX, request, "the answer is no errno: " + error);
        check(error == 0 || answer.capacity() == OUT_HEADER, request, "an error has no body");
        answers.merge(-error, 1, Integer::sum);
        return error;
    }

    private void take(byte[] request, int opcode, ByteBuffer answer) {
        int error = note(request, answer);
        if (error != 0) {
            return;
        }
        ByteBuffer fields = ByteBuffer.wrap(request).order(ByteOrder.nativeOrder());
        long node = fields.getLong(KernelLayouts.InHeader.NODE_OFFSET);
        int body = answer.capacity() - OUT_HEADER;
        switch (opcode) {
            case KernelOpcode.LOOKUP,
                    KernelOpcode.MKDIR,
                    KernelOpcode.MKNOD,
                    KernelOpcode.SYMLINK,
                    KernelOpcode.LINK -> {
                check(body == KernelLayouts.EntryOut.SIZE_BYTES, request, "not an entry: " + body);
                known(answer);
            }
            case KernelOpcode.CREATE, KernelOpcode.TMPFILE -> {
                int size = KernelLayouts.EntryOut.SIZE_BYTES + KernelLayouts.OpenOut.SIZE_BYTES;
                check(body == size, request, "not an entry and an open file: " + body);
                long handle = answer.getLong(OUT_HEADER + KernelLayouts.EntryOut.SIZE_BYTES);
                check(files.put(handle, known(answer)) == null, request, "handle " + handle + " was given twice");
            }
            case KernelOpcode.OPEN -> {
                check(body == KernelLayouts.OpenOut.SIZE_BYTES, request, "not an open file: " + body);
                check(files.put(answer.getLong(OUT_HEADER), node) == null, request, "a handle was given twice");
            }
            case KernelOpcode.OPENDIR -> {
                check(body == KernelLayouts.OpenOut.SIZE_BYTES, request, "not an open directory: " + body);
                check(directories.put(answer.getLong(OUT_HEADER), node) == null, request, "a handle was given twice");
            }
            case KernelOpcode.RELEASE -> files.remove(fields.getLong(HEADER));
            case KernelOpcode.RELEASEDIR -> directories.remove(fields.getLong(HEADER));
            case KernelOpcode.GETATTR, KernelOpcode.SETATTR ->
                check(body == KernelLayouts.AttrOut.SIZE_BYTES, request, "not attributes: " + body);
            case KernelOpcode.STATX -> check(body == KernelLayouts.StatxOut.SIZE_BYTES, request, "not attributes");
            case KernelOpcode.READ, KernelOpcode.READDIR, KernelOpcode.READDIRPLUS -> {
                long wanted = fields.getInt(HEADER + KernelLayouts.ReadIn.SIZE_OFFSET) & 0xFFFF_FFFFL;
                check(body <= wanted, request, body + " bytes, wanted were " + wanted);
            }
            case KernelOpcode.WRITE -> check(body == Long.BYTES, request, "not a count");
            default -> check(body <= served.session().transferBytes() + 65_536, request, "a long answer: " + body);
        }
    }

    private long known(ByteBuffer answer) {
        long node = answer.getLong(OUT_HEADER + KernelLayouts.EntryOut.NODE_OFFSET);
        if (inodes.size() >= KNOWN_MAX) {
            long oldest = inodes.keySet().stream().skip(1).findFirst().orElseThrow();
            inodes.remove(oldest);
        }
        inodes.put(node, 0);
        return node;
    }

    private static void check(boolean good, byte[] request, String what) {
        if (!good) {
            throw new AssertionError(what + "; request " + HexFormat.of().formatHex(request));
        }
    }
}
