package org.octofs.pmem.pool;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.PoolMismatchException;
import org.octofs.pmem.PoolMismatchException.Reason;
import org.octofs.pmem.layout.SuperblockLayout;
import org.octofs.pmem.medium.PmemMedium;

/**
 * The two copies of the superblock on a medium.
 * Durability: {@link #store} returns with both copies durable; a crash inside leaves one good copy, old or new. Loading
 *             changes nothing.
 */
final class SuperblockPair {
    private final PmemMedium medium;
    private final List<String> notes = new ArrayList<>();
    private Superblock current;
    private boolean primaryIsBest;

    private SuperblockPair(PmemMedium medium) {
        this.medium = medium;
    }

    static SuperblockPair format(PmemMedium medium, Superblock initial) {
        SuperblockPair pair = new SuperblockPair(medium);
        // Backup first: a crash between the two leaves something that opens, and nothing can be lost yet.
        pair.primaryIsBest = false;
        pair.write(SuperblockLayout.BACKUP_OFFSET, initial);
        pair.write(SuperblockLayout.PRIMARY_OFFSET, initial);
        pair.current = initial;
        return pair;
    }

    /**
     * Reads the newer good copy and compares it with the medium and the expectation.
     *
     * @throws PoolMismatchException when it is not the pool that is wanted, or none that this version serves
     * @throws PoolCorruptException when the zone table makes no sense
     */
    static SuperblockPair load(PmemMedium medium, PoolExpectation expected) throws PoolMismatchException {
        SuperblockPair pair = new SuperblockPair(medium);
        pair.choose();
        pair.check(expected);
        return pair;
    }

    private String name() {
        return medium.path() == null ? "the pool" : "the pool " + medium.path();
    }

    private void choose() throws PoolMismatchException {
        MemorySegment memory = medium.memory();
        String what = medium.path() == null ? "this memory" : medium.path().toString();
        if (medium.sizeBytes() < SuperblockLayout.ZONE_BYTES) {
            throw new PoolMismatchException(Reason.NOT_A_POOL, what + " is too small to be a pool; check the path");
        }
        boolean primary = Superblock.isIntact(memory, SuperblockLayout.PRIMARY_OFFSET);
        boolean backup = Superblock.isIntact(memory, SuperblockLayout.BACKUP_OFFSET);
        if (!primary && !backup) {
            throw noSuperblock(memory, what);
        }
        primaryIsBest = primary;
        if (primary && backup) {
            Superblock first = readSupported(SuperblockLayout.PRIMARY_OFFSET);
            Superblock second = readSupported(SuperblockLayout.BACKUP_OFFSET);
            primaryIsBest = first.updateCount() >= second.updateCount();
            current = primaryIsBest ? first : second;
            if (first.updateCount() != second.updateCount()) {
                notes.add(
                        "the two superblocks are of different age (an update was interrupted); the newer one is used");
            }
        } else {
            current = readSupported(primary ? SuperblockLayout.PRIMARY_OFFSET : SuperblockLayout.BACKUP_OFFSET);
            notes.add("the " + (primary ? "backup" : "primary") + " superblock is bad; the other one is used");
        }
    }

    private PoolMismatchException noSuperblock(MemorySegment memory, String what) {
        boolean first = Superblock.hasMagic(memory, SuperblockLayout.PRIMARY_OFFSET);
        boolean second = Superblock.hasMagic(memory, SuperblockLayout.BACKUP_OFFSET);
        if (!first && !second) {
            return new PoolMismatchException(
                    Reason.NOT_A_POOL,
                    what + " is not an OctoFS pool, or was never completely formatted; check the path, or format it");
        }
        int version =
                Superblock.versionAt(memory, first ? SuperblockLayout.PRIMARY_OFFSET : SuperblockLayout.BACKUP_OFFSET);
        if (version != SuperblockLayout.VERSION) {
            return otherVersion(version);
        }
        return new PoolMismatchException(
                Reason.BOTH_SUPERBLOCKS_BAD,
                "both superblocks of " + name()
                        + " are damaged (bad checksums); it cannot be opened, restore it from elsewhere");
    }

