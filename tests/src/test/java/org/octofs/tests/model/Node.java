package org.octofs.tests.model;

import java.util.Map;
import java.util.TreeMap;
import org.octofs.rpc.protocol.FileMode;

/**
 * An inode of the model. Immutable; collections are never changed after construction.
 *
 * @param mode type and permissions
 * @param parent of a directory
 * @param entries of a directory
 * @param content of a file
 * @param isFuzzy whether some of its content may be lost, so that content and size are not looked at
 * @param target of a symbolic link
 * @param locks owner to whether it is exclusive
 */
record Node(
        int mode,
        int links,
        long parent,
        Map<String, Long> entries,
        Content content,
        boolean isFuzzy,
        String target,
        Map<String, String> xattrs,
        Map<Long, Boolean> locks) {
    static Node of(int mode, int links, long parent, String target) {
        return new Node(mode, links, parent, Map.of(), Content.EMPTY, false, target, Map.of(), Map.of());
    }

    boolean isDirectory() {
        return FileMode.isDirectory(mode);
    }

    boolean isRegular() {
        return FileMode.isRegular(mode);
    }

    boolean isSymlink() {
        return FileMode.isSymlink(mode);
    }

    Node withEntry(String name, long ino) {
        Map<String, Long> copy = new TreeMap<>(entries);
        copy.put(name, ino);
        return withEntries(copy);
    }

    Node withoutEntry(String name) {
        Map<String, Long> copy = new TreeMap<>(entries);
        copy.remove(name);
        return withEntries(copy);
    }

    Node withEntries(Map<String, Long> value) {
        return new Node(mode, links, parent, value, content, isFuzzy, target, xattrs, locks);
    }

    Node withLinks(int value) {
        return new Node(mode, value, parent, entries, content, isFuzzy, target, xattrs, locks);
    }

    Node withParent(long value) {
        return new Node(mode, links, value, entries, content, isFuzzy, target, xattrs, locks);
    }

    Node withMode(int value) {
        return new Node(value, links, parent, entries, content, isFuzzy, target, xattrs, locks);
    }

    Node withContent(Content value) {
        return new Node(mode, links, parent, entries, value, isFuzzy, target, xattrs, locks);
    }

    Node withFuzzy() {
        return new Node(mode, links, parent, entries, Content.EMPTY, true, target, xattrs, locks);
    }

    Node withXattr(String name, String value) {
        Map<String, String> copy = new TreeMap<>(xattrs);
        if (value == null) {
            copy.remove(name);
        } else {
            copy.put(name, value);
        }
        return new Node(mode, links, parent, entries, content, isFuzzy, target, copy, locks);
    }

    Node withLocks(Map<Long, Boolean> value) {
        return new Node(mode, links, parent, entries, content, isFuzzy, target, xattrs, value);
    }
}
