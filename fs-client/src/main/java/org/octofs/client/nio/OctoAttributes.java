package org.octofs.client.nio;

import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.octofs.client.client.Attributes;

/** A snapshot of attributes. */
final class OctoAttributes implements PosixFileAttributes {
    private final Attributes attributes;

    OctoAttributes(Attributes attributes) {
        this.attributes = attributes;
    }

    @Override
    public FileTime lastModifiedTime() {
        return time(attributes.modificationSeconds(), attributes.modificationNanos());
    }

    @Override
    public FileTime lastAccessTime() {
        return time(attributes.accessSeconds(), attributes.accessNanos());
    }

    @Override
    public FileTime creationTime() {
        return time(attributes.birthSeconds(), attributes.birthNanos());
    }

    private static FileTime time(long seconds, int nanos) {
        return FileTime.from(Instant.ofEpochSecond(seconds, nanos));
    }

    @Override
    public boolean isRegularFile() {
        return attributes.isRegular();
    }

    @Override
    public boolean isDirectory() {
        return attributes.isDirectory();
    }

    @Override
    public boolean isSymbolicLink() {
        return attributes.isSymlink();
    }

    @Override
    public boolean isOther() {
        return !isRegularFile() && !isDirectory() && !isSymbolicLink();
    }

    @Override
    public long size() {
        return attributes.sizeBytes();
    }

    @Override
    public Object fileKey() {
        return attributes.ino();
    }

    @Override
    public UserPrincipal owner() {
        return new OctoPrincipals.User(attributes.uid());
    }

    @Override
    public GroupPrincipal group() {
        return new OctoPrincipals.Group(attributes.gid());
    }

    @Override
    public Set<PosixFilePermission> permissions() {
        return permissionsOf(attributes.mode());
    }

    /** PosixFilePermission is declared from OWNER_READ (0400) to OTHERS_EXECUTE (0001). */
    static Set<PosixFilePermission> permissionsOf(int mode) {
        Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
        int bit = 0400;
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            if ((mode & bit) != 0) {
                set.add(permission);
            }
            bit >>= 1;
        }
        return set;
    }

    static int modeOf(Set<PosixFilePermission> permissions) {
        int mode = 0;
        int bit = 0400;
        for (PosixFilePermission permission : PosixFilePermission.values()) {
            if (permissions.contains(permission)) {
                mode |= bit;
            }
            bit >>= 1;
        }
        return mode;
    }

    /** All attributes that a view has, by name. */
    Map<String, Object> asMap(String view) {
        Map<String, Object> map = new LinkedHashMap<>();
        if (view.equals("owner")) {
            map.put("owner", owner());
            return map;
        }
        map.put("lastModifiedTime", lastModifiedTime());
        map.put("lastAccessTime", lastAccessTime());
        map.put("creationTime", creationTime());
        map.put("size", size());
        map.put("isRegularFile", isRegularFile());
        map.put("isDirectory", isDirectory());
        map.put("isSymbolicLink", isSymbolicLink());
        map.put("isOther", isOther());
        map.put("fileKey", fileKey());
        if (!view.equals("basic")) {
            map.put("owner", owner());
            map.put("group", group());
            map.put("permissions", permissions());
        }
        if (view.equals("unix")) {
            map.put("mode", attributes.mode());
            map.put("ino", attributes.ino());
            map.put("nlink", attributes.linkCount());
            map.put("uid", attributes.uid());
            map.put("gid", attributes.gid());
            map.put("rdev", attributes.deviceNumber());
            map.put("ctime", time(attributes.changeSeconds(), attributes.changeNanos()));
        }
        return map;
    }
}
