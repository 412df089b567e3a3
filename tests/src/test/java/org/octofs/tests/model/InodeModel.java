package org.octofs.tests.model;

import static org.octofs.rpc.protocol.Errno.EAGAIN;
import static org.octofs.rpc.protocol.Errno.EEXIST;
import static org.octofs.rpc.protocol.Errno.ENODATA;
import static org.octofs.rpc.protocol.Errno.ENOSPC;
import static org.octofs.rpc.protocol.Errno.ENXIO;
import static org.octofs.tests.model.Fit.GONE;
import static org.octofs.tests.model.Fit.changed;
import static org.octofs.tests.model.Fit.failed;
import static org.octofs.tests.model.Fit.fits;
import static org.octofs.tests.model.Fit.fitsNot;
import static org.octofs.tests.model.Fit.text;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import org.octofs.rpc.protocol.FileMode;

/** The operations on one inode, through its number or an open file: attributes, extended attributes, data, locks. */
final class InodeModel {
    private static final int BLOCK = 4096;
    private static final int XATTR_CREATE = 1;
    private static final int XATTR_REPLACE = 2;

    private final boolean mayBeFull;
    private final BiPredicate<Integer, Long> seesSize;

    InodeModel(boolean mayBeFull, BiPredicate<Integer, Long> seesSize) {
        this.mayBeFull = mayBeFull;
        this.seesSize = seesSize;
    }

    List<FsState> apply(FsState state, Op op) {
        Node node = state.node(op.ino);
        if (mayBeFull && op.errno == ENOSPC.value) {
            return full(state, op, node);
        }
        if (node == null || (node.links() == 0 && Fit.isOneOf(op, GONE) && !op.onOpenFile)) {
            return failed(state, op, GONE);
        }
        return switch (op.kind) {
            case OPEN -> open(state, op, node);
            case SETMODE -> changed(state, op, node.withMode(FileMode.type(node.mode()) | op.mode));
            case SETOWNER -> changed(state, op, node.withOwner(op.flags, op.mode));
            case SETTIMES -> setTimes(state, op, node);
            case SETXATTR -> setXattr(state, op, node);
            case GETXATTR -> getXattr(state, op, node);
            case LISTXATTR -> listXattr(state, op, node);
            case REMOVEXATTR ->
                node.xattrs().containsKey(op.name)
                        ? changed(state, op, node.withXattr(op.name, null))
                        : failed(state, op, EnumSet.of(ENODATA));
            case READ -> read(state, op, node);
            case SEEK -> seek(state, op, node);
            case LOCK -> lock(state, op, node);
            case UNLOCK -> {
                Map<Long, Boolean> locks = new TreeMap<>(node.locks());
                locks.remove(op.owner);
                yield changed(state, op, node.withLocks(locks));
            }
            case RANGE_LOCK -> lockRange(state, op, node);
            case RANGE_UNLOCK -> {
                Map<Range, Boolean> ranges = new TreeMap<>(node.ranges());
                ranges.keySet().removeAll(Range.of(op));
                yield changed(state, op, node.withRanges(ranges));
            }
            case FLUSH -> {
                Map<Range, Boolean> ranges = new TreeMap<>(node.ranges());
                ranges.keySet().removeIf(range -> range.owner() == op.owner);
                yield changed(state, op, node.withRanges(ranges));
            }
            case FSYNC -> op.errno == 0 ? fits(state) : fitsNot();
            case APPEND -> append(state, op, node);
            case COPY -> copy(state, op, node);
            default -> onContent(state, op, node, node.isFuzzy() ? node.content() : written(node.content(), op));
        };
    }

    /** It has done nothing, but for the time, and what a zeroed range was before it was allocated. */
    private static List<FsState> full(FsState state, Op op, Node node) {
        if (node == null || !op.changesData()) {
            return fits(state);
        }
        Node touched = node.withModified(null);
        if (op.kind == OpKind.ZERO && !node.isFuzzy()) {
            return List.of(
                    state.with(op.ino, touched), state.with(op.ino, node.withContent(written(node.content(), op))));
        }
        return node.modified() == null ? fits(state) : fits(state.with(op.ino, touched));
    }

    private static List<FsState> open(FsState state, Op op, Node node) {
        if (!node.isRegular()) {
            return failed(state, op, EnumSet.of(FileMode.noData(node.mode())));
        }
        boolean truncates = op.flags != 0;
        if (!truncates) {
            return op.errno == 0 ? fits(state) : fitsNot();
        }
        return onContent(
                state,
                op,
                node,
                node.isFuzzy() ? node.content() : node.content().resize(0));
    }

    /** A time that others set while writes are kept by their writer may be outdated by these. */
    private List<FsState> setTimes(FsState state, Op op, Node node) {
        boolean isKnown = !node.isFuzzy() && (!node.isRegular() || seesSize.test(op.client, op.ino));
        return changed(state, op, node.withModified(isKnown ? op.time : null));
    }

    private static List<FsState> onContent(FsState state, Op op, Node node, Content content) {
        return changed(state, op, node.withContent(content));
    }

    private static List<FsState> append(FsState state, Op op, Node node) {
        if (node.isFuzzy()) {
            return onContent(state, op, node, node.content());
        }
        int count = op.isUnknown() ? op.data.length : op.resultCount;
        if (op.errno == 0 && op.resultSize != node.content().size + count) {
            return fitsNot();
        }
        return onContent(state, op, node, node.content().write(node.content().size, op.data, count));
    }

    private List<FsState> copy(FsState state, Op op, Node node) {
        Node source = state.node(op.source);
        if (node.isFuzzy() || source == null || source.isFuzzy()) {
            return changed(state, op, node.withFuzzy());
        }
        byte[] bytes = source.content().read(op.sourceOffset, op.length);
        int count = op.isUnknown() ? bytes.length : op.resultCount;
        if (count > bytes.length || (count < bytes.length && !mayBeFull)) {
            return fitsNot();
        }
        return onContent(state, op, node, node.content().write(op.offset, bytes, count));
    }

