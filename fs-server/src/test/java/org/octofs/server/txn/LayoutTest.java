package org.octofs.server.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.octofs.pmem.PoolCorruptException;
import org.octofs.server.store.MetaTransaction;
import org.octofs.server.store.RecordType;

/** Goal: lock records, release words and dispatches keep their bytes. Method: golden bytes, limits, round trips, one damage. */
class LayoutTest {
    @Test
    void recordHasRoomForItsObjectsAndAlignedWords() {
        assertThat(LockRecordLayout.OBJECTS_OFFSET + LockRecordLayout.OBJECTS_MAX * LockRecordLayout.OBJECT_BYTES)
                .isLessThanOrEqualTo(LockRecordLayout.SIZE_BYTES);
        assertThat(LockRecordLayout.LOCK_WORD_OFFSET % 8).isZero();
        assertThat(LockRecordLayout.RELEASE_WORD_OFFSET % 8).isZero();
        assertThat(LockRecordLayout.SIZE_BYTES % 64).isZero();
    }

    @Test
    void formatsPageSaysTheSame() throws IOException {
        String page = Files.readString(Path.of(System.getProperty("octofs.root"), "docs", "formats.md"));
        String section = page.substring(page.indexOf("### LockRecordLayout"), page.indexOf("### DISTRIBUTED"));
        assertThat(section)
                .contains(
                        LockRecordLayout.SIZE_BYTES + " bytes, in the LOCK_TABLE",
                        "| " + LockRecordLayout.LOCK_WORD_OFFSET + " | 8 | LOCK_WORD |",
                        "| " + LockRecordLayout.RELEASE_WORD_OFFSET + " | 8 | RELEASE_WORD |",
                        "| " + LockRecordLayout.CHECKSUM_OFFSET + " | 4 | CHECKSUM |",
                        "| " + LockRecordLayout.COUNT_OFFSET + " | 4 | COUNT | objects, at most "
                                + LockRecordLayout.OBJECTS_MAX,
                        "| " + LockRecordLayout.OBJECTS_OFFSET + " | "
                                + LockRecordLayout.OBJECTS_MAX * LockRecordLayout.OBJECT_BYTES + " | OBJECTS |",
                        LockRecordLayout.INODE + " an inode",
                        LockRecordLayout.NEW_INODE + " a slot taken for a new inode",
                        LockRecordLayout.DENTRY + " a dentry",
                        LockRecordLayout.NEW_DENTRY + " a slot taken for a",
                        LockRecordLayout.TOKEN + " a number without a slot");
    }

    @Test
    void recordHasGoldenBytesAndIsReadBack() {
        try (TxnCluster cluster = new TxnCluster(2, 1)) {
            TxnNode node = cluster.node(0);
            var zone = node.pool.zone(org.octofs.pmem.layout.ZoneKind.LOCK_TABLE);
            LockTable table = new LockTable(node.state.store(), zone.offset(), zone.lengthBytes());
            HeldLock held = new HeldLock(TransactionId.of(1, 2, 3), table.take(), 7, 0, false);
            held.add(LockRecordLayout.INODE, 0x12340, 0x5678);
            held.add(LockRecordLayout.TOKEN, 0, RenameMutex.TOKEN);
            MetaTransaction tx = node.state.begin(RecordType.LOCK);
            table.stage(tx, held);
            tx.commit();
            byte[] bytes = new byte[64];
            MemorySegment.copy(node.medium.memory(), table.recordOffset(0), MemorySegment.ofArray(bytes), 0, 64);
            assertThat(HexFormat.of().formatHex(bytes))
                    .isEqualTo(
                            "0300000002000100" // lock word: number, incarnation, node
                                    + "0000000000000000" // release word
                                    + "615f7c7a" + "02000000" // checksum, count
                                    + "4123010000000000" + "7856000000000000"
                                    + "0500000000000000" + "ffffffffffff0000"
                                    + "0000000000000000");
            LockTable other = new LockTable(node.state.store(), zone.offset(), zone.lengthBytes());
            HeldLock[] found = new HeldLock[1];
            other.recover(8, 0, record -> found[0] = record);
            assertThat(found[0].txnId).isEqualTo(held.txnId);
            assertThat(found[0].inDoubt).isTrue();
            assertThat(found[0].count()).isEqualTo(2);
            assertThat(found[0].slot(0)).isEqualTo(0x12340);
            assertThat(found[0].kind(1)).isEqualTo(LockRecordLayout.TOKEN);
            // A released word is no damage, a changed object is.
            node.medium.putLong(table.releaseOffset(0), 99);
            other.recover(8, 0, record -> found[0] = record);
            node.medium.putLong(table.recordOffset(0) + LockRecordLayout.OBJECTS_OFFSET + 8, 99);
            assertThatThrownBy(() -> other.recover(8, 0, record -> {})).isInstanceOf(PoolCorruptException.class);
        }
    }

    @Test
    void releaseWordsAreAllDifferentAndNeverNothing() {
        Set<Long> words = new HashSet<>();
        int count = 0;
        for (int node = 0; node < 3; node++) {
            for (int number = 1; number < 50; number++) {
                for (int incarnation = 1; incarnation < 5; incarnation++) {
                    long txnId = TransactionId.of(node, 1, number);
                    words.add(ReleaseWord.committed(txnId, incarnation));
                    words.add(ReleaseWord.aborted(txnId, incarnation));
                    count += 2;
                }
            }
        }
        assertThat(words).hasSize(count).doesNotContain(0L);
    }

    @Test
    void transactionIdKeepsItsParts() {
        long id = TransactionId.of(513, 0x1_0007, 0x1_0000_0009L);
        assertThat(TransactionId.node(id)).isEqualTo(513);
        assertThat(TransactionId.incarnation(id)).isEqualTo(7);
        assertThat(TransactionId.toString(id)).isEqualTo("513.7.9");
    }

    @Test
    void dispatchIsReadBackFromItsPayload() {
        DispatchWrites writes = new DispatchWrites(0x4008);
        byte[] image = new byte[333];
        for (int i = 0; i < image.length; i++) {
            image[i] = (byte) i;
        }
        for (int i = 0; i < 10; i++) {
            writes.add(0x10000 + i * 512L, MemorySegment.ofArray(image), i, 300 + i);
            writes.addLong(0x20000 + i, 77 + i);
        }
        DispatchWrites again = DispatchWrites.decode(writes.segment().asSlice(0, writes.encodedBytes()));
        assertThat(again.releaseOffset()).isEqualTo(0x4008);
        assertThat(again.count()).isEqualTo(20);
        for (int i = 0; i < 20; i++) {
            assertThat(again.poolOffset(i)).isEqualTo(writes.poolOffset(i));
            assertThat(again.length(i)).isEqualTo(writes.length(i));
            assertThat(again.segment()
                            .asSlice(again.position(i), again.length(i))
                            .mismatch(writes.segment().asSlice(writes.position(i), writes.length(i))))
                    .isEqualTo(-1);
        }
        DispatchWrites complete = again.withRelease(5);
        assertThat(complete.count()).isEqualTo(21);
        assertThat(complete.poolOffset(20)).isEqualTo(0x4008);
        assertThat(again.count()).isEqualTo(20);
    }

    @Test
    void tornDispatchIsNoticed() {
        DispatchWrites writes = new DispatchWrites(8);
        writes.addLong(16, 1);
        assertThatThrownBy(() -> DispatchWrites.decode(writes.segment().asSlice(0, writes.encodedBytes() - 8)))
                .isInstanceOf(IllegalStateException.class);
    }
}
