package org.octofs.fuse.jnr;

import java.io.IOException;
import ru.serce.jnrfuse.FuseStubFS;

/** Finds libfuse 2 as jnr-fuse does, and says clearly when it is not there. Apart from {@link LibFuse2}, which needs it loaded. */
final class LibFuseLoader {
    private LibFuseLoader() {}

    /**
     * Loads the library.
     *
     * @throws IOException with words for the user if there is none
     */
    static LibFuse2 load() throws IOException {
        try {
            new Finder();
            return new LibFuse2();
        } catch (UnsatisfiedLinkError | ExceptionInInitializerError e) {
            throw new IOException(
                    "cannot load " + LibFuse2.LIBRARY + ": install libfuse 2 (Debian: libfuse2 or libfuse2t64)", e);
        }
    }

    /** Its construction makes jnr-fuse look for the library and map it. */
    private static final class Finder extends FuseStubFS {}
}
