package org.octofs.tests.fsck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.octofs.tests.fsck.FilledPools.ROOT;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.octofs.pmem.layout.SuperblockLayout;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.medium.Media;
import org.octofs.pmem.medium.MediumKind;
import org.octofs.pmem.medium.MediumOptions;
import org.octofs.pmem.medium.OpenMode;
import org.octofs.pmem.medium.PmemMedium;
import org.octofs.pmem.pool.PoolExpectation;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.check.CheckOptions;
import org.octofs.server.check.CheckReport;
import org.octofs.server.check.ClusterCheck;
import org.octofs.server.namespace.DentryLayout;
import org.octofs.server.namespace.IndexMarks;
import org.octofs.server.session.SessionHeaderLayout;
import org.octofs.server.store.PageKind;
import org.octofs.server.txn.LockRecordLayout;

/** One kind of damage per test: the check says it, a repair mends it, and then the check is clean. */
class DamageTest {
    private static final MediumOptions FAST = MediumOptions.defaults().withPrefault(false);
    private static FilledPools filled;
    private List<Path> paths;

    @BeforeAll
    static void fill() throws IOException {
        filled = new FilledPools();
    }

    @AfterAll
    static void remove() throws IOException {
        filled.close();
    }

    @BeforeEach
    void copy() {
        paths = filled.copy();
    }

    @AfterEach
    void delete() throws IOException {
        for (Path path : paths) {
            Files.delete(path);
        }
    }

    // ------------------------------------------------------------------------------------------------ tools

    private interface Damage {
        void to(Surgeon pool);
    }

    private void damage(int node, Damage damage) throws IOException {
        try (Surgeon surgeon = new Surgeon(paths.get(node))) {
            damage.to(surgeon);
        }
    }

    /** Turns a bit over without opening the pool, which would mend or replay something. */
    private void flip(int node, long offset) throws IOException {
        try (PmemMedium medium = Media.open(paths.get(node), MediumKind.MAPPED, OpenMode.SERVE, FAST)) {
            medium.putByte(offset, (byte) (medium.memory().get(ValueLayout.JAVA_BYTE, offset) ^ 1));
        }
    }

    private void damageHomeOf(String name, Damage damage) throws IOException {
        damage(filled.home(name), damage);
    }

    private List<PmemMedium> open(OpenMode mode) throws IOException {
        List<PmemMedium> media = new ArrayList<>();
        for (Path path : paths) {
            media.add(Media.open(path, MediumKind.MAPPED, mode, FAST));
        }
        return media;
    }

    private CheckReport check(CheckOptions options) throws IOException {
        return ClusterCheck.runInPlace(open(OpenMode.PRIVATE), options);
    }

    private CheckReport repair() throws IOException {
        return ClusterCheck.repair(open(OpenMode.SERVE), CheckOptions.defaults().withData());
    }

    /** The words are all in one error. */
    private static void says(CheckReport report, String... words) {
        assertThat(report.errors())
                .as("%s", report)
                .anySatisfy(e -> assertThat(e.toString()).contains(words));
    }

    /** Found with these words; a repair ends it. */
    private CheckReport foundAndMended(String... words) throws IOException {
        CheckReport found = check(CheckOptions.defaults());
        says(found, words);
        assertThat(found.exitCode()).isEqualTo(4);
        assertThat(check(CheckOptions.defaults()).errors())
                .as("a check changes nothing")
                .isEqualTo(found.errors());
        CheckReport repaired = repair();
        says(repaired, words);
        assertThat(repaired.exitCode()).as("%s", repaired).isEqualTo(1);
        CheckReport after = check(CheckOptions.defaults().withData());
        assertThat(after.isClean()).as("after the repair: %s", after).isTrue();
        return repaired;
    }

    private static String inode(long ino) {
        return "inode " + Long.toUnsignedString(ino);
    }

    // ------------------------------------------------------------------------------------------------ nothing wrong

