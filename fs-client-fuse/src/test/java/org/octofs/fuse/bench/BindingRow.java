package org.octofs.fuse.bench;

import java.util.List;

/** What fio measures of a mount. Figures are MB/s. */
enum BindingRow {
    READ_1M("direct read 1 MiB", "--rw=read --bs=1m --direct=1"),
    READ_128K("direct read 128 KiB", "--rw=read --bs=128k --direct=1"),
    WRITE_1M("direct write 1 MiB", "--rw=write --bs=1m --direct=1"),
    WRITE_128K("direct write 128 KiB", "--rw=write --bs=128k --direct=1"),
    BUFFERED_READ_1M("buffered read 1 MiB", "--rw=read --bs=1m"),
    BUFFERED_READ_128K("buffered read 128 KiB", "--rw=read --bs=128k"),
    BUFFERED_WRITE_1M("buffered write 1 MiB", "--rw=write --bs=1m"),
    BUFFERED_WRITE_128K("buffered write 128 KiB", "--rw=write --bs=128k"),
    RANDOM_READ("random read 4 KiB", "--rw=randread --bs=4k --direct=1"),
    RANDOM_READ_16(
            "random read 4 KiB, 16 outstanding", "--rw=randread --bs=4k --direct=1 --ioengine=libaio --iodepth=16"),
    RANDOM_READ_2_JOBS("random read 4 KiB, 2 jobs", "--rw=randread --bs=4k --direct=1 --numjobs=2"),
    RANDOM_WRITE("random write 4 KiB", "--rw=randwrite --bs=4k --direct=1"),
    RANDOM_WRITE_16(
            "random write 4 KiB, 16 outstanding", "--rw=randwrite --bs=4k --direct=1 --ioengine=libaio --iodepth=16"),
    RANDOM_WRITE_2_JOBS("random write 4 KiB, 2 jobs", "--rw=randwrite --bs=4k --direct=1 --numjobs=2"),
    WRITE_FSYNC("write 4 KiB and fsync", "--rw=write --bs=4k --fsync=1");

    private final String words;
    private final String options;

    BindingRow(String words, String options) {
        this.words = words;
        this.options = options;
    }

    String words() {
        return words;
    }

    List<String> options() {
        return List.of(options.split(" ", -1));
    }

    /** Pages that are there would be read without asking anybody, so it may go over the file only once. */
    boolean isOnePass() {
        return this == BUFFERED_READ_1M || this == BUFFERED_READ_128K;
    }

    boolean reads() {
        return words.contains("read");
    }
}
