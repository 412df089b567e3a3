package org.octofs.client.client;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.octofs.client.link.Links;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.FileMode;
import org.octofs.rpc.protocol.InodeLayout;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.XattrFlags;
import org.octofs.rpc.protocol.message.BytesReply;
import org.octofs.rpc.protocol.message.InodeReply;
import org.octofs.rpc.protocol.message.InodeRequest;
import org.octofs.rpc.protocol.message.XattrRequest;

/** Extended attributes and targets of symbolic links. Thread-safe. */
final class Xattrs {
    private static final int VALUE_BYTES_MAX = 65536;
    private static final byte[] NOTHING = {};
    private static final byte[] DEFAULT_LIST = "system.posix_acl_default".getBytes(StandardCharsets.US_ASCII);

    private final Metadata metadata;
    private final AccessTimes accessTimes;

    Xattrs(Metadata metadata, AccessTimes accessTimes) {
        this.metadata = metadata;
        this.accessTimes = accessTimes;
    }

    byte[] get(long ino, byte[] name) throws FsException {
        checkName(name);
        Attributes attributes = new Attributes();
        metadata.getAttributes(ino, attributes);
        if (!attributes.hasExtendedAttributes()) {
            throw new FsException(Errno.ENODATA);
        }
        return bytes(OpCode.GETXATTR, ino, request(ino, name, NOTHING, 0), name.length);
    }

    byte[] list(long ino) throws FsException {
        Attributes attributes = new Attributes();
        metadata.getAttributes(ino, attributes);
        if (!attributes.hasExtendedAttributes()) {
            return NOTHING;
        }
        return bytes(OpCode.LISTXATTR, ino, inodeRequest(ino), 0);
    }

    byte[] readlink(long ino) throws FsException {
        AtomicReference<byte[]> target = new AtomicReference<>();
        Attributes attributes = new Attributes();
        metadata.reader.read(ino, image -> {
            attributes.fillFrom(image, 0);
            if (attributes.isSymlink() && attributes.sizeBytes() <= InodeLayout.INLINE_BYTES) {
                target.set(image.asSlice(InodeLayout.INLINE_OFFSET, attributes.sizeBytes())
                        .toArray(java.lang.foreign.ValueLayout.JAVA_BYTE));
            }
        });
        if (target.get() == null && attributes.ino() == ino && !FileMode.isSymlink(attributes.mode())) {
            throw new FsException(Errno.EINVAL);
        }
        byte[] found = target.get() != null ? target.get() : bytes(OpCode.READLINK, ino, inodeRequest(ino), 0);
        if (attributes.ino() != ino) {
            metadata.getAttributes(ino, attributes);
        }
        accessTimes.read(attributes);
        return found;
    }

    void set(long ino, byte[] name, byte[] value, int flags) throws FsException {
        checkName(name);
        if (value.length > VALUE_BYTES_MAX) {
            throw new FsException(Errno.E2BIG);
        }
        change(OpCode.SETXATTR, ino, request(ino, name, value, flags), name.length + value.length);
    }

    void remove(long ino, byte[] name) throws FsException {
        checkName(name);
        change(OpCode.REMOVEXATTR, ino, request(ino, name, NOTHING, 0), name.length);
    }

    /** A new directory gets the default access control list of its parent, and from it the one that is checked. */
    void inherit(long parent, long directory, Attributes out) throws FsException {
        byte[] list;
        try {
            list = get(parent, DEFAULT_LIST);
        } catch (FsException e) {
            if (e.errno() == Errno.ENODATA) {
                return;
            }
            throw e;
        }
        int bytes = DEFAULT_LIST.length + list.length;
        change(OpCode.SETXATTR, directory, request(directory, DEFAULT_LIST, list, XattrFlags.INHERIT), bytes);
        metadata.getAttributes(directory, out);
    }

    private static void checkName(byte[] name) throws FsException {
        if (name.length == 0 || name.length > Metadata.NAME_BYTES_MAX) {
            throw new FsException(Errno.ERANGE);
        }
    }

    private static Links.Request inodeRequest(long ino) {
        return body -> new InodeRequest().wrap(body).ino(ino).bodyBytes();
    }

    private static Links.Request request(long ino, byte[] name, byte[] value, int flags) {
        return body -> new XattrRequest()
                .wrap(body)
                .ino(ino)
                .flags(flags)
                .reserved(0)
                .name(name, 0, name.length)
                .value(value, 0, value.length)
                .bodyBytes();
    }

    private byte[] bytes(int opCode, long ino, Links.Request request, int variableBytes) throws FsException {
        AtomicReference<byte[]> answer = new AtomicReference<>();
        metadata.links.call(
                metadata.links.home(ino),
                opCode,
                XattrRequest.FIXED_BYTES + variableBytes,
                metadata.links.deadline(),
                request,
                (status, body) -> {
                    Metadata.check(status, "operation " + opCode + " of inode " + ino);
                    answer.set(new BytesReply().wrap(body).value());
                });
        return answer.get();
    }

    private void change(int opCode, long ino, Links.Request request, int variableBytes) throws FsException {
        Attributes out = new Attributes();
        byte[] answer = new byte[InodeReply.FIXED_BYTES];
        metadata.links.call(
                metadata.links.home(ino),
                opCode,
                XattrRequest.FIXED_BYTES + variableBytes,
                metadata.links.deadline(),
                request,
                (status, body) -> {
                    Metadata.check(status, "operation " + opCode + " of inode " + ino);
                    metadata.takeInode(ino, body, out);
                    body.getBytes(0, answer, 0, answer.length);
                });
        metadata.changed(ino, answer, out);
    }
}
