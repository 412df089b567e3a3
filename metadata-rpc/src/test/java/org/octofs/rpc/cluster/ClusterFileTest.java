package org.octofs.rpc.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A cluster file says what it describes, or what is wrong with it and where. */
class ClusterFileTest {
    private static final String GOOD = """
            cluster.id = 0d9c0b6e-6f6e-4c39-a3c5-0c5d0a7f6a11
            cluster.name = demo
            cluster.shards = 8
            node.0.address = 127.0.0.1:7400
            node.0.pool = /dev/shm/a b.pool
            node.1.address = [::1]:7401
            node.1.pool = /dev/shm/b.pool
            """;

    @TempDir
    Path folder;

    private ClusterMap read(String text) throws Exception {
        return ClusterFile.read(Files.writeString(folder.resolve("c.properties"), text));
    }

    @Test
    void readsWhatItWrites() throws Exception {
        ClusterMap map = read(GOOD);
        assertThat(map.id()).isEqualTo(UUID.fromString("0d9c0b6e-6f6e-4c39-a3c5-0c5d0a7f6a11"));
        assertThat(map.shardCount()).isEqualTo(8);
        assertThat(map.node(1)).isEqualTo(new ClusterNode(1, "::1", 7401, Path.of("/dev/shm/b.pool")));
        assertThat(map.homeOf(5)).isEqualTo(1);
        Path copy = folder.resolve("copy");
        ClusterFile.write(copy, map);
        assertThat(ClusterFile.read(copy)).isEqualTo(map);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cluster.id = 0d9c0b6e-6f6e-4c39-a3c5-0c5d0a7f6a11 | cluster.id = x      | cluster.id is 'x'
            cluster.shards = 8                                | cluster.shards = 0  | cluster.shards has 0
            cluster.shards = 8                                | cluster.shards = no | cluster.shards has 'no'
            cluster.shards = 8                                | cluster.shards = 513 | cluster.shards has 513, which is not in 1 to 512
            127.0.0.1:7400                                    | 127.0.0.1           | write host:port
            127.0.0.1:7400                                    | 127.0.0.1:70000     | not in 1 to 65535
            [::1]:7401                                        | 127.0.0.1:7400      | address of another node
            /dev/shm/b.pool                                   | b.pool              | absolute path
            node.1.pool                                       | node.1.pol          | node.1.pool is missing
            node.1.                                           | node.2.             | node.2.address is not known
            cluster.name                                      | cluster.nmae        | cluster.nmae is not known
            """)
    void namesTheFault(String from, String to, String message) {
        assertThatThrownBy(() -> read(GOOD.replace(from, to)))
                .isInstanceOf(ClusterFileException.class)
                .hasMessageContaining("c.properties")
                .hasMessageContaining(message);
    }

    @Test
    void saysWhenThereIsNoFile() {
        assertThatThrownBy(() -> ClusterFile.read(folder.resolve("none")))
                .isInstanceOf(ClusterFileException.class)
                .hasMessageContaining("no cluster file");
    }

    @Test
    void refusesNodeIdsThatDoNotMatchTheirPlace() {
        ClusterNode node = new ClusterNode(1, "h", 1, Path.of("/p"));
        assertThatThrownBy(() -> new ClusterMap(new UUID(1, 2), "n", 1, 4, List.of(node)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
