package org.octofs.client.mounts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Looks whether somebody serves a directory that may be a mount point. */
public final class DirectoryProbe {
    /** What a look at the directory shows. */
    public enum Life {
        /** It answers, if only with an error. */
        SERVED,
        /** A file system is mounted there whose process is gone. */
        DEAD,
        /** No answer in time. */
        SILENT
    }

    /** ENOTCONN; ECONNABORTED if the process went away while it was asked. */
    private static final List<String> GONE =
            List.of("Transport endpoint is not connected", "Software caused connection abort");

    /** How long to wait for an answer. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private DirectoryProbe() {}

    /** Looks at the directory. */
    public static Life look(Path directory) throws IOException {
        CompletableFuture<Life> answer = new CompletableFuture<>();
        // On a thread of its own: a mount that hangs would keep it for ever.
        Thread.ofPlatform().daemon().name("look").start(() -> {
            try {
                Files.readAttributes(directory, "unix:ino", LinkOption.NOFOLLOW_LINKS);
                answer.complete(Life.SERVED);
            } catch (IOException e) {
                String said = String.valueOf(e.getMessage());
                answer.complete(GONE.stream().anyMatch(said::contains) ? Life.DEAD : Life.SERVED);
            } catch (RuntimeException | Error e) {
                answer.completeExceptionally(e);
            }
        });
        try {
            return answer.get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return Life.SILENT;
        } catch (ExecutionException e) {
            throw new IOException("cannot look at " + directory, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
