package org.octofs.client.lease;

/** What keeps names and attributes above this client. Called from any thread. */
public interface KernelCache {
    /** One that keeps nothing. */
    KernelCache EMPTY = new KernelCache() {
        @Override
        public boolean dropAttributes(long ino) {
            return true;
        }

        @Override
        public void dropName(long directory, byte[] name) {}

        @Override
        public void lookUpAgain(long directory, byte[] name) {}
    };

    /**
     * Has attributes forgotten, and answers still under way that were given before kept out. Takes no lock that a request of the kernel
     * could hold: it is called while such requests are served.
     *
     * @return false if the inode is not known: either nothing is kept, or the answer that brings it is still under way
     */
    boolean dropAttributes(long ino);

    /**
     * Has a name forgotten, if it is known, and answers still under way that were given before kept out. May wait for requests of the
     * kernel in this directory.
     */
    void dropName(long directory, byte[] name);

    /** Has a name looked up again before it is used again. May wait for requests of the kernel in this directory. */
    void lookUpAgain(long directory, byte[] name);
}
