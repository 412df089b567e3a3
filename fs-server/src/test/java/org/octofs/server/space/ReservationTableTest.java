package org.octofs.server.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.pmem.layout.Zone;
import org.octofs.pmem.layout.ZoneKind;
import org.octofs.pmem.log.RedoLog;
import org.octofs.pmem.log.ReplayVisitor;
import org.octofs.pmem.medium.RecordingMedium;
import org.octofs.rpc.protocol.BlockLocation;
import org.octofs.server.store.MetaStore;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/** Goal: the format of a reservation, and what recovery makes of a broken one. */
class ReservationTableTest {
    private static final long ZONE = 512 << 10;

    private final RecordingMedium medium = new RecordingMedium(1 << 20);
    private final MetaStore store = store();
    private final MetaTransaction tx = new MetaTransaction(store);
    private final ReservationTable table = new ReservationTable(store, ZONE, 4096);

    private MetaStore store() {
        Zone log = new Zone(ZoneKind.REDO_LOG, 4096, 128 << 10);
        RedoLog.format(medium, log);
        RedoLog redo = new RedoLog(medium, log, 1);
        redo.replay(ReplayVisitor.NONE);
        return new MetaStore(
                medium,
                redo,
                new Zone(ZoneKind.METADATA, 256 << 10, 64 << 10),
                new Zone(ZoneKind.PAGE_TABLE, 384 << 10, 4096));
    }

    private void lend() {
        tx.begin(RecordType.RESERVATION);
        table.lend(tx, BlockLocation.of(3, 0x1234), 5, 0x1122_3344_5566_7788L, ReservationLayout.tag(7, 2, 9));
        tx.commit();
    }

    @Test
    void hasTheDocumentedBytes() {
        lend();
        assertThat(ReservationLayout.SIZE_BYTES).isEqualTo(32);
        assertThat(ReservationLayout.BLOCK_COUNT_OFFSET % 8).isZero();
        byte[] bytes = medium.memory().asSlice(ZONE, 32).toArray(ValueLayout.JAVA_BYTE);
        assertThat(HexFormat.of().formatHex(bytes))
                .matches("3412000000030000" + "05000000" + "[0-9a-f]{8}" + "8877665544332211" + "0900000000020700");
        assertThat(ReservationLayout.shardOfTag(ReservationLayout.tag(0xFFFF, 255, -1L)))
                .isEqualTo(0xFFFF);
    }

    @Test
    void aFreedEntryIsOneWordOfZero() {
        lend();
        tx.begin(RecordType.RESERVATION);
        assertThat(table.endLoans(tx, 0x1122_3344_5566_7788L, 0, 10, _ -> true, (_, _, _, _) -> {}))
                .isEqualTo(-1);
        tx.commit();
        assertThat(store.readLong(ZONE + ReservationLayout.BLOCK_COUNT_OFFSET)).isZero();
        assertThat(table.lentBlocks()).isZero();
    }

    @Test
    void aLoanOfAnAbortedTransactionIsNone() {
        tx.begin(RecordType.RESERVATION);
        table.lend(tx, BlockLocation.of(0, 512), 9, 1, 1);
        assertThat(table.lentBlocks()).isEqualTo(9);
        tx.abort();
        assertThat(table.lentBlocks()).isZero();
        assertThat(table.entries()).isZero();
        assertThat(store.readLong(ZONE + ReservationLayout.BLOCK_COUNT_OFFSET)).isZero();
    }

    @Test
    void recoveryRefusesABrokenEntry() {
        lend();
        ReservationTable again = new ReservationTable(store, ZONE, 4096);
        again.recover();
        assertThat(again.lentBlocks()).isEqualTo(5);
        medium.putByte(ZONE + ReservationLayout.CLIENT_ID_OFFSET, (byte) 1);
        assertThatThrownBy(() -> new ReservationTable(store, ZONE, 4096).recover())
                .isInstanceOf(PoolCorruptException.class)
                .hasMessageContaining("reservation");
    }
}
