package org.octofs.client.bench;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.ClientConfig;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.OpenFile;
import org.octofs.client.client.OpenFlags;
import org.octofs.rpc.cluster.ClusterMap;
import org.octofs.rpc.fabric.TransportChoice;
import org.octofs.rpc.protocol.InodeNumber;

/** Callers of one cluster, each with a client, a directory and a file of its own; the directories' homes are the servers in turn. */
final class SpreadCallers implements AutoCloseable {
    private static final int FILE_BYTES = 32 << 20;
    private static final int LARGE = 1 << 20;
    private static final int PAGE_BYTES = 4096;
    private static final int MODE = 0600;
    private static final int DIRECTORY_MODE = 0700;
    private static final int TRIES = 4096;

    private final Arena arena = Arena.ofShared();
    private final List<Caller> callers = new ArrayList<>();

    SpreadCallers(ClusterMap map, TransportChoice transport, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            FsClient client = FsClient.connect(
                    map,
                    ClientConfig.builder()
                            .name("bench servers " + i)
                            .transport(transport)
                            .build());
            callers.add(new Caller(client, arena.allocate(LARGE, PAGE_BYTES).fill((byte) 4), map, i));
        }
    }

    /** What is measured. */
    enum Kind {
        /** A file's life. */
        CREATE("create, unlink"),
        /** A directory's. */
        MKDIR("mkdir, rmdir"),
        /** Sequential. */
        READ("read 1 MiB"),
        /** Sequential; durable in the end. */
        WRITE("write 1 MiB");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }

        boolean isData() {
            return this == READ || this == WRITE;
        }
    }

    List<Crew.Work> works(Kind kind) {
        return callers.stream().map(caller -> caller.work(kind)).toList();
    }

    /** Bytes of one operation on data. */
    static int bytes() {
        return LARGE;
    }

    @Override
    public void close() throws IOException {
        for (Caller caller : callers) {
            caller.close();
        }
        arena.close();
    }

    private static byte[] bytes(String name) {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    /** One of them. */
    private static final class Caller {
        private final FsClient client;
        private final MemorySegment buffer;
        private final Attributes attributes = new Attributes();
        private final long directory;
        private final OpenFile file;

        Caller(FsClient client, MemorySegment buffer, ClusterMap map, int number) throws IOException {
            this.client = client;
            this.buffer = buffer;
            directory = directoryAt(map, number);
            file = create(bytes("data"));
            for (int at = 0; at < FILE_BYTES; at += LARGE) {
                client.write(file, at, buffer, 0, LARGE);
            }
            client.fsync(file, true);
        }

        /** Where a directory goes is a hash of its name. */
        private long directoryAt(ClusterMap map, int number) throws IOException {
            int wanted = map.nodes().get(number % map.nodes().size()).id();
            for (int i = 0; i < TRIES; i++) {
                byte[] name = bytes("caller." + number + "." + i);
                client.mkdir(InodeNumber.ROOT, name, DIRECTORY_MODE, 0, 0, attributes);
                if (map.homeOf(InodeNumber.shard(attributes.ino())) == wanted) {
                    return attributes.ino();
                }
                client.rmdir(InodeNumber.ROOT, name);
            }
            throw new IOException("none of " + TRIES + " directories got server " + wanted + " as its home");
        }

        private OpenFile create(byte[] name) throws IOException {
            int flags = OpenFlags.RDWR | OpenFlags.CREAT | OpenFlags.EXCL;
            return client.create(directory, name, MODE, 0, 0, flags, attributes);
        }

        Crew.Work work(Kind kind) {
            return switch (kind) {
                case CREATE ->
                    index -> {
                        byte[] name = bytes("f" + index);
                        client.release(create(name));
                        client.unlink(directory, name);
                    };
                case MKDIR ->
                    index -> {
                        byte[] name = bytes("d" + index);
                        client.mkdir(directory, name, DIRECTORY_MODE, 0, 0, attributes);
                        client.rmdir(directory, name);
                    };
                case READ ->
                    index -> {
                        int got = client.read(file, place(index), buffer, 0, LARGE);
                        if (got != LARGE) {
                            throw new IOException("read " + got + " of " + LARGE + " bytes");
                        }
                    };
                case WRITE ->
                    new Crew.Work() {
                        @Override
                        public void run(long index) throws IOException {
                            client.write(file, place(index), buffer, 0, LARGE);
                        }

                        @Override
                        public void finish() throws IOException {
                            client.fsync(file, true);
                        }
                    };
            };
        }

        private static long place(long index) {
            return index % (FILE_BYTES / LARGE) * LARGE;
        }

        void close() throws IOException {
            client.release(file);
            client.close();
        }
    }
}
