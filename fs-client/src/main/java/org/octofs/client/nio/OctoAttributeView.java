package org.octofs.client.nio;

import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.time.Instant;
import java.util.Set;
import org.octofs.client.client.AttributeChange;
import org.octofs.client.client.Attributes;
import org.octofs.client.client.FsException;

/** The attributes of one path, read and changed by inode number after walking the path each time. */
final class OctoAttributeView implements PosixFileAttributeView {
    private final String name;
    private final OctoPath path;
    private final boolean follow;

    OctoAttributeView(String name, OctoPath path, boolean follow) {
        this.name = name;
        this.path = path;
        this.follow = follow;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public OctoAttributes readAttributes() throws IOException {
        return new OctoAttributes(
                path.getFileSystem().resolver().resolve(path, follow).attributes());
    }

    private void change(AttributeChange change) throws IOException {
        long ino = path.getFileSystem().resolver().resolve(path, follow).ino();
        try {
            path.getFileSystem().client().setAttributes(ino, change, new Attributes());
        } catch (FsException e) {
            throw Failures.of(e, path, null);
        }
    }

    /** The time of birth cannot be changed; asking for it is ignored, as on Linux. */
    @Override
    public void setTimes(FileTime lastModifiedTime, FileTime lastAccessTime, FileTime createTime) throws IOException {
        AttributeChange change = new AttributeChange();
        if (lastModifiedTime != null) {
            Instant time = lastModifiedTime.toInstant();
            change.modificationTime(time.getEpochSecond(), time.getNano());
        }
        if (lastAccessTime != null) {
            Instant time = lastAccessTime.toInstant();
            change.accessTime(time.getEpochSecond(), time.getNano());
        }
        if (change.valid() != 0) {
            change(change);
        }
    }

    @Override
    public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
        setMode(OctoAttributes.modeOf(permissions));
    }

    void setMode(int mode) throws IOException {
        change(new AttributeChange().mode(mode));
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
        return readAttributes().owner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
        if (!(owner instanceof OctoPrincipals.User user)) {
            throw new java.nio.file.ProviderMismatchException(owner + " is not a user of OctoFS");
        }
        change(new AttributeChange().uid(user.id()));
    }

    @Override
    public void setGroup(GroupPrincipal group) throws IOException {
        if (!(group instanceof OctoPrincipals.Group known)) {
            throw new java.nio.file.ProviderMismatchException(group + " is not a group of OctoFS");
        }
        change(new AttributeChange().gid(known.id()));
    }

    /** Sets an attribute by its name. */
    @SuppressWarnings("unchecked")
    void set(String attribute, Object value) throws IOException {
        switch (attribute) {
            case "lastModifiedTime" -> setTimes((FileTime) value, null, null);
            case "lastAccessTime" -> setTimes(null, (FileTime) value, null);
            case "creationTime" -> setTimes(null, null, (FileTime) value);
            case "permissions" -> setPermissions((Set<PosixFilePermission>) value);
            case "owner" -> setOwner((UserPrincipal) value);
            case "group" -> setGroup((GroupPrincipal) value);
            case "mode" -> setMode((Integer) value);
            case "uid" -> change(new AttributeChange().uid((Integer) value));
            case "gid" -> change(new AttributeChange().gid((Integer) value));
            default -> throw new IllegalArgumentException("attribute " + attribute + " cannot be set");
        }
    }
}
