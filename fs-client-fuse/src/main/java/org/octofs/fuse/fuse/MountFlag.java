package org.octofs.fuse.fuse;

/** What the kernel itself forbids on a mount, or leaves out; see mount(8). */
public enum MountFlag {
    /** Set-user-id and set-group-id bits have no effect. */
    NO_SUID("nosuid", "suid", 2),
    /** Device nodes cannot be opened. */
    NO_DEV("nodev", "dev", 4),
    /** Programs cannot be started. */
    NO_EXEC("noexec", "exec", 8),
    /** Reading leaves the access time as it is. */
    NO_ATIME("noatime", "atime", 1024);

    private final String option;
    private final String opposite;
    private final int bit;

    MountFlag(String option, String opposite, int bit) {
        this.option = option;
        this.opposite = opposite;
        this.bit = bit;
    }

    /** As an option of mount. */
    public String option() {
        return option;
    }

    /** The option that takes it back. */
    public String opposite() {
        return opposite;
    }

    /** Its bit in the flags of mount(2). */
    public int bit() {
        return bit;
    }

    /** Whether only root may do without it. */
    public boolean isForSafety() {
        return this == NO_SUID || this == NO_DEV;
    }
}
