package org.octofs.tests.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One thing to be done while the power may fail.
 *
 * @param nodes servers of the cluster
 * @param prepare what has to be there before
 * @param run what is stopped at every point; more than one operation where one alone would leave something untried
 */
record CrashCase(String name, int nodes, Consumer<FsCalls> prepare, Consumer<FsCalls> run) {
    private static final int XATTR_OF_TWO_PAGES = 6000;
    private static final int LONG_TARGET = 2000;

    @Override
    public String toString() {
        return name;
    }

    static void tree(FsCalls fs) {
        fs.mkdir("/d");
        fs.create("/d/x");
        fs.create("/a");
        fs.create("/b");
    }

    static void file(FsCalls fs) {
        fs.create("/f");
        fs.write("/f", 0, 3, 1);
    }

    /** A directory on each of the nodes. */
    static void homes(FsCalls fs, int nodes) {
        for (int node = 0; node < nodes; node++) {
            fs.mkdir("/h@" + node);
        }
    }

    /** All cases. */
    static List<CrashCase> all() {
        List<CrashCase> cases = new ArrayList<>();
        namespace(cases);
        unnamed(cases);
        attributes(cases);
        lists(cases);
        reads(cases);
        reuse(cases);
        DataCases.add(cases);
        HomeCases.add(cases);
        return cases;
    }

    static void one(List<CrashCase> to, String name, Consumer<FsCalls> prepare, Consumer<FsCalls> run) {
        to.add(new CrashCase(name, 1, prepare, run));
    }

    private static void namespace(List<CrashCase> to) {
        one(to, "create", fs -> {}, fs -> fs.create("/new"));
        one(to, "create twice", CrashCase::tree, fs -> {
            fs.create("/d/new");
            fs.create("/new");
        });
        one(to, "create, long name", CrashCase::tree, fs -> fs.create("/d/" + "n".repeat(200)));
        one(to, "mknod", CrashCase::tree, fs -> fs.mknod("/d/fifo"));
        one(to, "mkdir", CrashCase::tree, fs -> fs.mkdir("/d/new"));
        one(
                to,
                "rmdir",
                fs -> {
                    tree(fs);
                    fs.mkdir("/d/e");
                },
                fs -> fs.rmdir("/d/e"));
        one(to, "symlink", CrashCase::tree, fs -> fs.symlink("/s", "a"));
        one(to, "symlink, long target", CrashCase::tree, fs -> fs.symlink("/s", "t".repeat(LONG_TARGET)));
        one(to, "link", CrashCase::tree, fs -> fs.link("/a", "/d/l"));
        one(to, "open, unlink and close", CrashCase::tree, fs -> {
            fs.open("/a");
            fs.unlink("/a");
            fs.close("/a");
        });
        one(to, "unlink", CrashCase::tree, fs -> fs.unlink("/a"));
        one(
                to,
                "unlink of one of two names",
                fs -> {
                    tree(fs);
                    fs.link("/a", "/d/l");
                },
                fs -> fs.unlink("/d/l"));
        one(to, "unlink of a long symlink", fs -> fs.symlink("/s", "t".repeat(LONG_TARGET)), fs -> fs.unlink("/s"));
        one(to, "rename", CrashCase::tree, fs -> fs.rename("/a", "/c"));
        one(to, "rename to another directory", CrashCase::tree, fs -> fs.rename("/a", "/d/a"));
        one(
                to,
                "rename over a file",
                fs -> {
                    tree(fs);
                    fs.write("/b", 0, 2, 1);
                },
                fs -> fs.rename("/a", "/b"));
        one(
                to,
                "rename over a directory",
                fs -> {
                    tree(fs);
                    fs.mkdir("/e");
                },
                fs -> fs.rename("/d", "/e"));
        one(
                to,
                "rename of a directory to another",
                fs -> {
                    tree(fs);
                    fs.mkdir("/e");
                },
                fs -> fs.rename("/d", "/e/d"));
        one(to, "exchange", CrashCase::tree, fs -> fs.exchange("/a", "/d/x"));
        one(to, "exchange of file and directory", CrashCase::tree, fs -> fs.exchange("/a", "/d"));
        one(
                to,
                "entries come and go",
                fs -> {
                    tree(fs);
                    for (int i = 0; i < 40; i++) {
                        fs.create("/d/" + i);
                    }
                },
                fs -> {
                    fs.unlink("/d/7");
                    fs.create("/d/other");
                    fs.unlink("/d/other");
                });
    }

    /** Fills the log. */
    private static void chmods(FsCalls fs, int count) {
        for (int i = 0; i < count; i++) {
            fs.chmod(i % 2 == 0 ? "/a" : "/b", 0x100 + i % 5);
        }
    }

