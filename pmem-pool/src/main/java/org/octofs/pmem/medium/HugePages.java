package org.octofs.pmem.medium;

/** Whether to ask the kernel for 2 MiB pages. */
public enum HugePages {
    /** Leave the kernel's default alone. */
    OFF,
    /** Advise; free of charge, and a tmpfs mounted with {@code huge=advise} or {@code huge=always} then gives them. */
    ADVISE,
    /**
     * Advise, and have the kernel rebuild a new pool from huge pages even on a tmpfs that does not give them by itself.
     * Costs about 2 to 3.5 s per GiB at format (against 1 to 2 s for small pages); afterwards every process that maps the
     * pool, clients too, faults 2 MiB at a time.
     */
    COLLAPSE
}
