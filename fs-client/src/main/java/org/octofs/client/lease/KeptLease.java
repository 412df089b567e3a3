package org.octofs.client.lease;

/**
 * A lease of this client, as far as it knows. Guarded by the lock of its {@link HomeLeases}.
 */
final class KeptLease {
    final HomeLeases home;
    final int kind;
    final long ino;
    final long grantedNanos;
    /** Answers that rely on it and are on their way to the kernel. */
    int arming;
    /** When nothing is kept any more without further answers; allows for a kernel that is late. */
    long keptUntilNanos;
    /** When this client has changed it last: what was read before is not kept. */
    long changedNanos;
    /** Nothing more is to be kept: the home has taken it back. */
    boolean recalled;

    KeptLease(HomeLeases home, int kind, long ino, long grantedNanos) {
        this.home = home;
        this.kind = kind;
        this.ino = ino;
        this.grantedNanos = grantedNanos;
        this.keptUntilNanos = grantedNanos;
        this.changedNanos = grantedNanos - 1;
    }

    /** Whether the kernel may keep something, now or in a moment. */
    boolean isKept(long nowNanos) {
        return arming > 0 || nowNanos - keptUntilNanos < 0;
    }
}
