package org.octofs.pmem.pool;

import java.nio.file.Path;
import java.util.Objects;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;

/**
 * What a pool file shall become.
 *
 * @param path file to create
 * @param sizeBytes size of the pool; rounded down to 4 KiB
 * @param createdMillis time to record, in milliseconds since 1970 UTC
 * @param replace remove an existing file first (refused while a server has it open); else an existing file is refused
 */
public record FormatRequest(
        Path path,
        long sizeBytes,
        MediumKind kind,
        PoolIdentity identity,
        GeometryOptions geometry,
        MediumOptions medium,
        long createdMillis,
        boolean replace) {
    public FormatRequest {
        Objects.requireNonNull(path, "path");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(identity, "identity");
        Objects.requireNonNull(geometry, "geometry");
        Objects.requireNonNull(medium, "medium");
    }
}