    private PoolMismatchException otherVersion(int version) {
        return new PoolMismatchException(
                Reason.OTHER_VERSION,
                name() + " has format version "
                        + Integer.toUnsignedString(version) + ", this program knows only " + SuperblockLayout.VERSION
                        + "; use the version of OctoFS that made it");
    }

    private Superblock readSupported(long offset) throws PoolMismatchException {
        MemorySegment memory = medium.memory();
        int version = Superblock.versionAt(memory, offset);
        if (version != SuperblockLayout.VERSION) {
            throw otherVersion(version);
        }
        long unknown =
                Superblock.incompatibleFeaturesAt(memory, offset) & ~SuperblockLayout.KNOWN_INCOMPATIBLE_FEATURES;
        if (unknown != 0) {
            throw new PoolMismatchException(
                    Reason.UNKNOWN_FEATURE,
                    name() + " uses features 0x" + Long.toHexString(unknown)
                            + " that this program does not know; use a newer version of OctoFS");
        }
        return Superblock.read(memory, offset);
    }

    private void check(PoolExpectation expected) throws PoolMismatchException {
        PoolGeometry geometry = current.geometry();
        if (geometry.poolSizeBytes() != medium.sizeBytes()) {
            throw new PoolMismatchException(
                    Reason.SIZE_DIFFERS,
                    name() + " was made with " + geometry.poolSizeBytes()
                            + " bytes but has " + medium.sizeBytes() + " now; the file was "
                            + (medium.sizeBytes() < geometry.poolSizeBytes() ? "truncated" : "lengthened")
                            + ", restore it from a complete copy");
        }
        PoolIdentity identity = current.identity();
        if (expected.clusterId() != null && !expected.clusterId().equals(identity.clusterId())) {
            throw new PoolMismatchException(
                    Reason.OTHER_CLUSTER,
                    name() + " belongs to cluster " + identity.clusterId() + ", not to " + expected.clusterId()
                            + "; check the pool path in the cluster file");
        }
        if (expected.nodeId() != PoolExpectation.ANY_NODE && expected.nodeId() != identity.nodeId()) {
            throw new PoolMismatchException(
                    Reason.OTHER_NODE,
                    name() + " belongs to node " + identity.nodeId() + ", not to node " + expected.nodeId()
                            + "; check the pool path in the cluster file");
        }
        if (expected.nodeCount() != 0) {
            identity.checkShape(expected.nodeCount(), expected.shardCount());
        }
        List<String> problems = geometry.problems();
        if (!problems.isEmpty()) {
            throw new PoolCorruptException(
                    "zone table of the superblock (" + String.join("; ", problems) + ")",
                    SuperblockLayout.ZONE_TABLE_OFFSET,
                    0,
                    problems.size());
        }
    }

    /** Writes both copies, the one that can be spared first. */
    void store(Superblock next) {
        long spare =
                primaryIsBest && !notes.isEmpty() ? SuperblockLayout.BACKUP_OFFSET : SuperblockLayout.PRIMARY_OFFSET;
        long other = SuperblockLayout.PRIMARY_OFFSET + SuperblockLayout.BACKUP_OFFSET - spare;
        write(spare, next);
        write(other, next);
        current = next;
        primaryIsBest = true;
    }

    private void write(long offset, Superblock block) {
        medium.copy(offset, block.encode(), 0, SuperblockLayout.SIZE_BYTES);
        medium.flush(offset, SuperblockLayout.SIZE_BYTES);
        // Fence: only when this copy is durable may the other one be touched.
        medium.fence();
    }

    Superblock current() {
        return current;
    }

    /** What was odd about the copies found, in words. */
    List<String> notes() {
        return List.copyOf(notes);
    }
}
