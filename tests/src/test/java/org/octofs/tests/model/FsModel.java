package org.octofs.tests.model;

import static org.octofs.rpc.protocol.Errno.EEXIST;
import static org.octofs.rpc.protocol.Errno.EINVAL;
import static org.octofs.rpc.protocol.Errno.EISDIR;
import static org.octofs.rpc.protocol.Errno.ENOENT;
import static org.octofs.rpc.protocol.Errno.ENOSPC;
import static org.octofs.rpc.protocol.Errno.ENOTDIR;
import static org.octofs.rpc.protocol.Errno.ENOTEMPTY;
import static org.octofs.rpc.protocol.Errno.EPERM;
import static org.octofs.rpc.protocol.Errno.ESTALE;
import static org.octofs.tests.model.Fit.GONE;
import static org.octofs.tests.model.Fit.failed;
import static org.octofs.tests.model.Fit.fits;
import static org.octofs.tests.model.Fit.fitsNot;
import static org.octofs.tests.model.Fit.text;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiPredicate;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;

/**
 * What each operation does to a state, and which answers fit. Where several errors apply, any of them fits.
 *
 * <p>Weaker promises that are written in here: an answer to a call that makes or finds something carries attributes which are read
 * afterwards, so it may be ESTALE if the inode has gone meanwhile; an inode that has no name and is not open answers ESTALE or its attributes; a
 * client that does not see other clients' uncommitted data may see another size ({@code seesSize}).
 */
public final class FsModel {
    private static final int NOREPLACE = 1;
    private static final int EXCHANGE = 2;

    private final boolean mayBeFull;
    private final BiPredicate<Integer, Long> seesSize;
    private final InodeModel inodes;

    /**
     * A model.
     *
     * @param mayBeFull whether ENOSPC fits wherever space is needed
     * @param seesSize whether a client's view of a file's size and content is exact
     */
    public FsModel(boolean mayBeFull, BiPredicate<Integer, Long> seesSize) {
        this.mayBeFull = mayBeFull;
        this.seesSize = seesSize;
        this.inodes = new InodeModel(mayBeFull, seesSize);
    }

    /** The states that the operation with its answer may lead to; none if the answer does not fit. */
    public List<FsState> apply(FsState state, Op op) {
        return switch (op.kind) {
            case LOOKUP -> lookup(state, op);
            case GETATTR -> getAttributes(state, op);
            case CREATE, MKDIR, SYMLINK, MKNOD -> make(state, op);
            case LINK -> link(state, op);
            case UNLINK, RMDIR -> remove(state, op);
            case RENAME -> rename(state, op);
            case READDIR -> list(state, op);
            case READLINK -> readlink(state, op);
            case TMPFILE -> makeUnnamed(state, op);
            case STATFS, SYNC -> op.errno == 0 ? fits(state) : fitsNot();
            default -> inodes.apply(state, op);
        };
    }

    private static Set<Errno> errors() {
        return EnumSet.noneOf(Errno.class);
    }

    private static void checkParent(Node parent, Set<Errno> errors) {
        if (parent == null || parent.links() == 0) {
            errors.addAll(GONE);
        }
        if (parent != null && !parent.isDirectory()) {
            errors.add(ENOTDIR);
        }
    }

    private boolean isFull(Op op) {
        return mayBeFull && op.errno == ENOSPC.value;
    }

    /** The inode number in an answer; null if it cannot be. */
    private static FsState identify(FsState state, long child, long answered) {
        if (child == answered) {
            return state;
        }
        return child < 0 && state.node(answered) == null ? state.bind(child, answered) : null;
    }

    private static List<FsState> identified(FsState state, long child, long answered) {
        FsState bound = identify(state, child, answered);
        return bound == null ? fitsNot() : fits(bound);
    }

    private static List<FsState> lookup(FsState state, Op op) {
        if (op.errno == ESTALE.value) {
            return fits(state);
        }
        Set<Errno> errors = errors();
        Node parent = state.node(op.ino);
        checkParent(parent, errors);
        if (errors.isEmpty() && !parent.entries().containsKey(op.name)) {
            errors.add(ENOENT);
        }
        if (!errors.isEmpty() || op.errno != 0) {
            return failed(state, op, errors);
        }
        long child = parent.entries().get(op.name);
        if (FileMode.type(state.node(child).mode()) != FileMode.type(op.resultMode)) {
            return fitsNot();
        }
        return identified(state, child, op.resultIno);
    }

