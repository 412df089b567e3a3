package org.octofs.fuse.fuse;

import org.octofs.client.client.Attributes;
import org.octofs.client.lease.Arming;
import org.octofs.client.lease.KernelCache;
import org.octofs.client.lease.Leases;

/**
 * How long the kernel may keep what it is answered, under the client's leases, and having it drop that.
 *
 * <p>Threading: any thread; an answer belongs to its thread. Nothing is kept of attributes with writes that are not committed yet: the
 * commit changes times once more, and nobody would tell the kernel.
 */
final class Keeping {
    private static final double NANOS = 1e9;
    private static final int NOTHING_OF_THE_PAGES = -1;

    private final Leases leases;
    private final AdapterPolicy policy;

    Keeping(Leases leases, AdapterPolicy policy) {
        this.leases = leases;
        this.policy = policy;
    }

    /** The binding can make the kernel forget things. */
    void start(FuseBinding binding) {
        if (policy.leases()) {
            leases.start(new KernelCache() {
                @Override
                public boolean dropAttributes(long ino) {
                    return binding.invalidateInode(ino, NOTHING_OF_THE_PAGES, 0);
                }

                @Override
                public void dropName(long directory, byte[] name) {
                    // That the kernel knows no such name is as good.
                    binding.invalidateEntry(directory, name);
                }

                @Override
                public void lookUpAgain(long directory, byte[] name) {
                    binding.expireEntry(directory, name);
                }
            });
        }
    }

    /** The kernel is gone. */
    void stop() {
        leases.stop();
    }

    /** Before anything is read for an answer. */
    void begin(ClientTranslation translation) {
        if (leases.isOn()) {
            leases.begin(translation.arming);
        }
    }

    /** A name was found, and attributes were read. */
    void keep(RequestContext context, ClientTranslation translation, long parent, byte[] name, EntryReply out) {
        if (!leases.isOn() || isDots(name)) {
            return;
        }
        Arming arming = translation.arming;
        long names = leases.names(arming, parent, name);
        context.kept = arming.isArmed();
        out.attributesTimeoutSeconds = attributes(translation);
        out.entryTimeoutSeconds = leases.mayKeepName(arming) ? names / NANOS : 0;
        context.kept = arming.isArmed();
    }

    /** Attributes were read. */
    void keep(RequestContext context, ClientTranslation translation, AttributesReply out) {
        if (leases.isOn()) {
            out.timeoutSeconds = attributes(translation);
            context.kept = translation.arming.isArmed();
        }
    }

    private double attributes(ClientTranslation translation) {
        Attributes read = translation.attributes;
        return read.hasOwnWrites() ? 0 : leases.attributes(translation.arming, read.ino()) / NANOS;
    }

    /** The kernel was given the answer, or none. */
    void answered(ClientTranslation translation) {
        leases.answered(translation.arming);
    }

    private static boolean isDots(byte[] name) {
        return name.length <= 2 && name[0] == '.' && name[name.length - 1] == '.';
    }
}
