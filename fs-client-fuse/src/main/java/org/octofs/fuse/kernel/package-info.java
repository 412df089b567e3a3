/**
 * The second FUSE binding: the kernel protocol of /dev/fuse by java.lang.foreign. Start with {@link
 * org.octofs.fuse.kernel.KernelBinding}. One loop per thread; knows nothing of OctoFS but the seam in {@code fuse}.
 */
package org.octofs.fuse.kernel;