    private static void attributes(List<CrashCase> to) {
        one(to, "setattr", CrashCase::tree, fs -> fs.chmod("/a", 0x180));
        one(
                to,
                "setattr when the log goes round",
                fs -> {
                    tree(fs);
                    chmods(fs, 115);
                },
                fs -> chmods(fs, 20));
        one(to, "setxattr", CrashCase::tree, fs -> fs.setXattr("/a", "user.k", 10));
        one(to, "setxattr, two pages", CrashCase::tree, fs -> fs.setXattr("/d", "user.k", XATTR_OF_TWO_PAGES));
        one(
                to,
                "setxattr, replaced",
                fs -> {
                    tree(fs);
                    fs.setXattr("/a", "user.k", XATTR_OF_TWO_PAGES);
                },
                fs -> {
                    fs.setXattr("/a", "user.k", 20);
                    fs.setXattr("/a", "user.l", 30);
                });
        one(
                to,
                "removexattr",
                fs -> {
                    tree(fs);
                    fs.setXattr("/a", "user.k", 100);
                },
                fs -> fs.removeXattr("/a", "user.k"));
    }

    private static void unnamed(List<CrashCase> to) {
        one(to, "file without a name", CrashCase::tree, fs -> {
            fs.createUnnamed("/d");
            fs.close("");
        });
        one(to, "file without a name gets one", CrashCase::tree, fs -> {
            fs.createUnnamed("/d");
            fs.nameIt("/d/new");
        });
        one(
                to,
                "file without a name, written, gets one",
                fs -> {
                    tree(fs);
                    fs.createUnnamed("/d");
                },
                fs -> {
                    fs.writeUnnamed(0, 2, 3);
                    fs.nameIt("/new");
                    fs.close("");
                });
    }

    private static void lists(List<CrashCase> to) {
        one(to, "access list", CrashCase::tree, fs -> fs.setList("/a", Lists.ACCESS, Lists.of(6, 4, 4, 6, 0)));
        one(
                to,
                "access list, replaced and removed",
                fs -> {
                    tree(fs);
                    fs.setXattr("/a", "user.k", 10);
                    fs.setList("/a", Lists.ACCESS, Lists.of(6, 4, 4, 6, 0));
                },
                fs -> {
                    fs.setList("/a", Lists.ACCESS, Lists.of(7, 2, 4, 3, 4));
                    fs.removeXattr("/a", Lists.ACCESS);
                });
        one(to, "default list, inherited", CrashCase::tree, fs -> {
            fs.setList("/d", Lists.DEFAULT, Lists.of(7, 7, 5, 7, 5));
            fs.create("/d/new");
            fs.createUnnamed("/d");
            fs.close("");
        });
    }

    /** What changes nothing must not do so when it is in the way of something that does. */
    private static void reads(List<CrashCase> to) {
        one(
                to,
                "reads between changes",
                fs -> {
                    tree(fs);
                    fs.symlink("/s", "a");
                },
                fs -> {
                    fs.chmod("/a", 0x180);
                    fs.read("/a");
                    fs.read("/d");
                    fs.read("/s");
                    fs.chmod("/b", 0x180);
                });
        one(to, "locks between changes", CrashCase::tree, fs -> {
            fs.lock("/a");
            fs.chmod("/a", 0x180);
            fs.lock("/b");
        });
        one(
                to,
                "what was open is told again",
                fs -> {
                    tree(fs);
                    fs.open("/a");
                    fs.unlink("/a");
                    fs.restart();
                },
                fs -> {
                    fs.reclaim();
                    fs.chmod("/b", 0x180);
                });
    }

    /** Pages that once held something else, so that what was in them must not be taken for slots, maps or values. */
    private static void usedPages(FsCalls fs) {
        fs.create("/v");
        fs.setXattr("/v", "user.v", 10 * XATTR_OF_TWO_PAGES);
        fs.removeXattr("/v", "user.v");
        fs.restart();
    }

    private static void reuse(List<CrashCase> to) {
        one(to, "create in a used page", CrashCase::usedPages, fs -> fs.create("/" + "n".repeat(200)));
        one(
                to,
                "create of many in used pages",
                fs -> {
                    usedPages(fs);
                    for (int i = 0; i < 14; i++) {
                        fs.create("/" + i);
                    }
                },
                fs -> {
                    fs.create("/m");
                    fs.create("/n");
                });
        one(to, "setxattr in used pages", CrashCase::usedPages, fs -> fs.setXattr("/v", "user.k", XATTR_OF_TWO_PAGES));
        one(to, "write with a map in used pages", CrashCase::usedPages, fs -> fs.write("/v", 300, 2, 1));
    }
}
