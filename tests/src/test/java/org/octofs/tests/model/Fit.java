package org.octofs.tests.model;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.octofs.rpc.protocol.Errno;

/** How the models say whether an answer fits a state, and what the state is then. */
final class Fit {
    /** What a call on something that does not exist any more is answered. */
    static final Set<Errno> GONE = EnumSet.of(Errno.ENOENT, Errno.ESTALE);

    private Fit() {}

    static List<FsState> fits(FsState state) {
        return List.of(state);
    }

    static List<FsState> fitsNot() {
        return List.of();
    }

    /** The answer must be one of the errors. */
    static List<FsState> failed(FsState state, Op op, Set<Errno> errors) {
        if (op.isUnknown()) {
            return fitsNot(); // it would change nothing: the same as if it had never happened
        }
        return isOneOf(op, errors) ? fits(state) : fitsNot();
    }

    static boolean isOneOf(Op op, Set<Errno> errors) {
        return errors.stream().anyMatch(error -> error.value == op.errno);
    }

    /** The answer must be success, and the inode is another one then. */
    static List<FsState> changed(FsState state, Op op, Node node) {
        if (op.errno > 0) {
            return fitsNot();
        }
        if (node.equals(state.node(op.ino))) {
            return op.isUnknown() ? fitsNot() : fits(state);
        }
        return fits(state.with(op.ino, node));
    }

    static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
