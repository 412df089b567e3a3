package org.octofs.fuse.mount;

import java.util.List;
import org.octofs.fuse.fuse.FuseBinding;
import org.octofs.fuse.jnr.JnrBinding;
import org.octofs.fuse.kernel.KernelBinding;

/** The bindings that a mount can be carried by, as {@code -o binding=} names them. */
public enum BindingKind implements FirstThatMounts.Candidate {
    JNR {
        @Override
        public FuseBinding create() {
            return new JnrBinding();
        }
    },
    KERNEL {
        @Override
        public FuseBinding create() {
            return new KernelBinding(
                    Thread.ofPlatform().daemon().name("fuse-", 0).factory());
        }
    };

    /** In the order in which they are tried if the user does not say. */
    static final List<BindingKind> BY_DEFAULT = List.of(KERNEL, JNR);
}
