package org.octofs.server.namespace;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;
import org.octofs.server.testing.TestClient;
import org.octofs.server.testing.TestServer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Names in a directory of 2,000 files. */
@State(Scope.Thread)
public class DentryBenchmark {
    private static final int FILES = 2_000;
    private static final long POOL_BYTES = 64L << 20;

    private final byte[][] names = new byte[FILES][];
    private final byte[] missing = "some-file-name-that-is-not-there".getBytes(StandardCharsets.UTF_8);
    private final Name name = new Name();
    private final SplittableRandom random = new SplittableRandom(1);
    private TestServer world;
    private DentryTable dentries;

    @Setup
    public void create() {
        world = TestServer.create(POOL_BYTES);
        TestClient client = world.connect(11);
        for (int i = 0; i < FILES; i++) {
            String text = "some-file-name-" + i;
            if (client.create(InodeNumber.ROOT, text) != Errno.OK) {
                throw new IllegalStateException("file " + i + " cannot be made");
            }
            names[i] = text.getBytes(StandardCharsets.UTF_8);
        }
        dentries = world.server().state().dentries();
    }

    @TearDown
    public void remove() {
        world.close();
    }

    /** Its inode number, from the bytes of the name on. */
    @Benchmark
    public long found() {
        name.set(names[random.nextInt(FILES)]);
        int reference = dentries.find(InodeNumber.ROOT, name);
        if (reference == 0) {
            throw new IllegalStateException("a file is not found");
        }
        return dentries.child(reference);
    }

    /** A name that is not there. */
    @Benchmark
    public int missing() {
        name.set(missing);
        return dentries.find(InodeNumber.ROOT, name);
    }
}
