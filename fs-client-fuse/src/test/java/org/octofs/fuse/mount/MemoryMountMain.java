package org.octofs.fuse.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import org.octofs.fuse.fuse.FuseBinding;
import org.octofs.fuse.fuse.MountParameters;
import org.octofs.fuse.jnr.JnrBinding;
import org.octofs.fuse.memory.MemoryFileSystem;

/** A mount process over a file system in memory; says "closed" when the file system was closed. */
final class MemoryMountMain {
    private MemoryMountMain() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        Path directory = MountPoint.resolve(Path.of(arguments[0]));
        MountPoint.prepare(directory, false);
        try (FuseBinding binding = new JnrBinding()) {
            new MountProcess(MountParameters.of(directory, "memory"), () -> System.out.println("closed"), null)
                    .run(Mounting.by(binding, new MemoryFileSystem(Clock.systemUTC(), 64L << 20)));
        }
    }
}
