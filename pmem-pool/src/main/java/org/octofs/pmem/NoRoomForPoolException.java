package org.octofs.pmem;

import java.io.IOException;
import java.nio.file.Path;

/** The file system below cannot hold a new pool of the wanted size. The half-made file has been removed. */
public final class NoRoomForPoolException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long missingBytes;

    public NoRoomForPoolException(Path path, String mount, long wantedBytes, long availableBytes) {
        super("no room for the pool " + path + ": " + wantedBytes + " bytes wanted, " + availableBytes
                + " available on " + mount + ", " + Math.max(0, wantedBytes - availableBytes)
                + " missing; choose a smaller pool or free some space there");
        this.missingBytes = Math.max(0, wantedBytes - availableBytes);
    }

    /** How many bytes more would have been needed when the file system was asked. */
    public long missingBytes() {
        return missingBytes;
    }
}