    @Test
    void nothingIsWrongAfterAllServersWereKilled() throws IOException {
        CheckReport report = check(CheckOptions.defaults().withData());
        assertThat(report.isClean()).as("%s", report).isTrue();
        assertThat(report.exitCode()).isZero();
        assertThat(report.counts().orphans()).isPositive();
        assertThat(report.counts().lentBlocks()).isPositive();
        assertThat(report.counts().checkedBlocks()).isGreaterThan(FilledPools.BIG_BYTES / 4096);
        assertThat(report.counts().dentries()).isEqualTo(2 + 6 * 8 + 2 + 4);
        CheckReport repaired = repair();
        assertThat(repaired.exitCode()).as("%s", repaired).isZero();
    }

    @Test
    void eachPoolAloneIsClean() throws IOException {
        for (Path path : paths) {
            CheckReport report = ClusterCheck.runInPlace(
                    List.of(Media.open(path, MediumKind.MAPPED, OpenMode.PRIVATE, FAST)), CheckOptions.defaults());
            assertThat(report.isClean()).as("%s", report).isTrue();
            assertThat(report.counts().inodes()).isPositive();
        }
    }

    // ------------------------------------------------------------------------------------------------ inodes

    @Test
    void anInodeWithAWrongChecksum() throws IOException {
        damageHomeOf("f10", p -> p.flip(p.inode(filled.ino("f10")) + InodeLayout.MTIME_SEC_OFFSET));
        foundAndMended(inode(filled.ino("f10")) + " has a wrong checksum, though its fields make sense");
    }

    @Test
    void anInodeThatIsOverwritten() throws IOException {
        damageHomeOf("f10", p -> p.putInt(p.inode(filled.ino("f10")) + InodeLayout.MAGIC_OFFSET, 0x12345678));
        CheckReport repaired = foundAndMended("the slot of an inode has a wrong magic word, 0x12345678");
        says(repaired, "/dir1/f10 names " + inode(filled.ino("f10")), "which does not exist", "the name is removed");
    }

    @Test
    void anInodeOfAnotherHome() throws IOException {
        long other = InodeNumber.of(filled.home("f10") + 1, 77);
        damageHomeOf("f10", p -> {
            long at = p.inode(filled.ino("f10"));
            p.putLong(at + InodeLayout.INO_OFFSET, other);
            p.sealInode(at);
        });
        foundAndMended("the slot of an inode has " + inode(other) + ", whose home is node");
    }

    @Test
    void anInodeThatNobodyHasLocked() throws IOException {
        damageHomeOf("f20", p -> {
            long at = p.inode(filled.ino("f20"));
            p.putLong(at, p.getLong(at) | 1);
        });
        foundAndMended(inode(filled.ino("f20")) + " is locked, and no transaction holds it");
    }

