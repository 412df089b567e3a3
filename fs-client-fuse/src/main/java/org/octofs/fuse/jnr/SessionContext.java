package org.octofs.fuse.jnr;

import org.octofs.fuse.fuse.RequestContext;

/** The context of a request that the library holds. */
final class SessionContext extends RequestContext {
    private final LibFuse2 library;
    long request;

    SessionContext(LibFuse2 library) {
        this.library = library;
    }

    /** A copy for a request that another thread goes on with. */
    SessionContext handedOver() {
        SessionContext copy = new SessionContext(library);
        copy.request = request;
        copy.uid = uid;
        copy.gid = gid;
        copy.pid = pid;
        copy.umask = umask;
        copy.dropsPages = dropsPages;
        return copy;
    }

    @Override
    public boolean interrupted() {
        return library.requestInterrupted(request);
    }
}
