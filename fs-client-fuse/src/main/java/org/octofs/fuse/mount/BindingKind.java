package org.octofs.fuse.mount;

import org.octofs.fuse.fuse.FuseBinding;
import org.octofs.fuse.jnr.JnrBinding;
import org.octofs.fuse.kernel.KernelBinding;

/** The bindings that a mount can be carried by, as {@code -o binding=} names them. */
public enum BindingKind {
    JNR {
        @Override
        FuseBinding create() {
            return new JnrBinding();
        }
    },
    KERNEL {
        @Override
        FuseBinding create() {
            return new KernelBinding(
                    Thread.ofPlatform().daemon().name("fuse-", 0).factory());
        }
    };

    /** A binding that is not mounted yet. */
    abstract FuseBinding create();
}
