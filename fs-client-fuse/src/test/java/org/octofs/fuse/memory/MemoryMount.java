package org.octofs.fuse.memory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.octofs.fuse.fuse.MountParameters;
import org.octofs.fuse.jnr.JnrBinding;

/** Mounts one file system in memory on each directory given, until they are unmounted; to try and measure a binding by hand. */
public final class MemoryMount {
    private MemoryMount() {}

    public static void main(String[] directories) throws IOException, InterruptedException {
        MemoryFileSystem fileSystem =
                new MemoryFileSystem(Clock.systemUTC(), Runtime.getRuntime().maxMemory() / 2);
        List<Thread> mounts = new ArrayList<>();
        for (String directory : directories) {
            JnrBinding binding = new JnrBinding();
            binding.mount(MountParameters.of(Path.of(directory), "memory").withAllowOther(true), fileSystem);
            mounts.add(Thread.ofPlatform().name("mount").start(() -> {
                try (binding) {
                    binding.run();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }));
        }
        for (Thread mount : mounts) {
            mount.join();
        }
    }
}
