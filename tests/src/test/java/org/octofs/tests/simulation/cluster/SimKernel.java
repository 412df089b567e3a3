package org.octofs.tests.simulation.cluster;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.client.lease.Arming;
import org.octofs.client.lease.KernelCache;
import org.octofs.client.lease.Leases;
import org.octofs.tests.simulation.world.SimWorld;

/**
 * What Linux keeps of names and attributes above a client, with its ways: it gets round to an answer late, and counts from then; it drops by
 * itself what its own calls have changed, but not answers to earlier questions that are under way; it takes along what it keeps of a
 * name that it moves; names are dropped only when no call that changes names in the directory is under way.
 */
public final class SimKernel implements KernelCache {
    private static final long PAUSE_NANOS = 50_000;
    private static final int LATE_ONE_IN = 8;
    private static final long LATE_NANOS_MAX = 900_000_000L;

    private record Key(long directory, String name) {}

    private record Name(long ino, long validUntil) {}

    private record Kept(Attributes attributes, long validUntil) {}

    private final SimCluster cluster;
    private final SimWorld world;
    private final Map<Key, Name> names = new HashMap<>();
    private final Map<Long, Kept> attributes = new HashMap<>();
    private final Map<Key, Long> nameDrops = new HashMap<>();
    private final Map<Long, Long> attributeDrops = new HashMap<>();
    private final Set<Long> known = new HashSet<>();
    private final List<Long> changing = new ArrayList<>();
    private Leases leases;
    private long time;

    SimKernel(SimCluster cluster) {
        this.cluster = cluster;
        this.world = cluster.world();
    }

    void start(FsClient client) {
        leases = client.leases();
        leases.start(this);
    }

    // Looks.

    /** As {@link FsClient#lookup}. */
    public void lookup(FsClient client, long directory, byte[] name, Attributes out) throws FsException {
        Key key = new Key(directory, Arrays.toString(name));
        Name found = names.get(key);
        if (found != null && world.now() < found.validUntil) {
            Kept kept = attributes.get(found.ino);
            if (kept != null && world.now() < kept.validUntil) {
                cluster.answeredFromKept();
                out.copy(kept.attributes);
                return;
            }
        }
        long asked = ++time;
        Arming arming = new Arming();
        long nameNanos;
        long attributeNanos;
        leases.begin(arming);
        try {
            client.lookup(directory, name, out);
            nameNanos = leases.names(arming, directory, name);
            attributeNanos = out.hasOwnWrites() ? 0 : leases.attributes(arming, out.ino());
            nameNanos = leases.mayKeepName(arming) ? nameNanos : 0;
        } finally {
            leases.answered(arming);
        }
        beLate();
        if (nameNanos > 0 && nameDrops.getOrDefault(key, 0L) < asked) {
            names.put(key, new Name(out.ino(), world.now() + nameNanos));
        }
        keep(out, asked, attributeNanos);
    }

    /** As {@link FsClient#getAttributes}. */
    public void getAttributes(FsClient client, long ino, Attributes out) throws FsException {
        Kept kept = attributes.get(ino);
        if (kept != null && world.now() < kept.validUntil) {
            cluster.answeredFromKept();
            out.copy(kept.attributes);
            return;
        }
        long asked = ++time;
        known.add(ino);
        Arming arming = new Arming();
        long nanos;
        leases.begin(arming);
        try {
            client.getAttributes(ino, out);
            nanos = out.hasOwnWrites() ? 0 : leases.attributes(arming, ino);
        } finally {
            leases.answered(arming);
        }
        beLate();
        keep(out, asked, nanos);
    }

    private void beLate() {
        if (world.random().nextInt(LATE_ONE_IN) == 0) {
            LockSupport.parkNanos(1 + world.random().nextLong(LATE_NANOS_MAX));
        }
    }

    private void keep(Attributes read, long asked, long nanos) {
        known.add(read.ino());
        if (attributeDrops.getOrDefault(read.ino(), 0L) < asked) {
            Attributes copy = new Attributes();
            copy.copy(read);
            attributes.put(read.ino(), new Kept(copy, world.now() + nanos));
        }
    }

    // Own changes.

    /** A call that changes names of directories begins, or has ended. */
    public void changing(boolean begins, long... directories) {
        for (long directory : directories) {
            if (begins) {
                changing.add(directory);
            } else {
                changing.remove(directory);
                attributes.remove(directory);
            }
        }
    }

    /** A name is gone. */
    public void removed(long directory, byte[] name) {
        Key key = new Key(directory, Arrays.toString(name));
        nameDrops.put(key, ++time);
        Name gone = names.remove(key);
        if (gone != null) {
            changed(gone.ino, true);
        }
    }

    /** A name was moved, or two were swapped. */
    public void moved(long directory, byte[] name, long target, byte[] targetName, boolean swapped) {
        Key from = new Key(directory, Arrays.toString(name));
        Key to = new Key(target, Arrays.toString(targetName));
        Name moved = names.remove(from);
        Name replaced = names.remove(to);
        nameDrops.put(from, ++time);
        nameDrops.put(to, time);
        if (moved != null) {
            names.put(to, moved);
            changed(moved.ino, false);
        }
        if (replaced != null) {
            changed(replaced.ino, !swapped);
            if (swapped) {
                names.put(from, replaced);
            }
        }
    }

    /** An inode was changed by a call; {@code outdates} if answers under way are outdated by that, too. */
    public void changed(long ino, boolean outdates) {
        attributes.remove(ino);
        if (outdates) {
            attributeDrops.put(ino, ++time);
        }
    }

    // What the client does.

    @Override
    public boolean dropAttributes(long ino) {
        if (!known.contains(ino)) {
            return false;
        }
        changed(ino, true);
        return true;
    }

    @Override
    public void dropName(long directory, byte[] name) {
        while (changing.contains(directory)) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        Key key = new Key(directory, Arrays.toString(name));
        nameDrops.put(key, ++time);
        names.remove(key);
    }

    @Override
    public void lookUpAgain(long directory, byte[] name) {
        dropName(directory, name);
    }
}
