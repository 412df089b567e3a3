package org.octofs.tests.model;

/** Operations that histories consist of. */
public enum OpKind {
    LOOKUP,
    GETATTR,
    CREATE,
    MKDIR,
    SYMLINK,
    LINK,
    UNLINK,
    RMDIR,
    RENAME,
    READLINK,
    READDIR,
    SETMODE,
    SETXATTR,
    GETXATTR,
    REMOVEXATTR,
    OPEN,
    WRITE,
    APPEND,
    READ,
    TRUNCATE,
    PUNCH,
    ALLOCATE,
    FSYNC,
    LOCK,
    UNLOCK
}