    private List<FsState> getAttributes(FsState state, Op op) {
        Node node = state.node(op.ino);
        if (node == null || (node.links() == 0 && op.errno != 0)) {
            return failed(state, op, GONE);
        }
        boolean same = op.errno == 0 && op.resultMode == node.mode() && op.resultLinks == node.links();
        same = same && op.resultOwner == node.owner() && op.resultGroup == node.group();
        if (same && node.modified() != null && seesSize.test(op.client, op.ino)) {
            same = op.resultModified == node.modified();
        }
        if (same && node.isRegular() && !node.isFuzzy() && seesSize.test(op.client, op.ino)) {
            same = op.resultSize == node.content().size;
        }
        if (same && node.isDirectory()) {
            same = op.resultEntries == node.entries().size();
        }
        return same ? fits(state) : fitsNot();
    }

    private List<FsState> make(FsState state, Op op) {
        if (isFull(op)) {
            return fits(state);
        }
        boolean exclusive = op.kind != OpKind.CREATE || (op.flags & 1) != 0;
        Set<Errno> errors = errors();
        Node parent = state.node(op.ino);
        checkParent(parent, errors);
        Long existing = errors.isEmpty() ? parent.entries().get(op.name) : null;
        if (existing != null) {
            Node node = state.node(existing);
            if (exclusive) {
                errors.add(EEXIST);
            } else if (!node.isRegular()) {
                errors.add(FileMode.noData(node.mode()));
            } else if (op.errno == 0) {
                return identified(state, existing, op.resultIno);
            } else {
                errors.add(ESTALE);
            }
        }
        if (!errors.isEmpty()) {
            return failed(state, op, errors);
        }
        if (op.errno != 0 && !op.isUnknown() && op.errno != ESTALE.value) {
            return fitsNot();
        }
        long ino = op.errno == 0 ? op.resultIno : -op.id;
        if (state.node(ino) != null) {
            return fitsNot();
        }
        boolean directory = op.kind == OpKind.MKDIR;
        int mode = switch (op.kind) {
            case MKDIR -> FileMode.DIRECTORY | op.mode;
            case SYMLINK -> FileMode.SYMLINK | 0777;
            case MKNOD -> op.mode;
            default -> FileMode.REGULAR | op.mode;
        };
        FsState made = state.with(ino, Node.of(mode, directory ? 2 : 1, op.ino, op.newName))
                .change(op.ino, node -> node.withEntry(op.name, ino).withLinks(node.links() + (directory ? 1 : 0)));
        return fits(made);
    }

    private List<FsState> makeUnnamed(FsState state, Op op) {
        if (isFull(op)) {
            return fits(state);
        }
        Set<Errno> errors = errors();
        checkParent(state.node(op.ino), errors);
        if (!errors.isEmpty()) {
            return failed(state, op, errors);
        }
        if (op.errno != 0 || state.node(op.resultIno) != null) {
            return fitsNot(); // unknown: nobody will ever see it
        }
        Node node = Node.of(FileMode.REGULAR | op.mode, 0, op.ino, "");
        return fits(state.with(op.resultIno, op.flags == 0 ? node.withLinkable(true) : node));
    }

    private List<FsState> link(FsState state, Op op) {
        if (isFull(op)) {
            return fits(state);
        }
        Set<Errno> errors = errors();
        Node parent = state.node(op.newParent);
        Node node = state.node(op.ino);
        checkParent(parent, errors);
        boolean mayBeGone = node == null || (node.links() == 0 && !(node.isLinkable() && op.onOpenFile));
        if (mayBeGone && (node == null || !node.isLinkable() || op.errno > 0)) {
            errors.addAll(GONE);
        }
        if (node != null && node.isDirectory()) {
            errors.add(EPERM);
        }
        if (parent != null && parent.entries().containsKey(op.newName)) {
            errors.add(EEXIST);
        }
        if (!errors.isEmpty()) {
            return failed(state, op, errors);
        }
        if ((op.errno != 0 && !op.isUnknown() && op.errno != ESTALE.value)
                || (op.errno == 0 && op.resultIno != op.ino)) {
            return fitsNot();
        }
        return fits(state.change(op.newParent, dir -> dir.withEntry(op.newName, op.ino))
                .change(op.ino, file -> file.withLinks(file.links() + 1).withLinkable(false)));
    }

    private List<FsState> remove(FsState state, Op op) {
        Set<Errno> errors = errors();
        Node parent = state.node(op.ino);
        checkParent(parent, errors);
        Long child = errors.isEmpty() ? parent.entries().get(op.name) : null;
        if (errors.isEmpty() && child == null) {
            errors.add(ENOENT);
        }
        if (errors.isEmpty()) {
            checkRemovable(state.node(child), op.kind == OpKind.RMDIR, errors);
        }
        if (!errors.isEmpty() || op.errno > 0) {
            return isFull(op) ? fits(state) : failed(state, op, errors);
        }
        return fits(drop(state, op.ino, op.name, child));
    }

