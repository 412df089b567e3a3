#!/usr/bin/python3
"""Says what a file system answers to some fourteen thousand calls, one line each, so that two can be compared by diff.

    beside.py DIR [SECTION ...] > answers        as root, in an empty directory DIR that everybody may search

The calls are those of chmod, chown, link, mkdir, mkfifo, mknod, open, rename, rmdir, symlink, truncate, fallocate, unlink, utimensat,
access and of extended attributes, in all combinations of kinds of files, owners, permissions and callers that matter to their
errors and side effects. After each, what stat(2) says of all that it touched, and which times have changed.
"""

import ctypes
import errno
import hashlib
import itertools
import os
import stat
import sys
import time

from calls import (
    A,
    AT_FDCWD,
    As,
    B,
    C,
    CREATORS,
    EMPTY,
    FOLLOW,
    KINDS,
    NOFOLLOW,
    NOW,
    OMIT,
    Place,
    ROOT,
    USERS_OF,
    b,
    call,
    everything,
    looks,
    make,
    open_close,
    raw,
    remove,
    renameat2,
    say,
    timed,
    utimens,
)

Place.top = sys.argv[1]


def others(name="link"):
    """What a call needs besides the path that it is about."""
    if name.startswith(("link", "rename", "exchange")):
        make("regular", "other", 0o666)
        make("directory", "otherdir", 0o777)


def each_call_on_each_kind():
    """Every call on every kind of file, by root, the owner and others; by root with a trailing slash too."""
    for (name, function), kind, slash, who in itertools.product(everything(), KINDS + ["none"], ["", "/", "/."], [ROOT, As(A), As(B)]):
        if slash and who is not ROOT:
            continue
        with Place(0o777) as place:
            others(name)
            if kind != "none":
                make(kind, "x", 0o644, A, A)
            with who:
                result = call(function, "x" + slash)
            os.chdir(place.path)
            say(f"{name} {kind}{slash} by {who}", result, "x", "away", "nowhere", "other", "otherdir", ".")


def times_after_each_call():
    for (name, function), kind in itertools.product(everything(), KINDS + ["none"]):
        with Place(0o777) as place:
            others(name)
            if kind != "none":
                make(kind, "x", 0o644)
            timed(f"times {name} {kind}", lambda: (function("x"), os.chdir(place.path))[0], paths=("x", "other", "otherdir", "."))
            os.chdir(place.path)


def prefixes():
    """A component of the path that is no directory, missing, a loop, or may not be searched."""
    for name, function in everything():
        with Place(0o777) as place:
            others()
            for kind in KINDS:
                make(kind, "k" + kind)
            os.symlink("loop", "loop")
            make("directory", "closed", 0o700, A, A)
            make("regular", "closed/x", 0o666, B, B)
            make("directory", "listed", 0o444, 0, 0)
            make("regular", "listed/x", 0o666, B, B)
            for kind in KINDS:
                if kind != "directory":
                    say(f"{name} below {kind}", call(function, f"k{kind}/x"))
            for path in ("missing/x", "loop/x", "loop", ""):
                say(f"{name} {path!r}", call(function, path))
                os.chdir(place.path)
            for path, who in itertools.product(("closed/x", "closed/new", "listed/x", "listed/new"), (As(A), As(B), As(B, B, [A]))):
                with who:
                    result = call(function, path)
                os.chdir(place.path)
                say(f"{name} {path} by {who}", result, path, "other", "otherdir", "away")
                if os.path.lexists("away"):
                    remove("away")
                if not os.path.lexists("other"):
                    make("regular", "other", 0o666)
                if not os.path.lexists("otherdir"):
                    make("directory", "otherdir", 0o777)


