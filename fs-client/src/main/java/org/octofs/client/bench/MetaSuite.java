package org.octofs.client.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.ClientCounter;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.client.OpenDirectory;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.InodeNumber;

/** Rows of {@code bench meta} for one number of clients, in own directories or in one. One thread. */
final class MetaSuite implements AutoCloseable {
    private static final int MODE = 0600;
    private static final int DIRECTORY_MODE = 0700;

    /** A listing moves many entries; fewer of them are enough. */
    private static final int LISTINGS = 20;

    private final Report report;
    private final ServerWatch servers;
    private final int count;
    private final boolean shared;
    private final Crew crew;
    private final List<Member> members = new ArrayList<>();

    MetaSuite(
            Report report,
            ServerWatch servers,
            ClusterMap map,
            TransportChoice transport,
            int clients,
            int filesPerClient,
            boolean shared)
            throws IOException {
        this.report = report;
        this.servers = servers;
        this.count = filesPerClient;
        this.shared = shared;
        crew = new Crew(clients, System::nanoTime);
        boolean complete = false;
        try {
            for (int i = 0; i < clients; i++) {
                FsClient client = FsClient.connect(
                        map,
                        ClientConfig.builder()
                                .name("bench meta " + i)
                                .transport(transport)
                                .build());
                members.add(new Member(client, i));
            }
            byte[] common = bytes("meta." + ProcessHandle.current().pid());
            for (Member member : members) {
                member.enter(
                        shared
                                ? common
                                : bytes("meta." + member.number + "."
                                        + ProcessHandle.current().pid()));
            }
            complete = true;
        } finally {
            if (!complete) {
                close();
            }
        }
    }

    /** All phases, the first time for nobody. */
    void run() throws Exception {
        for (boolean counts : new boolean[] {false, true}) {
            phase(counts, "create", count, m -> m::create);
            phase(counts, "stat", count, m -> m::stat);
            phase(counts, "stat by inode", count, m -> m::statByInode);
            phase(counts, "readdir", Math.min(LISTINGS, count), m -> m::list);
            phase(counts, "rename", count, m -> m::rename);
            phase(counts, "unlink", count, m -> m::unlink);
            phase(counts, "mkdir", count, m -> m::mkdir);
            phase(counts, "rmdir", count, m -> m::rmdir);
        }
    }

    private void phase(boolean counts, String name, int times, Function<Member, Crew.Work> maker) throws Exception {
        List<Crew.Work> works = members.stream().map(maker).toList();
        ServerCounts before = servers.counts();
        long rpcs = clientCount(ClientCounter.RPCS);
        long reads = clientCount(ClientCounter.READ_VERBS);
        long writes = clientCount(ClientCounter.WRITE_VERBS);
        Crew.Result result = crew.times(works, times);
        ServerCounts spent = servers.counts().minus(before);
        if (!counts) {
            return;
        }
        double operations = result.count();
        report.add(new Row(name + (shared ? ", one directory" : ", own directories"))
                .with(Row.CALLERS, members.size())
                .with(Row.RATE, result.perSecond())
                .latency(result.nanos())
                .with("RPCs", (clientCount(ClientCounter.RPCS) - rpcs) / operations)
                .with("READs", (clientCount(ClientCounter.READ_VERBS) - reads) / operations)
                .with("WRITEs", (clientCount(ClientCounter.WRITE_VERBS) - writes) / operations)
                .with("served", spent.requests() / operations)
                .with("flushes", spent.flushes() / operations)
                .with("fences", spent.fences() / operations)
                .with("log B", spent.nonTemporalBytes() / operations)
                .with("worker us", spent.workerCpuNanos() / operations / 1e3)
                .with("server us", spent.processCpuNanos() / operations / 1e3));
    }

    private long clientCount(ClientCounter counter) {
        long sum = 0;
        for (Member member : members) {
            sum += member.client.counters().get(counter);
        }
        return sum;
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public void close() throws IOException {
        crew.close();
        IOException failure = null;
        for (Member member : members) {
            try {
                member.leave();
            } catch (IOException e) {
                failure = e;
            } finally {
                member.client.close();
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** One client. */
    private static final class Member {
        private final FsClient client;
        private final int number;
        private final Attributes attributes = new Attributes();
        private final List<Long> inodes = new ArrayList<>();
        private byte[] homeName;
        private long home;
        private boolean homeIsMine;

        Member(FsClient client, int number) {
            this.client = client;
            this.number = number;
        }

        void enter(byte[] name) throws IOException {
            homeName = name;
            if (number > 0 && isThere(name)) {
                return;
            }
            client.mkdir(InodeNumber.ROOT, name, DIRECTORY_MODE, 0, 0, attributes);
            home = attributes.ino();
            homeIsMine = true;
        }

        private boolean isThere(byte[] name) throws IOException {
            try {
                client.lookup(InodeNumber.ROOT, name, attributes);
                home = attributes.ino();
                return true;
            } catch (FsException e) {
                if (e.errno() == Errno.ENOENT) {
                    return false;
                }
                throw e;
            }
        }

        void leave() throws IOException {
            // The last one out: whoever made it goes first, and the others are done by then.
            if (homeIsMine) {
                client.rmdir(InodeNumber.ROOT, homeName);
            }
        }

        private byte[] name(char kind, long index) {
            return bytes("" + kind + number + "." + index);
        }

        void create(long index) throws IOException {
            int flags = OpenFlags.RDWR | OpenFlags.CREAT | OpenFlags.EXCL;
            OpenFile file = client.create(home, name('f', index), MODE, 0, 0, flags, attributes);
            client.release(file);
            if (index == 0) {
                inodes.clear();
            }
            inodes.add(attributes.ino());
        }

        void stat(long index) throws IOException {
            client.lookup(home, name('f', index), attributes);
        }

        void statByInode(long index) throws IOException {
            client.getAttributes(inodes.get((int) index), attributes);
        }

        void list(long index) throws IOException {
            OpenDirectory listing = client.openDirectory(home);
            long[] cookie = {0};
            boolean[] more = {true};
            while (more[0]) {
                more[0] = false;
                client.readDirectory(listing, cookie[0], (_, _, _, _, _, next) -> {
                    cookie[0] = next;
                    more[0] = true;
                    return true;
                });
            }
            client.releaseDirectory(listing);
        }

        void rename(long index) throws IOException {
            client.rename(home, name('f', index), home, name('g', index), 0);
        }

        void unlink(long index) throws IOException {
            client.unlink(home, name('g', index));
        }

        void mkdir(long index) throws IOException {
            client.mkdir(home, name('d', index), DIRECTORY_MODE, 0, 0, attributes);
        }

        void rmdir(long index) throws IOException {
            client.rmdir(home, name('d', index));
        }
    }
}