    private static void checkRemovable(Node node, boolean asDirectory, Set<Errno> errors) {
        if (asDirectory != node.isDirectory()) {
            errors.add(asDirectory ? ENOTDIR : EISDIR);
        } else if (!node.entries().isEmpty()) {
            errors.add(ENOTEMPTY);
        }
    }

    private static FsState drop(FsState state, long parent, String name, long child) {
        boolean directory = state.node(child).isDirectory();
        return state.change(parent, dir -> dir.withoutEntry(name).withLinks(dir.links() - (directory ? 1 : 0)))
                .change(child, node -> node.withLinks(directory ? 0 : node.links() - 1));
    }

    private List<FsState> rename(FsState state, Op op) {
        if (isFull(op)) {
            return fits(state);
        }
        Set<Errno> errors = errors();
        Node from = state.node(op.ino);
        Node to = state.node(op.newParent);
        checkParent(from, errors);
        checkParent(to, errors);
        boolean exchange = (op.flags & EXCHANGE) != 0;
        Long source = from == null ? null : from.entries().get(op.name);
        Long target = to == null ? null : to.entries().get(op.newName);
        if (source == null || (exchange && target == null)) {
            errors.add(ENOENT);
        }
        if (target != null && (op.flags & NOREPLACE) != 0) {
            errors.add(EEXIST);
        }
        if (source != null && state.node(source).isDirectory() && state.isAncestor(source, op.newParent)) {
            errors.add(EINVAL);
        }
        if (target != null && state.node(target).isDirectory() && state.isAncestor(target, op.ino)) {
            errors.add(exchange ? EINVAL : ENOTEMPTY);
        }
        if (source != null && target != null && !exchange && !source.equals(target)) {
            checkRemovable(state.node(target), state.node(source).isDirectory(), errors);
        }
        if (!errors.isEmpty()) {
            return failed(state, op, errors);
        }
        if (op.errno > 0) {
            return fitsNot();
        }
        if (source.equals(target)) {
            return op.isUnknown() ? fitsNot() : fits(state);
        }
        FsState next = state;
        if (exchange) {
            next = put(next, op.newParent, op.newName, source, op.ino);
            return fits(put(next, op.ino, op.name, target, op.newParent));
        }
        if (target != null) {
            next = drop(next, op.newParent, op.newName, target);
        }
        next = next.change(op.ino, dir -> dir.withoutEntry(op.name));
        return fits(put(next, op.newParent, op.newName, source, op.ino));
    }

    /** Enters a child that comes from another parent (or the same), with the counts of subdirectories. */
    private static FsState put(FsState state, long parent, String name, long child, long oldParent) {
        FsState next = state.change(parent, dir -> dir.withEntry(name, child));
        if (next.node(child).isDirectory()) {
            next = next.change(oldParent, dir -> dir.withLinks(dir.links() - 1))
                    .change(parent, dir -> dir.withLinks(dir.links() + 1))
                    .change(child, dir -> dir.withParent(parent));
        }
        return next;
    }

    private static List<FsState> list(FsState state, Op op) {
        Node node = state.node(op.ino);
        if (node != null && !node.isDirectory()) {
            return failed(state, op, node.links() == 0 ? EnumSet.of(ENOTDIR, ENOENT, ESTALE) : EnumSet.of(ENOTDIR));
        }
        if (node == null || (node.links() == 0 && (op.errno != 0 || op.resultNames.isEmpty()))) {
            return op.errno == 0 && node != null ? fits(state) : failed(state, op, GONE);
        }
        if (op.errno != 0 || !node.entries().keySet().equals(op.resultNames.keySet())) {
            return fitsNot();
        }
        FsState next = state;
        for (Map.Entry<String, Long> entry : op.resultNames.entrySet()) {
            next = identify(next, next.node(op.ino).entries().get(entry.getKey()), entry.getValue());
            if (next == null) {
                return fitsNot();
            }
        }
        return fits(next);
    }

    private static List<FsState> readlink(FsState state, Op op) {
        Node node = state.node(op.ino);
        if (node == null || (node.links() == 0 && GONE.stream().anyMatch(error -> error.value == op.errno))) {
            return failed(state, op, GONE);
        }
        if (!node.isSymlink()) {
            return failed(state, op, EnumSet.of(EINVAL));
        }
        return op.errno == 0 && node.target().equals(text(op.resultBytes)) ? fits(state) : fitsNot();
    }
}
