package org.octofs.pmem.medium;

import java.util.Objects;

/**
 * How to map and create pool files.
 *
 * @param group     name of the group that may map the file too (mode 0660); null: only the owner may (mode 0600)
 * @param prefault  touch all pages at open, so that no later store pays for a page fault
 * @param hugePages whether to ask for 2 MiB pages
 * @param progress  told about allocation and pre-faulting
 */
public record MediumOptions(String group, boolean prefault, HugePages hugePages, Progress progress) {
    public MediumOptions {
        Objects.requireNonNull(hugePages, "hugePages");
        Objects.requireNonNull(progress, "progress");
    }

    /** Owner only, pre-faulted, huge pages advised, silent. */
    public static MediumOptions defaults() {
        return new MediumOptions(null, true, HugePages.ADVISE, Progress.NONE);
    }

    public MediumOptions withGroup(String name) {
        return new MediumOptions(name, prefault, hugePages, progress);
    }

    public MediumOptions withPrefault(boolean on) {
        return new MediumOptions(group, on, hugePages, progress);
    }

    public MediumOptions withHugePages(HugePages pages) {
        return new MediumOptions(group, prefault, pages, progress);
    }

    public MediumOptions withProgress(Progress listener) {
        return new MediumOptions(group, prefault, hugePages, listener);
    }
}
