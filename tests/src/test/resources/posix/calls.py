"""The calls that beside.py makes, as which users and of what kinds of files, and how it says what came of them."""

import ctypes
import errno
import itertools
import os
import socket
import stat
import struct
import time

libc = ctypes.CDLL(None, use_errno=True)
KINDS = ["regular", "directory", "fifo", "block", "char", "socket", "symlink", "dangling"]
A, B, C = 65534, 65533, 65532
NOW, OMIT = (1 << 30) - 1, (1 << 30) - 2
AT_FDCWD, NOFOLLOW, FOLLOW, EMPTY = -100, 0x100, 0x400, 0x1000
serial = itertools.count()
TICK = 0.009


def call(function, *arguments):
    """A result as text."""
    try:
        value = function(*arguments)
    except OSError as e:
        return errno.errorcode.get(e.errno, str(e.errno))
    return "ok" if value is None else repr(value)


def raw(name, *arguments):
    ctypes.set_errno(0)
    result = getattr(libc, name)(*arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), name)
    return None if result == 0 else result


def b(path):
    return path if isinstance(path, bytes) else path.encode()


class As:
    """Calls within are those of a user."""

    def __init__(self, uid, gid=None, groups=(), mask=0):
        self.uid, self.gid, self.groups, self.mask = uid, uid if gid is None else gid, list(groups), mask

    def __enter__(self):
        self.before = os.umask(self.mask)
        os.setgroups(self.groups)
        os.setegid(self.gid)
        os.seteuid(self.uid)

    def __exit__(self, *_):
        os.seteuid(0)
        os.setegid(0)
        os.setgroups([])
        os.umask(self.before)

    def __str__(self):
        extra = "" if not self.groups else "+" + ",".join(map(str, self.groups))
        return f"{self.uid}:{self.gid}{extra}"


ROOT = As(0)


def make(kind, path, mode=0o644, uid=0, gid=0):
    if kind == "regular":
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    elif kind == "directory":
        os.mkdir(path)
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "block":
        os.mknod(path, stat.S_IFBLK | 0o600, os.makedev(7, 77))
    elif kind == "char":
        os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
    elif kind == "socket":
        os.mknod(path, stat.S_IFSOCK | 0o600)
    elif kind == "symlink":
        os.symlink("/dev/null/none", path)
    elif kind == "dangling":
        os.symlink("nowhere", path)
    os.lchown(path, uid, gid)
    if kind not in ("symlink", "dangling"):
        os.chmod(path, mode)
    return path


def looks(path):
    try:
        s = os.lstat(path)
    except OSError as e:
        return errno.errorcode[e.errno]
    size = "" if stat.S_ISDIR(s.st_mode) else f" size {s.st_size}"
    rdev = f" dev {s.st_rdev}" if stat.S_ISBLK(s.st_mode) or stat.S_ISCHR(s.st_mode) else ""
    return f"{s.st_mode:o} {s.st_uid}:{s.st_gid} links {s.st_nlink}{size}{rdev}"


def times(path):
    try:
        s = os.lstat(path)
    except OSError:
        return None
    return s.st_atime_ns, s.st_mtime_ns, s.st_ctime_ns, s.st_ino


def changed(befores, path):
    """Which times are not what they were of the same inode, whatever its name was."""
    after = times(path)
    if after is None:
        return ""
    for before in befores:
        if before is not None and before[3] == after[3]:
            return "".join(letter for letter, x, y in zip("amc", before, after) if x != y)
    return "new"


class Place:
    """A fresh directory, current while it is used."""

    top = None

    def __init__(self, mode=0o755, uid=0, gid=0):
        self.path = os.path.join(Place.top, f"p{next(serial)}")
        os.mkdir(self.path)
        os.chown(self.path, uid, gid)
        os.chmod(self.path, mode)

    def __enter__(self):
        os.chdir(self.path)
        return self

    def __exit__(self, *_):
        os.chdir("/")
        remove(self.path)


def remove(path):
    if not os.path.islink(path) and os.path.isdir(path):
        os.chmod(path, 0o700)
        for name in os.listdir(b(path)):
            remove(os.path.join(b(path), name))
        os.rmdir(path)
    else:
        os.unlink(path)


def say(what, result, *paths, **befores):
    line = f"{what}: {result}"
    for path in paths:
        line += f" | {path} {looks(path)}"
    known = befores.get("since", ())
    for path, _ in known:
        line += f" | changed {path} {changed([times for _, times in known], path)}"
    print(line)


def timed(what, function, *arguments, paths=(), who=ROOT):
    befores = [(p, times(p)) for p in paths]
    time.sleep(TICK)
    with who:
        result = call(function, *arguments)
    say(f"{what} by {who}", result, *paths, since=befores)


def open_close(path, flags, mode=0o666):
    os.close(os.open(path, flags | os.O_NONBLOCK, mode))


def renameat2(a, c, flags):
    return raw("renameat2", AT_FDCWD, b(a), AT_FDCWD, b(c), flags)


def utimens(path, atime, mtime, flags=0):
    spec = struct.pack("qqqq", *atime, *mtime)
    return raw("utimensat", AT_FDCWD, b(path), spec, flags)


def bind(path):
    s = socket.socket(socket.AF_UNIX)
    try:
        s.bind(path)
    finally:
        s.close()


