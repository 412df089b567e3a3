package org.octofs.fuse.mount;

import java.io.IOException;
import org.octofs.fuse.fuse.FuseBinding;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.MountParameters;

/** How a mount comes about. */
interface Mounting {
    /**
     * Mounts.
     *
     * @return what carries it, mounted; whoever made this closes it
     * @throws IOException with words for the user; nothing is mounted then
     */
    FuseBinding mount(MountParameters parameters) throws IOException;

    /** For the log: why it is this binding, once it is mounted. */
    String reason();

    /** By this binding and no other. */
    static Mounting by(FuseBinding binding, FuseOperations operations) {
        return new Mounting() {
            @Override
            public FuseBinding mount(MountParameters parameters) throws IOException {
                binding.mount(parameters, operations);
                return binding;
            }

            @Override
            public String reason() {
                return "as asked for";
            }
        };
    }
}
