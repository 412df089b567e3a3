package org.octofs.client.data;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.octofs.client.client.FsException;
import org.octofs.client.link.Links;
import org.octofs.client.link.Statuses;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.message.CloseRequest;
import org.octofs.rpc.protocol.message.InodeReply;
import org.octofs.rpc.protocol.message.OpenRequest;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens as the homes count them: one OPEN for the first handle of a file here, one CLOSE when none is left, later and in
 * company. Thread-safe.
 */
final class Registrations {
    private static final Logger LOG = LoggerFactory.getLogger(Registrations.class);

    private final Links links;
    private final FileTable table;

    Registrations(Links links, FileTable table) {
        this.links = links;
        this.table = table;
    }

    /** Tells the home; under the file's exclusive lock. */
    void register(FileState file, long deadline) throws FsException {
        links.call(
                links.home(file.ino),
                OpCode.OPEN,
                OpenRequest.FIXED_BYTES,
                deadline,
                body -> new OpenRequest()
                        .wrap(body)
                        .ino(file.ino)
                        .flags(0)
                        .reserved(0)
                        .bodyBytes(),
                (status, body) -> {
                    if (status != 0) {
                        throw Statuses.exception(status, "OPEN of inode " + file.ino);
                    }
                    file.registrations.incrementAndGet();
                    file.slotOffset = new InodeReply().wrap(body).slotOffset();
                    file.view(body.memory(), body.memoryOffset() + body.check(InodeReply.IMAGE_OFFSET, 256), false);
                });
    }

    /** Tells homes of files that have no handle any more; those that are busy at the moment go back to the worker. */
    void sendCloses(List<FileState> files, BackgroundWorker worker) {
        Map<Integer, List<FileState>> byNode = new HashMap<>();
        for (FileState file : files) {
            long stamp = file.tryLockExclusive();
            if (stamp == 0) {
                if (!table.hasHandles(file)) {
                    worker.closed(file);
                }
                continue;
            }
            try {
                while (file.registrations.get() > 0 && !table.hasHandles(file)) {
                    file.closing.incrementAndGet();
                    file.registrations.decrementAndGet();
                    byNode.computeIfAbsent(file.homeNode, n -> new ArrayList<>())
                            .add(file);
                }
            } finally {
                file.unlockExclusive(stamp);
            }
        }
        byNode.forEach((node, closed) -> {
            try {
                sendCloses(node, closed);
            } catch (FsException e) {
                LOG.warn("node {} could not be told of {} closes: {}", node, closed.size(), e.getMessage());
            } finally {
                closed.forEach(file -> file.closing.decrementAndGet());
            }
        });
    }

    private void sendCloses(int node, List<FileState> closed) throws FsException {
        links.call(
                links.node(node),
                OpCode.CLOSE,
                CloseRequest.FIXED_BYTES + closed.size() * Long.BYTES,
                links.deadline(),
                body -> {
                    CloseRequest request =
                            new CloseRequest().wrap(body).reserved(0).inodesCount(closed.size());
                    for (int i = 0; i < closed.size(); i++) {
                        body.putU64(request.inodes(i), closed.get(i).ino);
                    }
                    return request.bodyBytes();
                },
                (status, body) -> {
                    if (status != 0) {
                        LOG.warn("node {} answered {} to closes", node, Errno.of(status));
                    }
                });
    }

    /**
     * Inodes that homes count as opened by us, as often as they do. With those whose CLOSE is under way: a home that is told of
     * them takes them off when it comes, and would else take off an open that came after it.
     */
    long[] opens(int node) {
        return table.registered(node).stream()
                .flatMapToLong(file -> LongStream.generate(() -> file.ino).limit(file.registrationsAtMost()))
                .toArray();
    }
}