CREATORS = {
    "mkdir": lambda p: os.mkdir(p, 0o777),
    "mkfifo": lambda p: os.mkfifo(p, 0o666),
    "mknod char": lambda p: os.mknod(p, stat.S_IFCHR | 0o666, os.makedev(1, 3)),
    "mknod block": lambda p: os.mknod(p, stat.S_IFBLK | 0o666, os.makedev(7, 70)),
    "mknod socket": lambda p: os.mknod(p, stat.S_IFSOCK | 0o666),
    "mknod regular": lambda p: os.mknod(p, stat.S_IFREG | 0o666),
    "bind": bind,
    "symlink": lambda p: os.symlink("to", p),
    "create": lambda p: open_close(p, os.O_CREAT | os.O_WRONLY),
    "create excl": lambda p: open_close(p, os.O_CREAT | os.O_EXCL | os.O_RDWR),
    "create trunc": lambda p: open_close(p, os.O_CREAT | os.O_TRUNC | os.O_WRONLY),
    "link": lambda p: os.link("other", p),
    "rename regular": lambda p: os.rename("other", p),
    "rename directory": lambda p: os.rename("otherdir", p),
    "rename noreplace": lambda p: renameat2("other", p, 1),
    "exchange": lambda p: renameat2("other", p, 2),
}
USERS_OF = {
    "open read": lambda p: open_close(p, os.O_RDONLY),
    "open write": lambda p: open_close(p, os.O_WRONLY),
    "open rdwr": lambda p: open_close(p, os.O_RDWR),
    "open trunc": lambda p: open_close(p, os.O_WRONLY | os.O_TRUNC),
    "open read trunc": lambda p: open_close(p, os.O_RDONLY | os.O_TRUNC),
    "open append": lambda p: open_close(p, os.O_WRONLY | os.O_APPEND),
    "open nofollow": lambda p: open_close(p, os.O_RDONLY | os.O_NOFOLLOW),
    "open directory": lambda p: open_close(p, os.O_RDONLY | os.O_DIRECTORY),
    "open path": lambda p: open_close(p, os.O_PATH),
    "open path nofollow": lambda p: open_close(p, os.O_PATH | os.O_NOFOLLOW),
    "open creat directory": lambda p: open_close(p, os.O_CREAT | os.O_DIRECTORY),
    "open creat excl nofollow": lambda p: open_close(p, os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_WRONLY),
    "open creat nofollow": lambda p: open_close(p, os.O_CREAT | os.O_NOFOLLOW | os.O_WRONLY),
    "open tmpfile": lambda p: open_close(p, os.O_TMPFILE | os.O_RDWR),
    "open noatime": lambda p: open_close(p, os.O_RDONLY | os.O_NOATIME),
    "stat": lambda p: os.stat(p) and None,
    "lstat": lambda p: os.lstat(p) and None,
    "readlink": os.readlink,
    "chmod": lambda p: os.chmod(p, 0o640),
    "chown": lambda p: os.chown(p, -1, -1),
    "chown self": lambda p: os.chown(p, os.geteuid(), os.getegid()),
    "lchown": lambda p: os.lchown(p, os.geteuid(), os.getegid()),
    "truncate": lambda p: os.truncate(p, 123),
    "truncate 0": lambda p: os.truncate(p, 0),
    "utimes now": lambda p: utimens(p, (0, NOW), (0, NOW)),
    "utimes set": lambda p: utimens(p, (5, 6), (7, 8)),
    "utimes omit": lambda p: utimens(p, (0, OMIT), (0, OMIT)),
    "utimes link": lambda p: utimens(p, (5, 6), (7, 8), NOFOLLOW),
    "unlink": os.unlink,
    "rmdir": os.rmdir,
    "rename away": lambda p: os.rename(p, "away"),
    "rename to self": lambda p: os.rename(p, p),
    "link away": lambda p: os.link(p, "away", follow_symlinks=False),
    "link follow": lambda p: raw("linkat", AT_FDCWD, b(p), AT_FDCWD, b"away", FOLLOW),
    "list": lambda p: os.listdir(p) and None,
    "access r": lambda p: raw("faccessat", AT_FDCWD, b(p), 4, 0),
    "access w": lambda p: raw("faccessat", AT_FDCWD, b(p), 2, 0),
    "access x": lambda p: raw("faccessat", AT_FDCWD, b(p), 1, 0),
    "eaccess rwx": lambda p: raw("faccessat", AT_FDCWD, b(p), 7, 0x200),
    "chdir": lambda p: os.chdir(p),
    "statvfs": lambda p: os.statvfs(p) and None,
    "getxattr trusted": lambda p: os.getxattr(p, "trusted.x"),
    "setxattr trusted": lambda p: os.setxattr(p, "trusted.x", b"v"),
    "setxattr security": lambda p: os.setxattr(p, "security.x", b"v"),
    "listxattr": lambda p: [x for x in os.listxattr(p) if not x.startswith("security.s")],
    "removexattr trusted": lambda p: os.removexattr(p, "trusted.x"),
    "exec": lambda p: execute(p),
}


def execute(path):
    pid = os.fork()
    if pid == 0:
        try:
            os.execv(path, ["x"])
        except OSError as e:
            os._exit(e.errno)
        finally:
            os._exit(255)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status:
        raise OSError(status, "exec")


def everything():
    return list(CREATORS.items()) + list(USERS_OF.items())
