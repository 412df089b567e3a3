package org.octofs.fuse.mount;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.octofs.fuse.fuse.MountTable;
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

    /** Arguments: device, mount point as in mountinfo, mount point. */
    private static final String SCRIPT = """
            trap '' HUP INT TERM
            read -r order && [ "$order" = done ] && exit 0
            seen=
            while read -r id parent device root where rest; do
              [ "$where" = "$2" ] && seen=$device
            done </proc/self/mountinfo
            [ "$seen" = "$1" ] || exit 0
            umount -l "$3" 2>/dev/null || fusermount -u -z "$3" 2>/dev/null || fusermount3 -u -z "$3"
            """;

    private final Process shell;

    private Watchdog(Process shell) {
        this.shell = shell;
    }

    /** Starts watching a mount of this process. */
    static Watchdog over(MountTable.Entry mount) throws IOException {
        // A session of its own: a Ctrl-C at the terminal is for the mount, not for its watchdog.
        Process shell = new ProcessBuilder(List.of(
                        "setsid",
                        "sh",
                        "-c",
                        SCRIPT,
                        "octofs-watchdog",
                        mount.device(),
                        mount.directoryField(),
                        mount.directory().toString()))
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new Watchdog(shell);
    }

    @Override
    public void close() {
        try (OutputStream order = shell.getOutputStream()) {
            order.write("done\n".getBytes(StandardCharsets.US_ASCII));
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
