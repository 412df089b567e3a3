package org.octofs.tests.model;

import java.util.Arrays;

/** Immutable bytes of a file; pieces are shared between versions, and one that is all zeros is null. */
final class Content {
    static final Content EMPTY = new Content(0, new byte[0][]);
    private static final int PIECE = 4096;

    final long size;
    private final byte[][] pieces;
    private final int hash;

    private Content(long size, byte[][] pieces) {
        this.size = size;
        this.pieces = pieces;
        int sum = Long.hashCode(size);
        for (byte[] piece : pieces) {
            sum = 31 * sum + (piece == null ? 0 : Arrays.hashCode(piece));
        }
        this.hash = sum;
    }

    Content write(long offset, byte[] data, int length) {
        if (length == 0) {
            return this;
        }
        long newSize = Math.max(size, offset + length);
        byte[][] copy = Arrays.copyOf(pieces, count(newSize));
        for (int done = 0; done < length; ) {
            int index = (int) ((offset + done) / PIECE);
            int from = (int) ((offset + done) % PIECE);
            int bytes = Math.min(length - done, PIECE - from);
            byte[] piece = copy[index] == null ? new byte[PIECE] : copy[index].clone();
            System.arraycopy(data, done, piece, from, bytes);
            copy[index] = piece;
            done += bytes;
        }
        return new Content(newSize, copy);
    }

    Content zero(long offset, long length) {
        long end = Math.min(size, offset + length);
        byte[][] copy = pieces.clone();
        for (long at = offset; at < end; ) {
            int index = (int) (at / PIECE);
            int from = (int) (at % PIECE);
            int bytes = (int) Math.min(end - at, PIECE - from);
            if (copy[index] != null) {
                byte[] piece = copy[index].clone();
                Arrays.fill(piece, from, from + bytes, (byte) 0);
                copy[index] = isZero(piece) ? null : piece;
            }
            at += bytes;
        }
        return new Content(size, copy);
    }

    private static boolean isZero(byte[] piece) {
        for (byte b : piece) {
            if (b != 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether all bytes from an offset up to another one, or to the end, are zero. */
    boolean isZero(long from, long to) {
        for (long at = from; at < Math.min(to, size); ) {
            byte[] piece = pieces[(int) (at / PIECE)];
            long end = Math.min(Math.min(to, size), (at / PIECE + 1) * PIECE);
            for (; piece != null && at < end; at++) {
                if (piece[(int) (at % PIECE)] != 0) {
                    return false;
                }
            }
            at = end;
        }
        return true;
    }

    Content resize(long newSize) {
        Content cut = newSize < size ? zero(newSize, size - newSize) : this;
        return new Content(newSize, Arrays.copyOf(cut.pieces, count(newSize)));
    }

    byte[] read(long offset, int length) {
        int bytes = (int) Math.max(0, Math.min(length, size - offset));
        byte[] out = new byte[bytes];
        for (int done = 0; done < bytes; ) {
            int from = (int) ((offset + done) % PIECE);
            int count = Math.min(bytes - done, PIECE - from);
            byte[] piece = pieces[(int) ((offset + done) / PIECE)];
            if (piece != null) {
                System.arraycopy(piece, from, out, done, count);
            }
            done += count;
        }
        return out;
    }

    private static int count(long size) {
        return Math.toIntExact((size + PIECE - 1) / PIECE);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Content that
                && hash == that.hash
                && size == that.size
                && Arrays.equals(read(0, (int) size), that.read(0, (int) that.size));
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
