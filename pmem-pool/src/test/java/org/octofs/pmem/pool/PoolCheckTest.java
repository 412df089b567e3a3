package org.octofs.pmem.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.layout.LogHeadLayout;
import org.octofs.pmem.layout.SegmentTableLayout;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.LogRecord;
import org.octofs.pmem.log.ReplayVisitor;
import org.octofs.pmem.medium.Progress;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.pmem.pool.PoolCheck.Finding;
import org.octofs.pmem.pool.PoolCheck.Severity;

/** The check finds each kind of damage, calls what a crash leaves by its name, and changes nothing. */
class PoolCheckTest {
    private static final PoolIdentity IDENTITY = new PoolIdentity(new UUID(1, 2), 0, 1, 4);

    private final RecordingMedium medium = new RecordingMedium(1 << 20);
    private PoolGeometry geometry;

    @BeforeEach
    void serveAndCrash() throws IOException {
        PoolFormatter.format(medium, IDENTITY, GeometryOptions.tinyDefaults(), 1, Progress.NONE);
        PmemPool pool = PmemPool.open(new Unclosed(medium), PoolExpectation.ANY);
        geometry = pool.geometry();
        pool.redoLog().replay(ReplayVisitor.NONE);
        for (int i = 0; i < 3; i++) {
            LogRecord r = pool.redoLog().begin(1);
            pool.segmentTable().stageAssign(r, i, i);
            pool.redoLog().commit(r);
            pool.redoLog().apply(r);
        }
        pool.abandon();
    }

    private List<Finding> check() {
        MemorySegment before = RecordingMedium.of(medium.memory()).memory();
        List<Finding> findings = PoolCheck.check(medium);
        assertThat(medium.memory().mismatch(before)).as("first byte changed").isEqualTo(-1);
        return findings;
    }

    private void assertDamage(String... words) {
        assertThat(check())
                .filteredOn(finding -> finding.severity() == Severity.DAMAGE)
                .singleElement()
                .extracting(Finding::text)
                .asString()
                .contains(words);
    }

    @Test
    void afterACrashThereAreOnlyNotes() {
        assertThat(check())
                .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.NOTE))
                .extracting(Finding::text)
                .anySatisfy(text -> assertThat(text).contains("3 records"))
                .anySatisfy(text -> assertThat(text).contains("did not close"));
    }

    @Test
    void afterAnOrderlyCloseThereIsNothing() throws IOException {
        PmemPool pool = PmemPool.open(new Unclosed(medium), PoolExpectation.ANY);
        pool.redoLog().replay(ReplayVisitor.NONE);
        pool.close();
        assertThat(check()).isEmpty();
    }

    @Test
    void whatIsNoPoolIsDamage() {
        medium.memory().asSlice(0, 8192).fill((byte) 0);
        assertDamage("not an OctoFS pool");
    }

    @Test
    void oneBadSuperblockIsANote() {
        medium.putByte(4096 + 50, (byte) 0x55);
        assertThat(check())
                .extracting(Finding::text)
                .anySatisfy(text -> assertThat(text).contains("backup superblock"));
    }

    @Test
    void anImpossibleOwnerIsDamage() {
        medium.putInt(geometry.zone(ZoneKind.SEGMENT_TABLE).offset() + 8L * 2 + SegmentTableLayout.OWNER_OFFSET, 5);
        assertDamage("segment 2", "owner");
    }

    @Test
    void wordsBehindTheSegmentTableAreDamage() {
        medium.putByte(geometry.zone(ZoneKind.SEGMENT_TABLE).endOffset() - 1, (byte) 1);
        assertDamage("goes on behind");
    }

    @Test
    void aSpoiledRecordInTheMiddleIsDamage() {
        medium.putByte(geometry.zone(ZoneKind.REDO_LOG).offset() + LogHeadLayout.RING_START + 128 + 70, (byte) 0x55);
        assertDamage("record 2", "is spoiled");
    }

    @Test
    void twoBadHeadsAreDamage() {
        long log = geometry.zone(ZoneKind.REDO_LOG).offset();
        medium.putByte(log + 30, (byte) 0x55);
        medium.putByte(log + 64 + 30, (byte) 0x55);
        assertDamage("both head slots");
    }
}
