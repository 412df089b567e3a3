package org.octofs.pmem.layout;

/**
 * The parts of a pool, in the order in which they lie on the medium. The code is the zone's index in the zone table, so
 * it is part of the format. This module gives meaning to the superblock, segment table and redo log; the others
 * belong to its user and are only sized, zeroed and handed out.
 */
public enum ZoneKind {
    /** Two copies of the superblock. */
    SUPERBLOCK(0),
    /** One word per segment of the data zone. */
    SEGMENT_TABLE(1),
    LOCK_TABLE(2),
    SESSION_TABLE(3),
    RESERVATION_TABLE(4),
    /** Eight bytes for each 4 KiB page of the metadata zone. */
    PAGE_TABLE(5),
    REDO_LOG(6),
    METADATA(7),
    /** Segments of file data. */
    DATA(8);

    private final int code;

    ZoneKind(int code) {
        this.code = code;
    }

    /** Its number on the medium. */
    public int code() {
        return code;
    }
}
