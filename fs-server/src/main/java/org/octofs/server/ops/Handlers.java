package org.octofs.server.ops;

import org.octofs.rpc.protocol.OpCode;

/** Which class serves which op code. */
public final class Handlers {
    private Handlers() {}

    /** Registers the operations on names, attributes and opens. */
    public static void registerNamespace(Dispatcher dispatcher, InodeChanges changes) {
        dispatcher
                .register(OpCode.NULL, new NullHandler())
                .register(OpCode.STATFS, new StatfsHandler())
                .register(OpCode.COUNTERS, new CountersHandler(dispatcher))
                .register(OpCode.LOOKUP, new LookupHandler())
                .register(OpCode.GETATTR, new GetAttributesHandler())
                .register(OpCode.SETATTR, new SetAttributesHandler())
                .register(OpCode.CREATE, new CreateHandler(changes))
                .register(OpCode.MKDIR, new MkdirHandler(changes))
                .register(OpCode.UNLINK, new UnlinkHandler(changes))
                .register(OpCode.RMDIR, new RmdirHandler(changes))
                .register(OpCode.RENAME, new RenameHandler(changes))
                .register(OpCode.LINK, new LinkHandler(changes))
                .register(OpCode.READLINK, new ReadlinkHandler())
                .register(OpCode.READDIR, new ReadDirectoryHandler())
                .register(OpCode.OPEN, new OpenHandler())
                .register(OpCode.CLOSE, new CloseHandler())
                .register(OpCode.GETXATTR, new GetXattrHandler())
                .register(OpCode.SETXATTR, new SetXattrHandler())
                .register(OpCode.LISTXATTR, new ListXattrHandler())
                .register(OpCode.REMOVEXATTR, new RemoveXattrHandler());
    }
}
