package org.octofs.client.client;

import org.octofs.rpc.protocol.UnixTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves access times when something is read, by the rule of relatime, which the home applies: one call after each change of
 * a file that is read, at most. The home is not asked while what is known of the inode says that nothing is due.
 *
 * <p>Errors: a read does not fail because its time could not be kept. Thread-safe.
 */
final class AccessTimes {
    private static final Logger LOG = LoggerFactory.getLogger(AccessTimes.class);

    private final Metadata metadata;
    private final boolean enabled;

    AccessTimes(Metadata metadata, boolean enabled) {
        this.metadata = metadata;
        this.enabled = enabled;
    }

    /** Whether a read by this handle may have to move the access time. */
    boolean isDue(OpenFile file) {
        return enabled && file.movesAccessTime() && file.state().isAccessTimeDue();
    }

    /** The file was opened: a time of yesterday does not stay. */
    void opened(OpenFile file) {
        if (enabled && file.movesAccessTime()) {
            file.state().accessTimeBefore(nowSeconds() - Attributes.ACCESS_AGE_SECONDS);
        }
    }

    /** The file was read. What is written and not committed moves the version later: the read after that comes here too. */
    void read(OpenFile file) {
        if (isDue(file)) {
            move(file.ino());
            file.state().accessTimeMoved();
        }
    }

    private long nowSeconds() {
        return UnixTime.seconds(metadata.links.config().wallClock().getAsLong());
    }

    /** A directory or a symbolic link was read whose attributes were these. */
    void read(Attributes attributes) {
        if (enabled && attributes.isAccessTimeDue(nowSeconds())) {
            move(attributes.ino());
        }
    }

    private void move(long ino) {
        try {
            metadata.setAttributes(ino, new AttributeChange().accessed(), new Attributes());
        } catch (FsException e) {
            LOG.debug("the access time of inode {} was not moved: {}", ino, e.getMessage());
        }
    }
}
