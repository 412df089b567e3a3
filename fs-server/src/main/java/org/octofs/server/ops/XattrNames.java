package org.octofs.server.ops;

import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.message.XattrRequest;

/** Checks that the requests about extended attributes share. */
final class XattrNames {
    static final int NAME_BYTES_MAX = 255;

    private XattrNames() {}

    /** A copy of the name: ERANGE unless it has 1 to 255 bytes, EINVAL with a NUL inside. */
    static byte[] read(XattrRequest message) {
        int length = message.nameLength();
        if (length < 1 || length > NAME_BYTES_MAX) {
            throw OperationException.of(Errno.ERANGE);
        }
        byte[] name = message.name();
        for (byte b : name) {
            if (b == 0) {
                throw OperationException.of(Errno.EINVAL);
            }
        }
        return name;
    }
}
