package org.octofs.fuse.fuse;

import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsClient;
import org.octofs.client.client.FsException;
import org.octofs.rpc.protocol.Errno;

/**
 * Takes set-id bits off files whose contents or owner change, as HANDLE_KILLPRIV_V2 leaves it to us.
 *
 * <p>Thread-safe. Cost: one look at the attributes; a call only where there are such bits.
 */
final class PrivilegeDrops {
    private final FsClient client;

    PrivilegeDrops(FsClient client) {
        this.client = client;
    }

    /** With requests that, unlike a write, do not say whether the caller may keep set-id bits. */
    void atChangeUnlessRoot(RequestContext context, long inode) throws FsException {
        if (context.uid != 0) {
            atChange(context, inode);
        }
    }

    /** At a change of contents by somebody who may not keep them. */
    void atChange(RequestContext context, long inode) throws FsException {
        ClientTranslation translation = ClientTranslation.ofThread();
        client.getAttributes(inode, translation.attributes);
        int mode = translation.attributes.mode();
        if (PrivilegeBits.areIn(mode)) {
            int after = PrivilegeBits.afterChange(mode, translation.attributes.gid(), context);
            client.setAttributes(inode, translation.change.clear().mode(after), translation.attributes);
        }
    }

    /**
     * At a chown that names neither owner nor group. The same request comes before a write to a file with such bits, which
     * the write itself says once more. Only the first may change anything, so it is left to the owner; the kernel does not
     * say which of the two it is.
     *
     * @return whether there is anything to change
     * @throws FsException EPERM for somebody else's file that has bits to lose
     */
    boolean atOwnerlessChown(RequestContext context, long inode, AttributeChange change) throws FsException {
        Attributes now = ClientTranslation.ofThread().attributes;
        client.getAttributes(inode, now);
        if (context.uid != 0 && context.uid != now.uid() && losesAny(context, now)) {
            if (CallerSystemCall.isChown(context.pid)) {
                throw new FsException(Errno.EPERM);
            }
            return false;
        }
        change.killPrivileges();
        dropSetGroupOfOutsider(context, now, change);
        return true;
    }

    /** At a chown that names an owner or group. The home does all but what depends on the caller's groups. */
    void atChown(RequestContext context, long inode, AttributeChange change) throws FsException {
        if (context.uid != 0) {
            Attributes now = ClientTranslation.ofThread().attributes;
            client.getAttributes(inode, now);
            dropSetGroupOfOutsider(context, now, change);
        }
    }

    private static boolean losesAny(RequestContext context, Attributes now) {
        return !now.isDirectory()
                && PrivilegeBits.areIn(now.mode())
                && PrivilegeBits.afterChange(now.mode(), now.gid(), context) != now.mode();
    }

    private static void dropSetGroupOfOutsider(RequestContext context, Attributes now, AttributeChange change) {
        if (!now.isDirectory() && PrivilegeBits.losesSetGroup(now.mode(), now.gid(), context)) {
            change.mode(PrivilegeBits.afterChange(now.mode(), now.gid(), context));
        }
    }
}
