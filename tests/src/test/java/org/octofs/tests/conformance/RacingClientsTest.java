package org.octofs.tests.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.octofs.tests.conformance.NamespaceTest.name;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.protocol.Errno;
import org.octofs.tests.support.LocalCluster;

/**
 * Clients make, find, move and remove the same names in directories that stay. A name that changes between the two steps of an
 * operation (its entry, then an inode that is at home elsewhere) is no reason to fail: nobody sees ESTALE.
 */
class RacingClientsTest {
    private static final int CLIENTS = 3;
    private static final int STEPS = 5000;
    private static final Set<Errno> USUAL =
            EnumSet.of(Errno.ENOENT, Errno.EEXIST, Errno.ENOTDIR, Errno.EISDIR, Errno.ENOTEMPTY);

    @Test
    @Timeout(value = 1, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void nobodySeesWhatIsGone() throws Exception {
        try (LocalCluster cluster = LocalCluster.start(2, LocalCluster.Transport.LOOPBACK);
                ExecutorService pool = Executors.newFixedThreadPool(CLIENTS)) {
            FsClient first = cluster.client();
            long[] directories = new long[4];
            for (int i = 0; i < directories.length; i++) {
                Attributes out = new Attributes();
                first.mkdir(1, name("d" + i), 0755, 0, 0, out);
                directories[i] = out.ino();
            }
            List<Callable<List<String>>> tasks = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                FsClient client = i == 0 ? first : cluster.client();
                Random random = new Random(i);
                tasks.add(() -> work(client, directories, random));
            }
            for (Future<List<String>> future : pool.invokeAll(tasks)) {
                assertThat(future.get()).isEmpty();
            }
        }
    }

    /** Answers what must not happen. */
    private static List<String> work(FsClient client, long[] directories, Random random) {
        List<String> wrong = new ArrayList<>();
        Attributes out = new Attributes();
        for (int step = 0; step < STEPS; step++) {
            long parent = directories[random.nextInt(directories.length)];
            long other = directories[random.nextInt(directories.length)];
            byte[] name = name("n" + random.nextInt(2));
            int kind = random.nextInt(8);
            try {
                switch (kind) {
                    case 0, 1 -> client.mkdir(parent, name, 0755, 0, 0, out);
                    case 2 -> client.rmdir(parent, name);
                    case 3 -> client.rename(parent, name, other, name("n" + random.nextInt(2)), 0);
                    case 4 -> client.release(client.create(parent, name, 0644, 0, 0, OpenFlags.RDWR, out));
                    case 5 -> client.unlink(parent, name);
                    default -> client.lookup(parent, name, out);
                }
            } catch (FsException e) {
                if (!USUAL.contains(e.errno())) {
                    wrong.add("call " + kind + ": " + e.errno());
                }
            }
        }
        return wrong;
    }
}
