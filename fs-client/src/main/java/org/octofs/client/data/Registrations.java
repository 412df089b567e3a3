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
                    file.registrations++;
                    file.slotOffset = new InodeReply().wrap(body).slotOffset();
                    file.view(body.memory(), body.memoryOffset() + body.check(InodeReply.IMAGE_OFFSET, 256), false);
                });
    }

    /** Tells homes of files that have no handle any more; those that are busy at the moment go back to the worker. */
    void sendCloses(List<FileState> files, BackgroundWorker worker) {
        Map<Integer, List<Long>> byNode = new HashMap<>();
        for (FileState file : files) {
            long stamp = file.tryLockExclusive();
            if (stamp == 0) {
                if (!table.hasHandles(file)) {
                    worker.closed(file);
                }
                continue;
            }
            try {
                for (; file.registrations > 0 && !table.hasHandles(file); file.registrations--) {
                    byNode.computeIfAbsent(file.homeNode, n -> new ArrayList<>())
                            .add(file.ino);
                }
            } finally {
                file.unlockExclusive(stamp);
            }
        }
        byNode.forEach((node, inos) -> {
            try {
                sendCloses(node, inos);
            } catch (FsException e) {
                LOG.warn("node {} could not be told of {} closes: {}", node, inos.size(), e.getMessage());
            }
        });
    }

    private void sendCloses(int node, List<Long> inos) throws FsException {
        links.call(
                links.node(node),
                OpCode.CLOSE,
                CloseRequest.FIXED_BYTES + inos.size() * Long.BYTES,
                links.deadline(),
                body -> {
                    CloseRequest request =
                            new CloseRequest().wrap(body).reserved(0).inodesCount(inos.size());
                    for (int i = 0; i < inos.size(); i++) {
                        body.putU64(request.inodes(i), inos.get(i));
                    }
                    return request.bodyBytes();
                },
                (status, body) -> {
                    if (status != 0) {
                        LOG.warn("node {} answered {} to closes", node, Errno.of(status));
                    }
                });
    }

    /** Inodes that homes count as opened by us, as often as they do. */
    long[] opens(int node) {
        return table.registered(node).stream()
                .flatMapToLong(file -> LongStream.generate(() -> file.ino).limit(file.registrations))
                .toArray();
    }
}
