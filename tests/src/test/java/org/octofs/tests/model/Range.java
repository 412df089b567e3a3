package org.octofs.tests.model;

import java.util.Comparator;
import java.util.List;
import java.util.stream.LongStream;

/**
 * A piece of a file that a POSIX lock is on; locks are made and given up by whole pieces.
 *
 * @param owner who holds it
 * @param piece which piece, counted from 0; the last reaches to the end of any file
 */
record Range(long owner, long piece) implements Comparable<Range> {
    private static final Comparator<Range> ORDER =
            Comparator.comparingLong(Range::owner).thenComparingLong(Range::piece);

    /** The pieces from {@code op.offset} on, {@code op.length} of them. */
    static List<Range> of(Op op) {
        return LongStream.range(op.offset, op.offset + op.length)
                .mapToObj(piece -> new Range(op.owner, piece))
                .toList();
    }

    /** Whether another's lock on this piece is asked for, too. */
    boolean conflicts(Op op) {
        return owner != op.owner && piece >= op.offset && piece < op.offset + op.length;
    }

    @Override
    public int compareTo(Range other) {
        return ORDER.compare(this, other);
    }
}