    private static Content written(Content content, Op op) {
        return switch (op.kind) {
            case WRITE -> content.write(op.offset, op.data, op.isUnknown() ? op.data.length : (int) op.resultSize);
            case TRUNCATE -> content.resize(op.offset);
            case PUNCH, ZERO -> content.zero(op.offset, op.length);
            case ALLOCATE ->
                (op.flags & 1) != 0 ? content : content.resize(Math.max(content.size, op.offset + op.length));
            default -> throw new IllegalArgumentException("not an operation on content: " + op);
        };
    }

    private static List<FsState> setXattr(FsState state, Op op, Node node) {
        boolean exists = node.xattrs().containsKey(op.name);
        if (exists && op.flags == XATTR_CREATE) {
            return failed(state, op, EnumSet.of(EEXIST));
        }
        if (!exists && op.flags == XATTR_REPLACE) {
            return failed(state, op, EnumSet.of(ENODATA));
        }
        return changed(state, op, node.withXattr(op.name, text(op.data)));
    }

    private static List<FsState> getXattr(FsState state, Op op, Node node) {
        String value = node.xattrs().get(op.name);
        if (value == null) {
            return failed(state, op, EnumSet.of(ENODATA));
        }
        return op.errno == 0 && value.equals(text(op.resultBytes)) ? fits(state) : fitsNot();
    }

    private static List<FsState> listXattr(FsState state, Op op, Node node) {
        TreeSet<String> listed =
                new TreeSet<>(Arrays.asList(text(op.resultBytes).split("\0")));
        listed.remove("");
        return op.errno == 0 && listed.equals(node.xattrs().keySet()) ? fits(state) : fitsNot();
    }

    private static List<FsState> read(FsState state, Op op, Node node) {
        if (node.isFuzzy() && op.errno == 0) {
            return fits(state);
        }
        return op.errno == 0 && Arrays.equals(node.content().read(op.offset, op.length), op.resultBytes)
                ? fits(state)
                : fitsNot();
    }

    /** What is written may be anything, what is called a hole must be zero. */
    private static List<FsState> seek(FsState state, Op op, Node node) {
        if (node.isFuzzy() && (op.errno == 0 || op.errno == ENXIO.value)) {
            return fits(state);
        }
        Content content = node.content();
        boolean forData = op.flags == 0;
        if (op.offset >= content.size || (op.errno != 0 && forData)) {
            boolean isHole = content.isZero(op.offset, content.size);
            return isHole ? failed(state, op, EnumSet.of(ENXIO)) : fitsNot();
        }
        boolean fits = op.errno == 0 && op.resultSize >= op.offset && op.resultSize <= content.size;
        if (fits && forData) {
            fits = op.resultSize < content.size && content.isZero(op.offset, op.resultSize);
        } else if (fits) {
            fits = content.isZero(op.resultSize, (op.resultSize / BLOCK + 1) * BLOCK);
        }
        return fits ? fits(state) : fitsNot();
    }

    /** In words, where a READ differs from a state; empty for other calls. */
    static String difference(FsState state, Op op) {
        Node node = state.node(op.ino);
        if (op.kind != OpKind.READ || node == null) {
            return "";
        }
        byte[] expected = node.content().read(op.offset, op.length);
        byte[] got = op.resultBytes;
        int first = Arrays.mismatch(expected, got);
        int last = first;
        for (int i = first; first >= 0 && i < Math.min(expected.length, got.length); i++) {
            last = expected[i] == got[i] ? last : i;
        }
        return "expected " + expected.length + " bytes, got " + got.length + "; they differ from " + (op.offset + first)
                + " to " + (op.offset + last) + ": " + around(expected, first) + " expected, " + around(got, first)
                + " got\n";
    }

    private static String around(byte[] bytes, int at) {
        return Arrays.toString(
                Arrays.copyOfRange(bytes, Math.clamp(at, 0, bytes.length), Math.min(bytes.length, at + 4)));
    }

    private static List<FsState> lock(FsState state, Op op, Node node) {
        // A conversion that is refused has given up the old lock, as flock(2) says.
        Map<Long, Boolean> others = new TreeMap<>(node.locks());
        others.remove(op.owner);
        FsState given = state.with(op.ino, node.withLocks(others));
        if (op.mayBeRefused && op.errno == EAGAIN.value) {
            return List.of(given, state);
        }
        boolean exclusive = op.flags != 0;
        boolean conflict = node.locks().entrySet().stream()
                .anyMatch(held -> held.getKey() != op.owner && (exclusive || held.getValue()));
        if (conflict) {
            return op.errno == EAGAIN.value ? fits(given) : failed(state, op, EnumSet.of(EAGAIN));
        }
        Map<Long, Boolean> locks = new TreeMap<>(node.locks());
        locks.put(op.owner, exclusive);
        return changed(state, op, node.withLocks(locks));
    }

    private static List<FsState> lockRange(FsState state, Op op, Node node) {
        if (op.mayBeRefused && op.errno == EAGAIN.value) {
            return fits(state);
        }
        boolean exclusive = op.flags != 0;
        boolean conflict = node.ranges().entrySet().stream()
                .anyMatch(held -> held.getKey().conflicts(op) && (exclusive || held.getValue()));
        if (conflict) {
            return failed(state, op, EnumSet.of(EAGAIN));
        }
        Map<Range, Boolean> ranges = new TreeMap<>(node.ranges());
        Range.of(op).forEach(range -> ranges.put(range, exclusive));
        return changed(state, op, node.withRanges(ranges));
    }
}
