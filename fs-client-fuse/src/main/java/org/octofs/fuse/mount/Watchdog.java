package org.octofs.fuse.mount;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.octofs.client.mounts.MountTable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A shell that outlives this process, however it ends, and takes its dead mount away.
 *
 * <p>It reads from a pipe whose other end this process holds; the kernel closes that when the process dies. It unmounts only what
 * is still this very mount, by its device number. It costs no CPU while it waits.
 * Ownership: of the shell; {@link #close} ends it without unmounting.
 */
final class Watchdog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);
    private static final int END_SECONDS = 5;

    /**
     * Argument: the mount point. It is told "mounted DEVICE FIELD", with the directory as the mount table writes it, and "done".
     * Killed before the first, it looks whether the directory is dead.
     */
    private static final String SCRIPT = """
            trap '' HUP INT TERM
            own= field=
            while read -r order device where; do
              [ "$order" = done ] && exit 0
              own=$device field=$where
            done
            if [ -n "$own" ]; then
              seen=
              while read -r id parent device root where rest; do
                [ "$where" = "$field" ] && seen=$device
              done </proc/self/mountinfo
              [ "$seen" = "$own" ] || exit 0
            else
              [ "$(LC_ALL=C stat "$1" 2>&1 | grep -c 'endpoint is not connected')" = 1 ] || exit 0
            fi
            umount -l "$1" 2>/dev/null || fusermount -u -z "$1" 2>/dev/null || fusermount3 -u -z "$1"
            """;

    private final Process shell;

    private Watchdog(Process shell) {
        this.shell = shell;
    }

    /** Starts watching a directory on which this process is about to mount. */
    static Watchdog over(Path directory) throws IOException {
        // A session of its own: a Ctrl-C at the terminal is for the mount, not for its watchdog.
        Process shell = new ProcessBuilder(
                        List.of("setsid", "sh", "-c", SCRIPT, "octofs-watchdog", directory.toString()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new Watchdog(shell);
    }

    /** Tells it which mount is this process's: it will touch no other. */
    void mounted(MountTable.Entry mount) throws IOException {
        tell("mounted " + mount.device() + " " + mount.directoryField());
    }

    private void tell(String order) throws IOException {
        OutputStream pipe = shell.getOutputStream();
        pipe.write((order + "\n").getBytes(StandardCharsets.ISO_8859_1));
        pipe.flush();
    }

    @Override
    public void close() {
        try (OutputStream pipe = shell.getOutputStream()) {
            tell("done");
            LOG.trace("{} is told", pipe);
        } catch (IOException e) {
            LOG.debug("the watchdog was gone already", e);
        }
        try {
            if (!shell.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                shell.destroyForcibly();
            }
        } catch (InterruptedException e) {
            shell.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
