package org.octofs.pmem;

/**
 * Something on the medium is impossible: a bad checksum, a wrong magic, an offset outside its zone. The pool must not be
 * served; {@code offset} says where the value was read, {@code expected} and {@code found} what was wrong with it.
 */
public final class PoolCorruptException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long offset;
    private final long expected;
    private final long found;

    /** @param what what was being read, in words; the message adds the pool offset and both values */
    public PoolCorruptException(String what, long offset, long expected, long found) {
        super(what + " at pool offset " + offset + ": expected 0x" + Long.toHexString(expected) + ", found 0x"
                + Long.toHexString(found) + "; check the pool offline before serving it");
        this.offset = offset;
        this.expected = expected;
        this.found = found;
    }

    /** Pool offset of the bad value, in bytes. */
    public long offset() {
        return offset;
    }

    /** What the value should have been (or the bound it should have kept). */
    public long expected() {
        return expected;
    }

    /** What was there. */
    public long found() {
        return found;
    }
}