    @Test
    void anInodeWithAnOlderBody() throws IOException {
        damageHomeOf("f20", p -> {
            long at = p.inode(filled.ino("f20"));
            p.putLong(at, p.getLong(at) + 2);
        });
        foundAndMended(inode(filled.ino("f20")), "in front of a body of version");
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE - 1, Long.MIN_VALUE, -2})
    void anInodeWithAnImpossibleVersion(long version) throws IOException {
        long[] before = new long[1];
        damageHomeOf("f20", p -> {
            long at = p.inode(filled.ino("f20"));
            before[0] = p.getLong(at);
            p.putLong(at, version);
        });
        foundAndMended(inode(filled.ino("f20")));
        damageHomeOf(
                "f20",
                p -> assertThat(p.getLong(p.inode(filled.ino("f20"))))
                        .as("version after the repair")
                        .isEqualTo(before[0] + 2));
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MIN_VALUE, -2})
    void aFreeSlotWithAnImpossibleVersion(long version) throws IOException {
        long[] slot = new long[1];
        damage(0, p -> {
            slot[0] = p.freeSlot(PageKind.INODE);
            p.putLong(slot[0], version);
        });
        foundAndMended("a free slot for an inode has the impossible version " + version);
        damage(
                0,
                p -> assertThat(p.getLong(slot[0]))
                        .as("version after the repair")
                        .isBetween(2L, 1L << 60));
    }

    @Test
    void anOverwrittenInodeLeavesASlotThatCanBeUsed() throws IOException {
        long[] slot = new long[1];
        damageHomeOf("f20", p -> {
            slot[0] = p.inode(filled.ino("f20"));
            for (int at = 0; at < InodeLayout.SIZE_BYTES; at += Long.BYTES) {
                p.putLong(slot[0] + at, -2);
            }
        });
        foundAndMended("the slot of an inode has a wrong magic word");
        damageHomeOf(
                "f20",
                p -> assertThat(p.getLong(slot[0]))
                        .as("version after the repair")
                        .isBetween(2L, 1L << 60));
    }

    @Test
    void anInodeThatIsThereTwice() throws IOException {
        damageHomeOf("f20", p -> p.copy(p.inode(filled.ino("f20")), p.freeSlot(PageKind.INODE), 256));
        foundAndMended(inode(filled.ino("f20")) + " is there twice");
    }

    @Test
    void aLinkCountThatIsWrong() throws IOException {
        damageHomeOf("plain", p -> {
            long at = p.inode(filled.ino("plain"));
            p.putInt(at + InodeLayout.NLINK_OFFSET, 5);
            p.sealInode(at);
        });
        foundAndMended(
                "(" + inode(filled.ino("plain")) + ") has the link count 5 and 3 names", "the count is corrected");
    }

    @Test
    void countsAndParentOfADirectory() throws IOException {
        damageHomeOf("dir4", p -> {
            long at = p.inode(filled.ino("dir4"));
            p.putInt(at + InodeLayout.NLINK_OFFSET, 9);
            p.putLong(at + InodeLayout.ENTRY_COUNT_OFFSET, 70);
            p.putLong(at + InodeLayout.PARENT_OFFSET, filled.ino("dir5"));
            p.sealInode(at);
        });
        String name = "/dir4 (" + inode(filled.ino("dir4")) + ")";
        CheckReport repaired = foundAndMended("the directory " + name + " has the link count 9 and 1 subdirectories");
        says(repaired, "the directory " + name + " counts 70 entries and has 7");
        says(repaired, name + " says that its parent is " + inode(filled.ino("dir5")), "its name is in /");
    }

    @Test
    void aRootThatIsGone() throws IOException {
        damage(0, p -> p.putInt(p.inode(ROOT) + InodeLayout.MAGIC_OFFSET, 0));
        CheckReport repaired = foundAndMended("there is no root directory");
        says(repaired, "the directory / (inode 1) counts 0 entries and has 12");
    }

    @Test
    void anInodeNumberThatCouldBeGivenAgain() throws IOException {
        int shard = InodeNumber.shard(filled.ino("f10"));
        damageHomeOf("f10", p -> p.putLong(p.zone(ZoneKind.SESSION_TABLE).offset() + 8L * shard, 2));
        foundAndMended("has an index that shard " + shard + " has not given yet (its mark is 2)");
    }

    // ------------------------------------------------------------------------------------------------ names

    @Test
    void aNameWithAWrongChecksum() throws IOException {
        damage(0, p -> p.flip(p.dentry(ROOT, "short") + DentryLayout.CHILD_OFFSET));
        CheckReport repaired =
                foundAndMended("the slot of a directory entry has a wrong checksum (name 'short')", "it is cleared");
        says(
                repaired,
                inode(filled.ino("short")) + " is a file with the link count 1 and without a name",
                "/lost+found/#");
    }

    @Test
    void aNameOfNothing() throws IOException {
        long nothing = InodeNumber.of(1, 3000);
        damageHomeOf("dir2", p -> {
            long at = p.dentry(filled.ino("dir2"), "hard");
            p.putLong(at + DentryLayout.CHILD_OFFSET, nothing);
            p.sealDentry(at);
        });
        CheckReport repaired =
                foundAndMended("/dir2/hard names " + inode(nothing) + " of node 1, which does not exist");
        says(repaired, "has the link count 3 and 2 names");
    }

    @Test
    void aNameThatDisagreesAboutTheType() throws IOException {
        damage(0, p -> {
            long at = p.dentry(ROOT, "dir2");
            p.putInt(at + DentryLayout.TYPE_OFFSET, 0x8000);
            p.sealDentry(at);
        });
        foundAndMended("/dir2 says that it is a regular file, its inode", "that it is a directory");
    }

    @Test
    void aNameThatIsThereTwice() throws IOException {
        damage(0, p -> p.copy(p.dentry(ROOT, "plain"), p.freeSlot(PageKind.DENTRY_SMALL), 128));
        CheckReport repaired = foundAndMended("/plain is there twice");
        assertThat(repaired.errors())
                .as("%s", repaired)
                .noneSatisfy(e -> assertThat(e.toString()).contains("lost+found/#"));
    }

    @Test
    void twoNamesAtTheSamePlace() throws IOException {
        damage(0, p -> {
            long at = p.dentry(ROOT, "plain");
            p.putLong(at + DentryLayout.COOKIE_OFFSET, p.getLong(p.dentry(ROOT, "big") + DentryLayout.COOKIE_OFFSET));
            p.sealDentry(at);
        });
        foundAndMended("in its directory, as another name does", "it gets a new place");
    }

    @Test
    void aNameWithASlash() throws IOException {
        damage(0, p -> {
            long at = p.dentry(ROOT, "short");
            p.memory().set(ValueLayout.JAVA_BYTE, at + DentryLayout.NAME_OFFSET + 2, (byte) '/');
            p.sealDentry(at);
        });
        foundAndMended("the slot of a directory entry has the impossible name 'sh/rt'");
    }

    @Test
    void aNameInADirectoryThatDoesNotExist() throws IOException {
        damage(0, p -> {
            long at = p.dentry(ROOT, "short");
            p.putLong(at + DentryLayout.PARENT_OFFSET, InodeNumber.of(0, 4000));
            p.sealDentry(at);
        });
        foundAndMended("the name 'short' is in a directory that does not exist");
    }

    @Test
    void aFileThatHasLostItsName() throws IOException {
        damage(0, p -> p.putLong(p.dentry(ROOT, "big"), 0));
        foundAndMended(
                inode(filled.ino("big")) + " is a file with the link count 1 and without a name",
                "it becomes /lost+found/#" + filled.ino("big"));
    }

    @Test
    void aDirectoryThatHasLostItsName() throws IOException {
        damage(0, p -> p.putLong(p.dentry(ROOT, "dir3"), 0));
        CheckReport repaired = foundAndMended(
                inode(filled.ino("dir3")) + " is a directory with the link count 3 and without a name",
                "it becomes /lost+found/#" + filled.ino("dir3"));
        assertThat(repaired.errors()).as("%s", repaired).hasSize(3);
    }

    @Test
    void aDirectoryInsideItself() throws IOException {
        // dir_n is moved into a directory below it whose entries live where the root's do.
        int n = subWithHomeOfRoot();
        damage(0, p -> {
            long at = p.dentry(ROOT, "dir" + n);
            p.putLong(at + DentryLayout.PARENT_OFFSET, filled.ino("sub" + n));
            p.sealDentry(at);
        });
        CheckReport repaired = foundAndMended("is inside itself", "is removed, and it becomes /lost+found/#");
        assertThat(repaired.counts().inodes())
                .isEqualTo(check(CheckOptions.defaults()).counts().inodes());
    }

    private int subWithHomeOfRoot() {
        for (int i = 0; i < 6; i++) {
            if (filled.home("sub" + i) == 0) {
                return i;
            }
        }
        throw new AssertionError("none of six directories lives with the root");
    }

    @Test
    void aDirectoryWithTwoNames() throws IOException {
        damage(0, p -> {
            long at = p.dentry(ROOT, "short");
            p.putLong(at + DentryLayout.CHILD_OFFSET, filled.ino("sub2"));
            p.putInt(at + DentryLayout.TYPE_OFFSET, 0x4000);
            p.sealDentry(at);
        });
        foundAndMended("the directory " + inode(filled.ino("sub2")) + " has a second name, /short");
    }

    // ------------------------------------------------------------------------------------------------ content

    @Test
    void blocksOfTwoFiles() throws IOException {
        long taken = location("plain", 1);
        damageHomeOf("f11", p -> {
            long at = p.entry(filled.ino("f11"), 0);
            p.putLong(at, taken);
            p.sealInode(p.inode(filled.ino("f11")));
        });
        CheckReport repaired = foundAndMended(
                "a block belongs to",
                "/hard (" + inode(filled.ino("plain")) + ") (its block 1) and to /dir1/f11",
                "the content is that of the first, by its checksum; in the second file bytes 0 to 4095 are lost");
        assertThat(repaired.counts().checkedBlocks()).isPositive();
    }

    @Test
    void aBlockOfTwoFilesWithTheSameContent() throws IOException {
        long taken = location("plain", 1);
        int checksum = checksum("plain", 1);
        damageHomeOf("f11", p -> {
            long at = p.entry(filled.ino("f11"), 0);
            p.putLong(at, taken);
            p.putInt(at + 8, checksum);
            p.sealInode(p.inode(filled.ino("f11")));
        });
        foundAndMended("a block belongs to", "the content fits both; the second one gets a copy");
    }

    private long location(String name, int block) throws IOException {
        long[] found = new long[1];
        damageHomeOf(name, p -> found[0] = p.getLong(p.entry(filled.ino(name), block)));
        return found[0];
    }

    private int checksum(String name, int block) throws IOException {
        int[] found = new int[1];
        damageHomeOf(name, p -> found[0] = p.getInt(p.entry(filled.ino(name), block) + 8));
        return found[0];
    }

    @Test
    void aBlockOutsideOfTheDataZone() throws IOException {
        damageHomeOf("big", p -> p.putLong(p.entry(filled.ino("big"), 300), BlockLocation.of(1, 3)));
        foundAndMended("block 300 of " + inode(filled.ino("big")), "which is no place in a data zone");
    }

    @Test
    void aBlockInAFreeSegment() throws IOException {
        long location = location("big", 700);
        damage(BlockLocation.node(location), p -> p.putInt(segmentWord(p, location), 0));
        foundAndMended(
                "/big (" + inode(filled.ino("big")) + ")",
                "which belongs to nobody",
                "the segment is given to shard 0");
    }

    @Test
    void aBlockInSomebodyElsesSegment() throws IOException {
        long location = location("big", 700);
        damage(BlockLocation.node(location), p -> p.putInt(segmentWord(p, location), 1 + 2));
        foundAndMended("/big (" + inode(filled.ino("big")) + ")", "which belongs to shard 2 and not to shard 0");
    }

    @Test
    void aSegmentOfAShardThatDoesNotExist() throws IOException {
        long location = location("big", 700);
        damage(BlockLocation.node(location), p -> p.putInt(segmentWord(p, location), 999));
        foundAndMended("is said to belong to shard 998, which does not exist");
    }

    private static long segmentWord(Surgeon pool, long location) {
        int segment = pool.pool().segmentTable().segmentIndexOf(BlockLocation.poolOffset(location));
        return pool.zone(ZoneKind.SEGMENT_TABLE).offset() + 8L * segment;
    }

    @Test
    void aCountOfBlocksThatIsWrong() throws IOException {
        damageHomeOf("big", p -> {
            long at = p.inode(filled.ino("big"));
            p.putLong(at + InodeLayout.BLOCKS_OFFSET, 1);
            p.sealInode(at);
        });
        foundAndMended(inode(filled.ino("big")) + " counts 1 blocks, its map has " + FilledPools.BIG_BYTES / 4096);
    }

    @Test
    void aPointerOfABlockMapIntoNowhere() throws IOException {
        damageHomeOf("big", p -> {
            long root = p.getLong(p.inode(filled.ino("big")) + InodeLayout.MAP_ROOT_OFFSET);
            p.putLong(root + 2 * 8, 12345);
        });
        CheckReport repaired = foundAndMended("the block map of " + inode(filled.ino("big"))
                + " refers to 12345, which is no free-standing metadata page");
        says(repaired, "counts 2304 blocks, its map has 2048");
    }

    @Test
    void aPageOfTwoBlockMaps() throws IOException {
        damageHomeOf("big", p -> {
            long root = p.getLong(p.inode(filled.ino("big")) + InodeLayout.MAP_ROOT_OFFSET);
            p.putLong(root + 2 * 8, p.getLong(root + 8));
        });
        foundAndMended("which is no free-standing metadata page", "that part of the file is cut off");
    }

    @Test
    void dataThatDoesNotMatchItsChecksum() throws IOException {
        long location = location("plain", 1);
        damage(BlockLocation.node(location), p -> p.flip(BlockLocation.poolOffset(location) + 100));
        assertThat(check(CheckOptions.defaults()).isClean()).isTrue();
        CheckReport report = check(CheckOptions.defaults().withData());
        says(report, "(" + inode(filled.ino("plain")) + ") at bytes 4096 to 8191 do not match their checksum");
        assertThat(report.errors()).hasSize(1);
        assertThat(repair().exitCode()).isEqualTo(4);
    }

    @Test
    void extendedAttributesThatCannotBeRead() throws IOException {
        damageHomeOf("dir1", p -> {
            long root = p.getLong(p.inode(filled.ino("dir1")) + InodeLayout.XATTR_ROOT_OFFSET);
            p.flip(p.getLong(root) + 50);
        });
        foundAndMended(
                "the extended attributes of " + inode(filled.ino("dir1")) + " cannot be read",
                "has a wrong checksum",
                "they are removed");
    }

    @Test
    void aLinkWithoutItsTarget() throws IOException {
        damageHomeOf("long", p -> p.putLong(p.inode(filled.ino("long")) + InodeLayout.MAP_ROOT_OFFSET, 0));
        damageHomeOf("long", p -> p.sealInode(p.inode(filled.ino("long"))));
        foundAndMended(
                "the target of the symbolic link " + inode(filled.ino("long")) + " cannot be read: there is none");
    }

    @Test
    void aKindOfPageThatDoesNotExist() throws IOException {
        damage(0, p -> {
            long page = (p.inode(ROOT) - p.zone(ZoneKind.METADATA).offset()) / 4096;
            p.putLong(p.zone(ZoneKind.PAGE_TABLE).offset() + page * 8, 77);
        });
        CheckReport repaired =
                foundAndMended("the page table has the word 0x4d", "by its content it is a page of inodes");
        assertThat(repaired.errors()).as("%s", repaired).hasSize(1);
    }

    // ------------------------------------------------------------------------------------------------ tables

    private static long usedReservation(Surgeon pool) {
        for (long at = pool.zone(ZoneKind.RESERVATION_TABLE).offset(); ; at += 32) {
            if (pool.getLong(at + 8) != 0) {
                return at;
            }
        }
    }

    private static void sealReservation(Surgeon pool, long at) {
        java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
        MemorySegment memory = pool.memory();
        crc.update(memory.asSlice(at, 12).asByteBuffer());
        crc.update(memory.asSlice(at + 16, 16).asByteBuffer());
        pool.putInt(at + 12, (int) crc.getValue());
    }

    @Test
    void aReservationWithAWrongChecksum() throws IOException {
        damage(0, p -> p.flip(usedReservation(p) + 16));
        foundAndMended("an entry of the reservation table has a wrong checksum", "it is removed");
    }

    @Test
    void aReservationOfABlockThatAFileHas() throws IOException {
        long location = location("big", 700);
        damage(0, p -> {
            long at = usedReservation(p);
            p.putLong(at, location);
            p.putInt(at + 8, 1);
            p.putLong(at + 24, p.getLong(at + 24) & (1L << 48) - 1);
            sealReservation(p, at);
        });
        foundAndMended("an entry of the reservation table lends", "which a file or another loan uses too");
    }

    @Test
    void aSessionWithAWrongChecksum() throws IOException {
        damage(0, p -> p.flip(session(p) + SessionHeaderLayout.CREATED_SEC_OFFSET));
        foundAndMended("of the session table has a wrong checksum", "mount it anew");
    }

    @Test
    void anOutcomeWithAWrongChecksum() throws IOException {
        damage(0, p -> {
            long client = p.getLong(session(p));
            long at = session(p) + SessionHeaderLayout.SIZE_BYTES;
            while (p.getLong(at) != client) {
                at += 64;
            }
            p.flip(at + 20);
        });
        foundAndMended("the outcome of the last request in slot", "has a wrong checksum");
    }

    private static long session(Surgeon pool) {
        long at = pool.zone(ZoneKind.SESSION_TABLE).offset() + IndexMarks.AREA_BYTES;
        while (pool.getInt(at + SessionHeaderLayout.MAGIC_OFFSET) == 0) {
            at += SessionHeaderLayout.SESSION_BYTES;
        }
        return at;
    }

    @Test
    void aLockRecordWithAWrongChecksum() throws IOException {
        damage(1, p -> p.putLong(p.zone(ZoneKind.LOCK_TABLE).offset() + 5L * LockRecordLayout.SIZE_BYTES, 17));
        foundAndMended("a record of the lock table has a wrong checksum");
    }

    @Test
    void oneBadSuperblockIsNoHarm() throws IOException {
        flip(1, 100);
        CheckReport report = check(CheckOptions.defaults());
        assertThat(report.isClean()).as("%s", report).isTrue();
        assertThat(report.toString()).contains("the primary superblock is bad; the other one is used");
        repair();
        assertThat(check(CheckOptions.defaults()).toString()).doesNotContain("superblock");
    }

    @Test
    void twoBadSuperblocksCannotBeMended() throws IOException {
        flip(1, 100);
        flip(1, 4096 + 100);
        CheckReport report = repair();
        says(report, "both superblocks of", "are damaged", "this cannot be mended here");
        assertThat(report.exitCode()).isEqualTo(4);
    }

    @Test
    void noPoolIsWrittenBeforeAllAreKnownToBeTheRightOnes() throws IOException {
        byte[][] before = new byte[paths.size()][];
        for (int i = 0; i < before.length; i++) {
            before[i] = superblocks(i);
        }
        List<PoolExpectation> expected = new ArrayList<>(Collections.nCopies(paths.size(), PoolExpectation.ANY));
        expected.set(paths.size() - 1, new PoolExpectation(UUID.randomUUID(), PoolExpectation.ANY_NODE));
        List<PmemMedium> media = open(OpenMode.SERVE);

        assertThatThrownBy(() -> ClusterCheck.repair(media, expected, CheckOptions.defaults()))
                .isInstanceOf(UncheckedIOException.class);

        for (int i = 0; i < before.length; i++) {
            assertThat(superblocks(i)).as("pool %d", i).isEqualTo(before[i]);
        }
    }

    private byte[] superblocks(int node) throws IOException {
        try (InputStream in = Files.newInputStream(paths.get(node))) {
            return in.readNBytes((int) SuperblockLayout.ZONE_BYTES);
        }
    }

    @Test
    void aLogThatIsBroken() throws IOException {
        // The copies were taken after a kill, so that their logs have records; the surgeon would replay them.
        try (PmemMedium medium = Media.open(paths.get(0), MediumKind.MAPPED, OpenMode.SERVE, FAST)) {
            assertThat(breakLog(medium)).isTrue();
        }
        CheckReport report = check(CheckOptions.defaults());
        says(report, "of the redo log is spoiled, though the later one", "checksum at pool offset");
        assertThat(report.exitCode()).isEqualTo(4);
        assertThat(repair().exitCode()).isEqualTo(4);
    }

    /** Spoils the first record that a head points to. */
    private static boolean breakLog(PmemMedium medium) {
        for (long at = 8192; at < medium.sizeBytes(); at += 64) {
            if (medium.memory().get(ValueLayout.JAVA_LONG, at + 8) == 1
                    && medium.memory().get(ValueLayout.JAVA_INT, at + 16) == 1
                    && medium.memory().get(ValueLayout.JAVA_LONG, at + 40) == 1) {
                medium.putInt(at, 0);
                return true;
            }
        }
        return false;
    }
}