def long_names():
    for (name, function), length in itertools.product(everything(), (254, 255, 256, 300)):
        with Place(0o777) as place:
            others(name)
            path = "n" * length
            result = call(function, path)
            os.chdir(place.path)
            say(f"{name} name of {length}", result, "other")
    for (name, function), length in itertools.product(everything(), (4094, 4095, 4096, 5000)):
        with Place(0o777) as place:
            others(name)
            os.makedirs("d" * 200)
            path = ("d" * 200 + "/../") * 25
            path = path[: length - 1]
            path = path[: path.rindex("/") + 1]
            path = path + "./" * ((length - len(path)) // 2)
            path = path + "y" * (length - len(path)) if len(path) < length else path[:-1] + "y"
            result = call(function, path)
            os.chdir(place.path)
            say(f"{name} path of {len(path)}", result, "other")


def parent_permissions():
    """Who may add and remove names: mode and owner of the directory, sticky, owner of the file."""
    callers = [ROOT, As(A), As(B), As(C, C, [A])]
    for mode, kind, owner, who in itertools.product((0o755, 0o777, 0o1777, 0o1775, 0o1755, 0o555, 0o733, 0o311), KINDS[:2] + ["symlink"], (0, A, B), callers):
        for name in ("unlink", "rmdir", "rename away"):
            with Place(mode, A, A):
                make(kind, "x", 0o644, owner, owner)
                with who:
                    result = call(USERS_OF[name], "x")
                say(f"{name} {kind} of {owner} in {mode:o} of {A} by {who}", result, "x", "away")
    for mode, name, who in itertools.product((0o755, 0o777, 0o1777, 0o775, 0o2777, 0o2775, 0o555, 0o311, 0o666), CREATORS, callers):
        with Place(0o777) as place:
            others()
            make("directory", "d", mode, A, B)
            with who:
                result = call(CREATORS[name], "d/x")
            say(f"{name} in {mode:o} of {A}:{B} by {who}", result, "d/x", "other", "otherdir", "d")


def sticky_renames():
    """Renames over and out of sticky directories."""
    for source_kind, target_kind, from_owner, to_owner, x, y, who in itertools.product(
        ("regular", "directory"), ("none", "regular", "directory"), (0, A, B), (0, A, B), (A, B), (A, B), (As(A), ROOT)
    ):
        with Place(0o777):
            make("directory", "from", 0o1777, from_owner, 0)
            make("directory", "to", 0o1777, to_owner, 0)
            make(source_kind, "from/x", 0o755, x, x)
            if target_kind != "none":
                make(target_kind, "to/y", 0o755, y, y)
            elif y == B:
                continue
            with who:
                result = call(os.rename, "from/x", "to/y")
            say(f"rename {source_kind} of {x} from {from_owner} over {target_kind} of {y} in {to_owner} by {who}", result, "from/x", "to/y", "from", "to")


def renames():
    for a, c, depth, flags in itertools.product(KINDS, KINDS + ["none", "full"], ("", "d/"), (0, 1, 2, 3, 4)):
        with Place():
            make("directory", "d", 0o755)
            make(a, "a", 0o640, A, B)
            if c == "full":
                make("directory", depth + "c")
                make("regular", depth + "c/z")
            elif c != "none":
                make(c, depth + "c", 0o604, B, A)
            timed(f"rename {flags} {a} to {depth}{c}", renameat2, "a", depth + "c", flags, paths=("a", depth + "c", ".", "d"))
    cases = [("d", "d/x"), ("d", "d/e/x"), ("d", "d/e"), ("d/e", "d"), ("d", "."), ("d", ".."), (".", "x"), ("..", "x"), ("d/.", "x"), ("d/..", "x"),
             ("d", "x/"), ("f", "x/"), ("f/", "x"), ("d/", "x"), ("d/", "x/"), ("f", "f"), ("f", "g"), ("d/e/", "d"), ("d", "full"), ("full", "d"), ("full", "e"),
             ("l", "x/"), ("l/", "x"), ("f", "l"), ("f", "l/"), ("d", "l"), ("d", "l/"), ("d/e", "l"), ("full/z", "full"), ("d/e", "d/e"), ("full", "full/z"), ("f", ""), ("", "f")]
    for (a, c), flags in itertools.product(cases, (0, 1, 2)):
        with Place():
            make("directory", "d"), make("directory", "d/e"), make("regular", "f"), os.link("f", "g"), make("directory", "full"), make("regular", "full/z"), make("directory", "e")
            os.symlink("e", "l")
            say(f"rename {flags} {a!r} to {c!r}", call(renameat2, a, c, flags), "d", "d/e", "f", "g", "full", "e", "l", "x", ".")


def directory_moves():
    """A directory that gets another parent is written to."""
    for mode, owner, who in itertools.product((0o755, 0o555, 0o777, 0o1777), (A, B), (ROOT, As(A))):
        with Place(0o777):
            make("directory", "from", 0o777, A, A), make("directory", "to", 0o777, A, A), make("directory", "from/x", mode, owner, owner)
            with who:
                result = call(os.rename, "from/x", "to/x"), call(os.rename, "to/x", "to/y")
            say(f"move directory {mode:o} of {owner} by {who}", result, "from/x", "to/x", "to/y", "from", "to")


def chmods():
    for kind, mode, who in itertools.product(KINDS[:6], (0, 0o111, 0o644, 0o755, 0o777, 0o1777, 0o2755, 0o4755, 0o6777, 0o7777), (ROOT, As(A), As(A, B), As(A, A, [B]), As(B))):
        with Place(0o777):
            make(kind, "x", 0o600, A, B)
            timed(f"chmod {kind} {mode:o}", os.chmod, "x", mode, paths=("x",), who=who)
    for kind in KINDS:
        with Place():
            make(kind, "x", 0o600)
            say(f"fchmodat nofollow {kind}", call(raw, "fchmodat", AT_FDCWD, b"x", 0o640, NOFOLLOW), "x")


def chowns():
    for kind, mode, (uid, gid), who in itertools.product(
        KINDS, (0o6777, 0o2755, 0o4711, 0o2644, 0o644), ((-1, -1), (A, -1), (-1, B), (B, B), (A, A), (-1, C), (0, 0), (A, B)), (ROOT, As(A), As(A, A, [B]), As(B), As(B, B, [A]))
    ):
        with Place(0o777):
            make(kind, "x", mode, A, A)
            with who:
                result = call(os.lchown, "x", uid, gid)
            say(f"lchown {kind} {mode:o} to {uid}:{gid} by {who}", result, "x")
    for uid, gid in ((-1, -1), (A, -1), (-1, A), (B, B)):
        for kind in KINDS:
            with Place():
                make(kind, "x", 0o644, A, A)
                timed(f"lchown {kind} {uid}:{gid}", os.lchown, "x", uid, gid, paths=("x",))


def opens():
    accesses = [os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_TRUNC, os.O_WRONLY | os.O_TRUNC, os.O_RDWR | os.O_APPEND, os.O_CREAT | os.O_WRONLY]
    for kind, shift, bits, flags in itertools.product(("regular", "directory", "fifo"), (6, 3, 0), range(8), accesses):
        with Place(0o777):
            mode = bits << shift
            make(kind, "x", mode, A if shift == 6 else 0, B if shift == 3 else 0)
            who = As(A, B)
            with who:
                result = call(open_close, "x", flags)
            say(f"open {kind} {mode:04o} {flags:o} by {who}", result, "x")
            with who:
                print(f"eaccess {kind} {mode:04o}", [call(raw, "faccessat", AT_FDCWD, b"x", bit, 0x200) for bit in (4, 2, 1)])
    for mode, mask, name in itertools.product((0, 0o777, 0o7777, 0o4755, 0o2755, 0o1777, 0o640), (0, 0o22, 0o77, 0o777), ("mkdir", "create", "mkfifo", "mknod")):
        for parent, who in itertools.product((0o777, 0o2777), (As(A, mask=mask), As(A, B, mask=mask), As(0, mask=mask))):
            with Place(parent, B, B):
                with who:
                    if name == "mkdir":
                        result = call(os.mkdir, "x", mode)
                    elif name == "create":
                        result = call(open_close, "x", os.O_CREAT | os.O_WRONLY, mode)
                    elif name == "mkfifo":
                        result = call(os.mkfifo, "x", mode)
                    else:
                        result = call(os.mknod, "x", stat.S_IFREG | mode)
                say(f"{name} {mode:o} umask {mask:o} in {parent:o} by {who}", result, "x", ".")
    for directory, kind in itertools.product((0o1777, 0o777, 0o1775), ("regular", "fifo")):
        for owner, who in itertools.product((0, A, B), (ROOT, As(A), As(B), As(C))):
            with Place(directory, A, A):
                make(kind, "x", 0o666, owner, owner)
                with who:
                    result = call(open_close, "x", os.O_CREAT | os.O_RDWR)
                say(f"open creat {kind} of {owner} in {directory:o} by {who}", result)


def truncates():
    for size in (-1, 0, 1, 4095, 4096, 4097, 1 << 40, (1 << 63) - 1):
        with Place():
            os.close(os.open("x", os.O_CREAT | os.O_WRONLY)), os.truncate("x", 1000)
            timed(f"truncate {size}", os.truncate, "x", size, paths=("x",))
            fd = os.open("x", os.O_RDWR)
            timed(f"ftruncate {size}", os.ftruncate, fd, size, paths=("x",))
            os.close(fd)
            fd = os.open("x", os.O_RDONLY)
            timed(f"ftruncate read only {size}", os.ftruncate, fd, size, paths=("x",))
            os.close(fd)
    for mode, who, what in itertools.product((0o6777, 0o2777, 0o2767, 0o4777, 0o7777, 0o6666), (ROOT, As(A), As(B), As(B, A), As(C, C, [A])), ("write", "truncate", "ftruncate", "open", "fallocate", "same size", "write 0")):
        with Place(0o777):
            make("regular", "x", mode, A, A)
            with who:
                fd = os.open("x", os.O_RDWR)
                if what == "write":
                    result = call(os.pwrite, fd, b"data", 0)
                elif what == "write 0":
                    result = call(os.pwrite, fd, b"", 0)
                elif what == "truncate":
                    result = call(os.truncate, "x", 10)
                elif what == "ftruncate":
                    result = call(os.ftruncate, fd, 10)
                elif what == "same size":
                    result = call(os.truncate, "x", 0)
                elif what == "open":
                    result = call(open_close, "x", os.O_WRONLY | os.O_TRUNC)
                else:
                    result = call(os.posix_fallocate, fd, 0, 10)
                os.close(fd)
            say(f"{what} on {mode:o} by {who}", result, "x")


def fallocates():
    for flags, (offset, length) in itertools.product((0, 1, 2, 3, 0x10, 0x11, 8, 0x20, 0x40), ((0, 100), (0, 0), (-1, 10), (10, -1), (4096, 8192), (1, 1), (100000, 5000), (1 << 62, 1 << 62))):
        with Place():
            fd = os.open("x", os.O_CREAT | os.O_RDWR)
            os.pwrite(fd, b"q" * 20000, 0)
            timed(f"fallocate {flags} {offset} {length}", lambda: raw("fallocate", fd, flags, ctypes.c_long(offset), ctypes.c_long(length)), paths=("x",))
            print(f"fallocate {flags} {offset} {length} leaves", hash_of(fd))
            os.close(fd)
            fd = os.open("x", os.O_RDONLY)
            say(f"fallocate {flags} read only", call(lambda: raw("fallocate", fd, flags, ctypes.c_long(offset), ctypes.c_long(length))))
            os.close(fd)


def hash_of(fd):
    digest = hashlib.sha1()
    at = 0
    while at < 1 << 20:
        part = os.pread(fd, 1 << 16, at)
        if not part:
            break
        digest.update(part)
        at += len(part)
    return digest.hexdigest()[:12], at


def utimes():
    stamps = [(0, NOW), (0, OMIT), (1000, 999999999), (-5, 1), (1 << 33, 7), (0, 1000000000), (0, -1)]
    for kind, a, m, flags, who in itertools.product(("regular", "directory", "symlink", "fifo"), stamps, stamps, (0, NOFOLLOW), (ROOT, As(A), As(B))):
        if kind != "regular" and (who.uid == B or a == stamps[4]):
            continue
        with Place(0o777):
            make(kind, "x", 0o666, A, A)
            with who:
                result = call(utimens, "x", a, m, flags)
            s = os.lstat("x")
            shown = [v if abs(v - time.time_ns()) > 10**11 else "now" for v in (s.st_atime_ns, s.st_mtime_ns)]
            say(f"utimens {kind} {a} {m} {flags} by {who}", f"{result} {shown}")
    for mode, who in itertools.product((0o666, 0o644, 0o444, 0o222, 0), (As(A), As(B), As(C, C, [A]))):
        for a, m in itertools.product(stamps[:3], stamps[:3]):
            with Place(0o777):
                make("regular", "x", mode, A, A)
                with who:
                    say(f"utimens {mode:o} {a} {m} by {who}", call(utimens, "x", a, m))


def links():
    for kind, who, mode in itertools.product(KINDS, (ROOT, As(A), As(B)), (0o644, 0o4755, 0o2755, 0o600, 0o666)):
        with Place(0o777):
            make(kind, "x", mode, A, A)
            timed(f"link {kind} {mode:o}", lambda: os.link("x", "y", follow_symlinks=False), paths=("x", "y", "."), who=who)
            timed(f"unlink after link {kind}", os.unlink, "y", paths=("x", "."))
            timed(f"unlink last {kind}", os.unlink, "x", paths=("x", "."))
    with Place():
        fd = os.open("x", os.O_CREAT | os.O_RDWR)
        os.write(fd, b"hello")
        os.unlink("x")
        s = os.fstat(fd)
        print("fstat of unlinked", s.st_nlink, s.st_size, os.pread(fd, 9, 0), call(os.ftruncate, fd, 2), os.fstat(fd).st_size, call(os.fchmod, fd, 0o6711), oct(os.fstat(fd).st_mode), call(os.fchown, fd, A, B), os.fstat(fd).st_uid)
        print("link of unlinked", call(raw, "linkat", fd, b"", AT_FDCWD, b"back", EMPTY), call(raw, "linkat", AT_FDCWD, b("/proc/self/fd/%d" % fd), AT_FDCWD, b"back", FOLLOW), looks("back"))
        os.close(fd)
        for flags, name in ((os.O_TMPFILE | os.O_RDWR, b"tmp"), (os.O_TMPFILE | os.O_RDWR | os.O_EXCL, b"never")):
            try:
                fd = os.open(".", flags, 0o640)
            except OSError as e:
                print("tmpfile", errno.errorcode[e.errno])
                continue
            before = os.fstat(fd)
            linked = call(raw, "linkat", AT_FDCWD, b("/proc/self/fd/%d" % fd), AT_FDCWD, name, FOLLOW)
            print("tmpfile", before.st_nlink, oct(before.st_mode), linked, looks(name))
            os.close(fd)
    with Place():
        make("directory", "d"), make("directory", "d/e")
        fd = os.open("d/e", os.O_RDONLY)
        os.rmdir("d/e")
        print("removed directory", os.fstat(fd).st_nlink, call(os.listdir, fd), call(lambda: os.close(os.open("x", os.O_CREAT | os.O_WRONLY, dir_fd=fd))), call(lambda: os.mkdir("x", dir_fd=fd)), call(lambda: os.stat("..", dir_fd=fd) and None), call(os.fchmod, fd, 0o700))
        os.close(fd)


def symlinks():
    for length in (0, 1, 255, 1023, 4094, 4095, 4096):
        with Place():
            say(f"symlink of {length}", call(os.symlink, "t" * length, "x"), "x")
    with Place():
        make("regular", "f"), make("directory", "d")
        for n, to in enumerate(["f", "./f", "d/../f", os.getcwd() + "/f"]):
            os.symlink(to, f"l{n}")
            print("through", to == os.readlink(f"l{n}"), call(lambda: os.stat(f"l{n}") and None))
        previous = "f"
        for n in range(50):
            os.symlink(previous, f"c{n}")
            previous = f"c{n}"
            print("chain", n, call(lambda: os.stat(previous) and None), call(open_close, previous, os.O_RDONLY))


def xattrs():
    spaces = ["trusted.a", "security.a", "system.a", "other.a", "a", "trusted.", "security.", "trusted." + "n" * 246, "trusted." + "n" * 247, "trusted." + "n" * 248, "user.a", "user."]
    for kind, name, who in itertools.product(("regular", "directory", "symlink", "fifo"), spaces, (ROOT, As(A), As(B))):
        with Place(0o777):
            make(kind, "x", 0o644, A, A)
            with who:
                results = [
                    call(lambda: os.getxattr("x", name, follow_symlinks=False)),
                    call(lambda: os.setxattr("x", name, b"one", os.XATTR_REPLACE, follow_symlinks=False)),
                    call(lambda: os.setxattr("x", name, b"two", os.XATTR_CREATE, follow_symlinks=False)),
                    call(lambda: os.setxattr("x", name, b"three", os.XATTR_CREATE, follow_symlinks=False)),
                    call(lambda: os.setxattr("x", name, b"four", 0, follow_symlinks=False)),
                    call(lambda: os.getxattr("x", name, follow_symlinks=False)),
                    call(lambda: os.setxattr("x", name, b"", 0, follow_symlinks=False)),
                    call(lambda: os.getxattr("x", name, follow_symlinks=False)),
                    call(lambda: os.listxattr("x", follow_symlinks=False)),
                    call(lambda: os.removexattr("x", name, follow_symlinks=False)),
                    call(lambda: os.removexattr("x", name, follow_symlinks=False)),
                ]
            print(f"xattr {kind} {name} by {who}: {results}")
    with Place():
        make("regular", "x")
        for size in (0, 1, 4096, 65535, 65536, 65537):
            print("xattr size", size, call(lambda: os.setxattr("x", "trusted.big", b"v" * size)), call(lambda: len(os.getxattr("x", "trusted.big"))))
        buffer = ctypes.create_string_buffer(10)
        print("ERANGE", call(raw, "getxattr", b"x", b"trusted.big", buffer, 10), call(raw, "listxattr", b"x", buffer, 10))
        timed("times of setxattr", lambda: os.setxattr("x", "trusted.t", b"v"), paths=("x", "."))
        timed("times of setxattr replaced", lambda: os.setxattr("x", "trusted.t", b"w"), paths=("x", "."))
        timed("times of removexattr", lambda: os.removexattr("x", "trusted.t"), paths=("x", "."))


def descriptors():
    """Reads, writes and seeks through descriptors of each kind of access."""
    for kind, flags in itertools.product(("regular", "directory"), (os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_RDWR | os.O_APPEND, os.O_PATH)):
        with Place():
            make(kind, "x", 0o644)
            if kind == "regular":
                with open("x", "wb") as f:
                    f.write(b"0123456789" * 1000)
            try:
                fd = os.open("x", flags)
            except OSError as e:
                print("descriptor", kind, flags, errno.errorcode[e.errno])
                continue
            results = [
                call(os.pread, fd, 5, 3), call(os.pread, fd, 5, 1 << 40), call(os.pread, fd, 5, -1), call(os.pwrite, fd, b"xy", 9998), call(os.pwrite, fd, b"xy", -1),
                call(os.lseek, fd, -1, 0), call(os.lseek, fd, 5, 0), call(os.read, fd, 3), call(os.write, fd, b"abc"), call(os.lseek, fd, 0, 1), call(os.lseek, fd, 3, 2) if kind == "regular" else "",
                call(os.lseek, fd, 0, 3) if kind == "regular" else "", call(os.lseek, fd, 0, 4) if kind == "regular" else "", call(os.lseek, fd, 1 << 40, 3) if kind == "regular" else "",
                call(os.ftruncate, fd, 77), call(os.fsync, fd), call(os.fdatasync, fd), call(os.fchmod, fd, 0o600), call(os.fchown, fd, A, A), call(os.fchdir, fd),
                call(os.pwrite, fd, b"z", (1 << 63) - 1), call(os.pwrite, fd, b"zz", (1 << 63) - 2), call(os.copy_file_range, fd, fd, 5, 0, 20), call(os.copy_file_range, fd, fd, 5, 0, 3),
                call(os.readv, fd, [bytearray(3), bytearray(3)]), call(os.writev, fd, [b"a", b"b"]),
            ]
            os.close(fd)
            print("descriptor", kind, flags, results)
            say(f"after descriptor {kind} {flags}", "", "x")


def listings():
    with Place():
        for kind in KINDS:
            make(kind, kind)
        print("listing", sorted((e.name, e.is_dir(follow_symlinks=False), e.is_symlink(), e.is_file(follow_symlinks=False)) for e in os.scandir(".")))
        for name in (b"\xff\xfe", b"caf\xe9", "café".encode(), b"new\nline", b"tab\t", b" ", b"-", b"\\", b"...", b"a" * 255, b"\x01"):
            print("name", name, call(lambda: os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY))), name in os.listdir(b"."), call(os.unlink, name))
        for name in (b".", b".."):
            for what, f in (("unlink", os.unlink), ("rmdir", os.rmdir), ("mkdir", os.mkdir), ("create", lambda p: open_close(p, os.O_CREAT | os.O_WRONLY)), ("link", lambda p: os.link("regular", p)), ("symlink", lambda p: os.symlink("x", p))):
                print(what, name, call(f, name))
        for n in range(3):
            os.mkdir(f"s{n}")
            print("links", os.stat(".").st_nlink)
        for n in range(3):
            os.rmdir(f"s{n}")
            print("links", os.stat(".").st_nlink)


def removed_contents():
    for content in KINDS:
        with Place():
            make("directory", "d")
            make(content, "d/x")
            say(f"rmdir with {content}", call(os.rmdir, "d"), "d")
            timed(f"rmdir after {content}", lambda: (remove("d/x"), os.rmdir("d"))[1], paths=(".",))


SECTIONS = [
    each_call_on_each_kind,
    times_after_each_call,
    prefixes,
    long_names,
    parent_permissions,
    sticky_renames,
    renames,
    directory_moves,
    chmods,
    chowns,
    opens,
    truncates,
    fallocates,
    utimes,
    links,
    symlinks,
    xattrs,
    descriptors,
    listings,
    removed_contents,
]
for section in SECTIONS:
    if not sys.argv[2:] or section.__name__ in sys.argv[2:]:
        print("#", section.__name__)
        section()
