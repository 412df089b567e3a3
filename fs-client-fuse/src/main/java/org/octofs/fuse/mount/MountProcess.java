package org.octofs.fuse.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.octofs.client.mounts.MountAnnouncement;
import org.octofs.client.mounts.MountTable;
import org.octofs.fuse.fuse.FuseBinding;
import org.octofs.fuse.fuse.MountParameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mounts and serves until somebody unmounts, or the process is asked to end (SIGTERM, SIGINT): then it unmounts itself.
 *
 * <p>Order of the end: the kernel writes back and lets go, then the file system is closed, then the process ends.
 * Threading: {@link #run} on the main thread; the end is asked for by a shutdown hook.
 */
final class MountProcess {
    private static final Logger LOG = LoggerFactory.getLogger(MountProcess.class);
    private static final int END_SECONDS = 60;
    private static final int SYNC_SECONDS = 30;

    private final MountParameters parameters;
    private final Runnable closeFileSystem;
    private final Path announcement;
    private final CountDownLatch ended = new CountDownLatch(1);
    /** Guards the two below. */
    private final Object mounting = new Object();

    private FuseBinding binding;
    private boolean endAsked;

    /**
     * Describes a mount.
     *
     * @param closeFileSystem makes everything durable and ends the file system; may be run twice
     * @param announcement file to write once it is mounted, see {@link MountAnnouncement}; may be null
     */
    MountProcess(MountParameters parameters, Runnable closeFileSystem, Path announcement) {
        this.parameters = parameters;
        this.closeFileSystem = closeFileSystem;
        this.announcement = announcement;
    }

    private Path directory() {
        return parameters.directory();
    }

    /**
     * Mounts and serves until the end.
     *
     * @param how stays the caller's to close
     *
     * @throws IOException with words for the user if it cannot be mounted
     */
    void run(Mounting how) throws IOException, InterruptedException {
        // Hook and watchdog first: there is then no moment in which the end of the process leaves a dead mount.
        Thread hook = Thread.ofPlatform().name("unmount").unstarted(this::endAsked);
        Runtime.getRuntime().addShutdownHook(hook);
        Watchdog watchdog = Watchdog.over(directory());
        try {
            FuseBinding carrier = mount(how);
            Optional<MountTable.Entry> entry = MountTable.find(directory());
            if (entry.isPresent()) {
                watchdog.mounted(entry.get());
                String words = directory() + " is mounted by binding " + carrier.name() + " (" + how.reason() + "), "
                        + parameters.threadCount() + " threads";
                LOG.info(words);
                if (announcement != null) {
                    new MountAnnouncement(entry.get().device(), words).write(announcement);
                }
            }
            carrier.run();
            LOG.info("{} is unmounted", directory());
            closeFileSystem.run();
        } finally {
            watchdog.close();
            ended.countDown();
            removeHook(hook);
        }
    }

    private FuseBinding mount(Mounting how) throws IOException {
        synchronized (mounting) {
            if (endAsked) {
                throw new IOException("asked to end before " + directory() + " was mounted");
            }
            binding = how.mount(parameters);
            return binding;
        }
    }

    private static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            LOG.debug("the process is ending already", e);
        }
    }

    /** Runs while the loop threads still serve: the kernel may have to write back through them. */
    private void endAsked() {
        FuseBinding carrier;
        synchronized (mounting) {
            endAsked = true;
            carrier = binding;
        }
        if (carrier == null) {
            return;
        }
        try {
            try {
                carrier.unmount(false);
            } catch (IOException e) {
                LOG.warn("{}; what is written is made durable, then the mount ends under its users", e.getMessage());
                writeBack();
                carrier.unmount(true);
                // Its users may hold it for ever: do not wait for them.
                closeFileSystem.run();
                return;
            }
            if (!ended.await(END_SECONDS, TimeUnit.SECONDS)) {
                LOG.error("the mount did not end within {} s of being unmounted", END_SECONDS);
            }
        } catch (IOException e) {
            LOG.error("cannot unmount {}: {}", directory(), e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** By a process: a thread of this one that waits for its own mount could not be given up. */
    private void writeBack() throws InterruptedException {
        try {
            Process sync = new ProcessBuilder("sync", "-f", directory().toString())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!sync.waitFor(SYNC_SECONDS, TimeUnit.SECONDS)) {
                LOG.error("writing back took more than {} s and was given up", SYNC_SECONDS);
                sync.destroyForcibly();
            }
        } catch (IOException e) {
            LOG.error("cannot write back: {}", e.getMessage());
        }
    }
}
