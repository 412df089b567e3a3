package org.octofs.client.dev;

import java.io.IOException;
import java.time.Duration;

/** Waiting between two looks at another process. */
final class Pause {
    private Pause() {}

    static void of(Duration duration) throws IOException {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }
}
