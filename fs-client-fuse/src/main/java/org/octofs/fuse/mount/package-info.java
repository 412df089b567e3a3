/**
 * The mount as a command: {@code octofs mount} and {@code octofs umount}; read
 * {@link org.octofs.fuse.mount.MountProcess} first.
 *
 * <p>A mount is one process that serves until it is unmounted or asked to end. In the background it is the same process, started
 * by one that waits until the mount is there. A shell beside it unmounts if it is killed. Nothing here touches a mounted
 * directory from the process that serves it, which could wait for itself.
 */
package org.octofs.fuse.mount;
