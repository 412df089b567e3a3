package org.octofs.tests.model;

import java.util.Map;
import java.util.TreeMap;
import org.octofs.rpc.protocol.FileMode;

/**
 * An inode of the model. Immutable; collections are never changed after construction.
 *
 * @param rights type, permissions, owner, and when it was modified
 * @param parent of a directory
 * @param entries of a directory
 * @param content of a file
 * @param isFuzzy whether some of its content may be lost, so that content and size are not looked at
 * @param target of a symbolic link
 * @param locks owner to whether it is exclusive
 * @param ranges locked pieces, and whether that is exclusive
 */
record Node(
        Rights rights,
        int links,
        long parent,
        Map<String, Long> entries,
        Content content,
        boolean isFuzzy,
        String target,
        Map<String, String> xattrs,
        Map<Long, Boolean> locks,
        Map<Range, Boolean> ranges) {
    /**
     * What a SETATTR changes.
     *
     * @param mode type and permissions
     * @param modified nanoseconds; null where the clock has set it
     * @param isLinkable whether it was made without a name, and may get one
     */
    record Rights(int mode, int owner, int group, Long modified, boolean isLinkable) {}

    static Node of(int mode, int links, long parent, String target) {
        Rights rights = new Rights(mode, 0, 0, null, false);
        return new Node(rights, links, parent, Map.of(), Content.EMPTY, false, target, Map.of(), Map.of(), Map.of());
    }

    int mode() {
        return rights.mode;
    }

    int owner() {
        return rights.owner;
    }

    int group() {
        return rights.group;
    }

    Long modified() {
        return rights.modified;
    }

    boolean isLinkable() {
        return rights.isLinkable;
    }

    boolean isDirectory() {
        return FileMode.isDirectory(mode());
    }

    boolean isRegular() {
        return FileMode.isRegular(mode());
    }

    boolean isSymlink() {
        return FileMode.isSymlink(mode());
    }

    Node withEntry(String name, long ino) {
        Map<String, Long> copy = new TreeMap<>(entries);
        copy.put(name, ino);
        return withEntries(copy).withModified(null);
    }

    Node withoutEntry(String name) {
        Map<String, Long> copy = new TreeMap<>(entries);
        copy.remove(name);
        return withEntries(copy).withModified(null);
    }

    Node withEntries(Map<String, Long> value) {
        return new Node(rights, links, parent, value, content, isFuzzy, target, xattrs, locks, ranges);
    }

    Node withLinks(int value) {
        return new Node(rights, value, parent, entries, content, isFuzzy, target, xattrs, locks, ranges);
    }

    Node withParent(long value) {
        return new Node(rights, links, value, entries, content, isFuzzy, target, xattrs, locks, ranges);
    }

    Node withMode(int value) {
        return with(new Rights(value, owner(), group(), modified(), isLinkable()));
    }

    Node withOwner(int owner, int group) {
        return with(new Rights(mode(), owner, group, modified(), isLinkable()));
    }

    Node withModified(Long nanos) {
        return with(new Rights(mode(), owner(), group(), nanos, isLinkable()));
    }

    Node withLinkable(boolean value) {
        return with(new Rights(mode(), owner(), group(), modified(), value));
    }

    private Node with(Rights value) {
        return new Node(value, links, parent, entries, content, isFuzzy, target, xattrs, locks, ranges);
    }

    /** Other content, at a time that the clock says. */
    Node withContent(Content value) {
        return new Node(rights, links, parent, entries, value, isFuzzy, target, xattrs, locks, ranges)
                .withModified(null);
    }

    Node withFuzzy() {
        return new Node(rights, links, parent, entries, Content.EMPTY, true, target, xattrs, locks, ranges)
                .withModified(null);
    }

    Node withXattr(String name, String value) {
        Map<String, String> copy = new TreeMap<>(xattrs);
        if (value == null) {
            copy.remove(name);
        } else {
            copy.put(name, value);
        }
        return new Node(rights, links, parent, entries, content, isFuzzy, target, copy, locks, ranges);
    }

    Node withLocks(Map<Long, Boolean> value) {
        return new Node(rights, links, parent, entries, content, isFuzzy, target, xattrs, value, ranges);
    }

    Node withRanges(Map<Range, Boolean> value) {
        return new Node(rights, links, parent, entries, content, isFuzzy, target, xattrs, locks, value);
    }
}
