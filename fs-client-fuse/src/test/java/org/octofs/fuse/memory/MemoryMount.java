package org.octofs.fuse.memory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.octofs.fuse.fuse.FuseBinding;
import org.octofs.fuse.fuse.MountParameters;
import org.octofs.fuse.jnr.JnrBinding;
import org.octofs.fuse.kernel.KernelBinding;

/**
 * Mounts one file system in memory on each directory given, until they are unmounted; to try and measure a binding by
 * hand: {@code MemoryMount jnr|kernel DIRECTORY...}.
 */
public final class MemoryMount {
    private MemoryMount() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        MemoryFileSystem fileSystem =
                new MemoryFileSystem(Clock.systemUTC(), Runtime.getRuntime().maxMemory() / 2);
        List<Thread> mounts = new ArrayList<>();
        for (String directory : List.of(arguments).subList(1, arguments.length)) {
            FuseBinding binding = arguments[0].equals("kernel")
                    ? new KernelBinding(Thread.ofPlatform().name("fuse-", 0).factory())
                    : new JnrBinding();
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
