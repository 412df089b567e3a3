package org.octofs.server.txn;

import java.util.ArrayList;
import java.util.List;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.MessageBuffer;
import org.octofs.rpc.protocol.message.CollectReply;

/** What one attempt of a transaction has asked of participants and holds locked there. Confined to the worker. */
final class Collected {
    private final Coordinator coordinator;
    private final List<CollectedNode> nodes = new ArrayList<>(3);
    private final List<RemoteInode> inodes = new ArrayList<>(4);
    private final List<Entry> entries = new ArrayList<>(2);

    Collected(Coordinator coordinator) {
        this.coordinator = coordinator;
    }

    /** The participants, in the order in which they were first asked. */
    List<CollectedNode> nodes() {
        return nodes;
    }

    /** Remembers to ask a node for something. */
    void want(int node, CollectedNode.Wanted wanted) {
        for (CollectedNode known : nodes) {
            if (known.node == node) {
                known.wanted.add(wanted);
                return;
            }
        }
        CollectedNode fresh = new CollectedNode(node);
        fresh.wanted.add(wanted);
        nodes.add(fresh);
    }

    /** Whether something was wanted that nobody has been asked for yet. */
    boolean hasMore() {
        for (CollectedNode node : nodes) {
            if (!node.wanted.isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** The inode with this number; null if there is none. */
    RemoteInode inode(long ino) {
        for (RemoteInode inode : inodes) {
            if (inode.ino == ino) {
                return inode;
            }
        }
        return null;
    }

    /** The only inode. */
    RemoteInode onlyInode() {
        return inodes.getFirst();
    }

    /** Takes what a participant has answered; the elements are in the order in which it was asked. */
    void take(CollectedNode node, List<CollectedNode.Wanted> asked, MessageBuffer body) {
        CollectReply reply = new CollectReply().wrap(body);
        node.releaseOffset = reply.releaseOffset();
        node.incarnation = reply.incarnation();
        for (int i = 0; i < asked.size(); i++) {
            int at = reply.element(i);
            long slot = body.getU64(at + CollectReply.SLOT_OFFSET);
            if (slot != 0) {
                take(node, body.getU64(at + CollectReply.INO_OFFSET), slot, body, at + CollectReply.IMAGE_OFFSET);
            }
            Entry entry = asked.get(i).entry();
            if (entry != null) {
                entry.slotOffset = body.getU64(at + CollectReply.ENTRY_SLOT_OFFSET);
                entry.cookie = body.getU64(at + CollectReply.COOKIE_OFFSET);
                entry.child = body.getU64(at + CollectReply.CHILD_OFFSET);
                entry.childType = body.getI32(at + CollectReply.CHILD_TYPE_OFFSET);
                entries.add(entry);
                long childSlot = body.getU64(at + CollectReply.CHILD_SLOT_OFFSET);
                if (childSlot != 0) {
                    take(node, entry.child, childSlot, body, at + CollectReply.CHILD_IMAGE_OFFSET);
                }
            }
        }
    }

    private void take(CollectedNode node, long ino, long slot, MessageBuffer body, int at) {
        if (inode(ino) == null) {
            RemoteInode inode = new RemoteInode(node.node, ino, slot);
            body.getBytes(at, inode.image, 0, InodeLayout.SIZE_BYTES);
            inodes.add(inode);
        }
    }

    /** What each participant has to write, in the order of {@link #nodes}. */
    List<Dispatch> dispatches(long txnId) {
        List<Dispatch> dispatches = new ArrayList<>(nodes.size());
        for (CollectedNode node : nodes) {
            dispatches.add(dispatch(txnId, node));
        }
        return dispatches;
    }

    private Dispatch dispatch(long txnId, CollectedNode node) {
        DispatchWrites writes = new DispatchWrites(node.releaseOffset);
        for (Entry entry : entries) {
            if (entry.node == node.node && entry.image != null) {
                writes.add(entry.slotOffset, entry.image, 0, Math.toIntExact(entry.image.byteSize()));
            }
        }
        for (RemoteInode inode : inodes) {
            if (inode.node == node.node) {
                // An inode that was only looked at needs its even version word back.
                if (inode.isChanged()) {
                    inode.seal();
                }
                inode.dispatch(writes);
            }
        }
        return new Dispatch(txnId, node.node, writes);
    }

    /** Whether a participant still is in the life in which it locked what it has locked, and can be written to. */
    boolean isSameLife(CollectedNode node) {
        return coordinator.peers().isReady(node.node) && coordinator.peers().incarnation(node.node) == node.incarnation;
    }

    /** Gives up what participants have locked, or may have, and forgets everything. */
    void giveBack(long txnId) {
        for (CollectedNode node : nodes) {
            if (node.waiting || node.unknown) {
                coordinator.abortByCall(node.node, txnId);
            } else if (node.releaseOffset != 0) {
                giveBack(node, txnId);
            }
        }
        nodes.clear();
        inodes.clear();
        entries.clear();
    }

    private void giveBack(CollectedNode node, long txnId) {
        int at = node.node;
        if (!isSameLife(node)) {
            coordinator.abortByCall(at, txnId);
            return;
        }
        DispatchWrites none = new DispatchWrites(node.releaseOffset);
        coordinator.peers().write(at, none.withRelease(ReleaseWord.aborted(txnId, node.incarnation)), success -> {
            if (!success) {
                coordinator.abortByCall(at, txnId);
            }
        });
    }
}
