package org.octofs.tests.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** fio writes blocks that carry their checksum and place, with two jobs at once, and finds each where it put it. */
class FioTest {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    /** The same over each transport. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    @Timeout(value = 4, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    abstract static class OverTransport {
        private final String transport;

        @AutoClose
        private SystemCluster cluster;

        OverTransport(String transport) {
            this.transport = transport;
        }

        @BeforeAll
        void up() {
            Shell.requirePrograms("fio");
            cluster = SystemCluster.up(2, "256M", transport, "");
        }

        @ParameterizedTest
        @CsvSource({
            "write,     4k, 12m, --direct=0",
            "randwrite, 4k, 12m, --direct=0",
            "write,     1m, 32m, --direct=0",
            "randwrite, 1m, 32m, --direct=0",
            "randwrite, 512-64k, 12m, --direct=0",
            "write,     4k, 6m,  --direct=1",
            "randwrite, 4k, 6m,  --direct=1",
            "randwrite, 64k, 16m, --direct=1 --fsync=16",
            "write,     1m, 32m, --direct=1",
            "randwrite, 1m, 32m, --direct=1",
            "write,     4k, 12m, --ioengine=mmap",
            "randwrite, 4k, 12m, --ioengine=mmap",
            "randwrite, 1m, 16m, --ioengine=mmap",
            "randrw,    16k, 16m, --direct=0 --rwmixread=50",
        })
        void whatIsWrittenIsFound(String pattern, String block, String size, String how) throws IOException {
            Path folder = Files.createTempDirectory(cluster.mount(), "fio");
            String sizes = block.contains("-") ? "--bsrange=" + block : "--bs=" + block;
            String output = Shell.bash(cluster.scratch(), PATIENCE, """
                            fio --name=job --directory="$1" --rw=$2 $3 --size=$4 $5 --numjobs=2 --verify=crc32c \
                              --verify_fatal=1 --verify_dump=0 --iomem_align=4096 --invalidate=1 --group_reporting \
                              --randseed=7
                            """, folder, pattern, sizes, size, how)
                    .succeeded()
                    .output();
            assertThat(output).contains("err= 0").contains("READ: bw=");
            Shell.bash(cluster.scratch(), PATIENCE, "rm -r \"$1\"", folder).succeeded();
        }
    }

    @Nested
    class OverSharedMemory extends OverTransport {
        OverSharedMemory() {
            super("shm");
        }
    }

    @Nested
    class OverTcp extends OverTransport {
        OverTcp() {
            super("tcp");
        }
    }
}
