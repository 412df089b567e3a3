package org.octofs.tests.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenDirectory;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.FabricException;
import org.octofs.rpc.fabric.FabricFactory;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;

/**
 * Four clients move files and directories between directories on three servers, and every two seconds one server is killed and
 * started again. No entry is lost, none doubled, no lock is left, and {@code octofs fsck} finds nothing wrong.
 * {@code -Dslow=true} storms for two minutes.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterRenameStormTest {
    private static final Duration STORM = Duration.ofSeconds(Boolean.getBoolean("slow") ? 120 : 12);
    private static final Duration CYCLE = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int KILLS_MIN = 4;
    private static final int RENAMES_BETWEEN = 40;
    private static final int NODES = 3;
    private static final int CLIENTS = 4;
    private static final int DIRECTORIES = 12;
    private static final int OWN = 10;
    private static final int SHARED = 12;
    private static final int NOREPLACE = 1;

    private ServerFleet cluster;
    private final List<FsClient> clients = new ArrayList<>();
    private final List<Fabric> fabrics = new ArrayList<>();
    private final long[] directories = new long[DIRECTORIES];
    private final AtomicIntegerArray places = new AtomicIntegerArray(CLIENTS * OWN + SHARED);
    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final LongAdder renames = new LongAdder();

    @AfterEach
    void down() {
        over.set(true);
        // Nobody answers any more: only what they hold here is given back.
        clients.forEach(FsClient::close);
        fabrics.forEach(Fabric::close);
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void nothingIsLostAndNothingDoubled() throws Exception {
        long seed = System.nanoTime();
        System.out.println("rename storm with seed " + seed);
        cluster = new ServerFleet(NODES, 128L << 20);
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(connect("storm " + i));
        }
        fill(clients.getFirst());
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int client = i;
            threads.add(Thread.ofPlatform().start(() -> storm(client, new Random(seed + client))));
        }
        int kills = killAndStart(new Random(seed));
        over.set(true);
        for (Thread thread : threads) {
            assertThat(thread.join(PATIENCE)).as("a client ends").isTrue();
        }
        if (failure.get() != null) {
            throw new AssertionError("a client failed", failure.get());
        }
        System.out.println("rename storm: " + renames.sum() + " renames, " + kills + " kills");
        FsClient other = connect("check");
        clients.add(other);
        checkTree(other);
        everythingMovesOnceMore(other);
        checkTree(other);
        noLockIsLeft();
    }

    private FsClient connect(String name) throws IOException, FabricException {
        SecureRandom random = new SecureRandom();
        Fabric fabric = FabricFactory.create(FabricConfig.defaults(
                name,
                System::nanoTime,
                random::nextLong,
                Thread.ofPlatform().daemon().factory()));
        fabrics.add(fabric);
        return FsClient.connect(
                cluster.map(),
                ClientConfig.builder()
                        .fabric(fabric)
                        .transport(TransportChoice.AUTO)
                        .operationDeadline(PATIENCE)
                        .build());
    }

    // ------------------------------------------------------------------------------------------------ names

    /** Every third one is a directory, which makes its parent's link counts part of it. */
    private static boolean isDirectory(int token) {
        return token % 3 == 0;
    }

    private static byte[] name(int token) {
        return ("token" + token).getBytes(UTF_8);
    }

    private void fill(FsClient client) throws FsException {
        Attributes out = new Attributes();
        for (int i = 0; i < DIRECTORIES; i++) {
            client.mkdir(InodeNumber.ROOT, ("directory" + i).getBytes(UTF_8), 0755, 0, 0, out);
            directories[i] = out.ino();
        }
        assertThat(Arrays.stream(directories)
                        .map(ino -> InodeNumber.shard(ino) % NODES)
                        .distinct()
                        .count())
                .as("homes of the directories")
                .isEqualTo(NODES);
        for (int token = 0; token < places.length(); token++) {
            int place = token % DIRECTORIES;
            places.set(token, place);
            if (isDirectory(token)) {
                client.mkdir(directories[place], name(token), 0755, 0, 0, out);
            } else {
                client.release(client.create(directories[place], name(token), 0644, 0, 0, OpenFlags.RDWR, out));
            }
        }
    }

    // ------------------------------------------------------------------------------------------------ storm

    private void storm(int client, Random random) {
        try {
            while (!over.get() && failure.get() == null) {
                if (random.nextInt(3) == 0) {
                    moveShared(clients.get(client), CLIENTS * OWN + random.nextInt(SHARED), random);
                } else {
                    moveOwn(clients.get(client), client * OWN + random.nextInt(OWN), random);
                }
                renames.increment();
            }
        } catch (FsException | RuntimeException | Error e) {
            failure.compareAndSet(null, e);
        }
    }

    /** Nobody else moves it, so every move succeeds, and is seen. */
    private void moveOwn(FsClient client, int token, Random random) throws FsException {
        int from = places.get(token);
        int to = (from + 1 + random.nextInt(DIRECTORIES - 1)) % DIRECTORIES;
        client.rename(directories[from], name(token), directories[to], name(token), NOREPLACE);
        places.set(token, to);
        client.lookup(directories[to], name(token), new Attributes());
    }

    /** Others move it too: it may be somewhere else by now. */
    private void moveShared(FsClient client, int token, Random random) throws FsException {
        int from = random.nextInt(3) == 0 ? random.nextInt(DIRECTORIES) : places.get(token);
        int to = (from + 1 + random.nextInt(DIRECTORIES - 1)) % DIRECTORIES;
        try {
            client.rename(directories[from], name(token), directories[to], name(token), NOREPLACE);
            places.set(token, to);
        } catch (FsException e) {
            if (e.errno() != Errno.ENOENT && e.errno() != Errno.EEXIST) {
                throw e;
            }
        }
    }

    /** One server at a time: the next is killed when two seconds have passed, the last one serves, and something has moved. */
    private int killAndStart(Random random) throws IOException {
        long end = System.nanoTime() + STORM.toNanos();
        int kills = 0;
        for (long next = System.nanoTime(); kills < KILLS_MIN || System.nanoTime() - end < 0; kills++) {
            awaitRenames(next);
            int node = random.nextInt(NODES);
            cluster.kill(node);
            next = System.nanoTime() + CYCLE.toNanos();
            cluster.start(node);
            cluster.awaitServing(node);
        }
        awaitRenames(end);
        return kills;
    }

    private void awaitRenames(long untilNanos) {
        long before = renames.sum();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - untilNanos < 0 || renames.sum() < before + RENAMES_BETWEEN) {
            if (failure.get() != null) {
                throw new AssertionError("a client failed", failure.get());
            }
            assertThat(System.nanoTime() - deadline)
                    .as("the clients stand still")
                    .isNegative();
            Leftovers.pause();
        }
    }

    // ------------------------------------------------------------------------------------------------ afterwards

    private void checkTree(FsClient client) throws FsException {
        Map<String, Integer> found = new TreeMap<>();
        for (int i = 0; i < DIRECTORIES; i++) {
            int place = i;
            OpenDirectory open = client.openDirectory(directories[i]);
            client.readDirectory(open, 0, (ino, type, memory, offset, length, next) -> {
                String name = new String(memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE), UTF_8);
                if (!name.equals(".") && !name.equals("..")) {
                    assertThat(found.put(name, place))
                            .as("%s is in two directories", name)
                            .isNull();
                }
                return true;
            });
            client.releaseDirectory(open);
        }
        assertThat(found).hasSize(places.length());
        for (int token = 0; token < places.length(); token++) {
            String name = new String(name(token), UTF_8);
            assertThat(found).containsKey(name);
            if (token < CLIENTS * OWN) {
                assertThat(found.get(name)).as(name).isEqualTo(places.get(token));
            }
            places.set(token, found.get(name));
        }
    }

    private void everythingMovesOnceMore(FsClient client) throws FsException {
        Random random = new Random(1);
        for (int token = 0; token < places.length(); token++) {
            moveOwn(client, token, random);
        }
    }

    /** What was locked for the last moves is unlocked by and by; a pool that is stopped then says so. */
    private void noLockIsLeft() throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            for (int node = 0; node < NODES; node++) {
                cluster.kill(node);
            }
            String said = cluster.checkPools();
            if (!said.contains("in doubt")) {
                assertThat(said).contains(": clean");
                return;
            }
            assertThat(System.nanoTime() - deadline).as(said).isNegative();
            for (int node = 0; node < NODES; node++) {
                cluster.start(node);
            }
            for (int node = 0; node < NODES; node++) {
                cluster.awaitServing(node);
            }
        }
    }
}
