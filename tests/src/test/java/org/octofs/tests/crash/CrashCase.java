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

    private static void tree(FsCalls fs) {
        fs.mkdir("/d");
        fs.create("/d/x");
        fs.create("/a");
        fs.create("/b");
    }

    private static void file(FsCalls fs) {
        fs.create("/f");
        fs.write("/f", 0, 3, 1);
    }

    /** A directory on each of the nodes. */
    private static void homes(FsCalls fs, int nodes) {
        for (int node = 0; node < nodes; node++) {
            fs.mkdir("/h@" + node);
        }
    }

    /** All cases. */
    static List<CrashCase> all() {
        List<CrashCase> cases = new ArrayList<>();
        namespace(cases);
        attributes(cases);
        reuse(cases);
        data(cases);
        space(cases);
        twoHomes(cases);
        threeHomes(cases);
        return cases;
    }

    private static void one(List<CrashCase> to, String name, Consumer<FsCalls> prepare, Consumer<FsCalls> run) {
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

    private static void data(List<CrashCase> to) {
        one(to, "write of a new file", fs -> fs.create("/f"), fs -> fs.write("/f", 0, 2, 2));
        one(to, "overwrite", CrashCase::file, fs -> fs.write("/f", 1, 2, 2));
        one(to, "write that makes the map a tree", CrashCase::file, fs -> fs.write("/f", 4, 5, 2));
        one(to, "write that makes the map higher", CrashCase::file, fs -> fs.write("/f", 300, 2, 2));
        one(
                to,
                "overwrite below a tree",
                fs -> {
                    file(fs);
                    fs.write("/f", 300, 4, 1);
                },
                fs -> {
                    fs.write("/f", 301, 2, 2);
                    fs.write("/f", 300, 2, 3);
                });
        one(to, "append", CrashCase::file, fs -> fs.append("/f", 2, 4));
        one(to, "truncate to nothing", CrashCase::file, fs -> fs.truncate("/f", 0));
        one(to, "truncate", CrashCase::file, fs -> fs.truncate("/f", 5000));
        one(to, "truncate to a larger size", CrashCase::file, fs -> fs.truncate("/f", 50_000));
        one(
                to,
                "truncate of a tree",
                fs -> {
                    file(fs);
                    fs.write("/f", 8, 4, 1);
                    fs.write("/f", 300, 4, 1);
                },
                fs -> {
                    fs.truncate("/f", 9 * Blocks.BYTES);
                    fs.truncate("/f", 0);
                });
        one(to, "punch", CrashCase::file, fs -> fs.punch("/f", 1, 1));
        one(
                to,
                "punch of subtrees",
                fs -> {
                    file(fs);
                    fs.write("/f", 256, 4, 1);
                    fs.write("/f", 550, 4, 1);
                },
                fs -> fs.punch("/f", 2, 550));
        one(to, "fallocate", CrashCase::file, fs -> fs.allocate("/f", 5, 10));
        one(
                to,
                "write into allocated blocks",
                fs -> {
                    file(fs);
                    fs.allocate("/f", 5, 3);
                },
                fs -> fs.write("/f", 6, 1, 2));
        one(
                to,
                "unlink of an open file, and close",
                fs -> {
                    file(fs);
                    fs.write("/f", 300, 4, 1);
                    fs.open("/f");
                },
                fs -> {
                    fs.unlink("/f");
                    fs.close("/f");
                });
        one(to, "unlink of a file with blocks", CrashCase::file, fs -> fs.unlink("/f"));
    }

    private static void space(List<CrashCase> to) {
        one(to, "blocks lent", CrashCase::file, fs -> fs.reserve("/f", 3, 20));
        one(
                to,
                "blocks given back",
                fs -> {
                    file(fs);
                    fs.reserve("/f", 3, 20);
                },
                fs -> fs.giveBack("/f"));
        one(
                to,
                "goodbye with blocks lent and a file open",
                fs -> {
                    file(fs);
                    fs.reserve("/f", 3, 20);
                    fs.open("/f");
                },
                FsCalls::goodbye);
        one(to, "segments filled and emptied", CrashCase::file, fs -> {
            fs.write("/f", 10, 40, 2);
            fs.truncate("/f", 0);
        });
        to.add(new CrashCase(
                "segments of two nodes",
                2,
                fs -> {
                    homes(fs, 2);
                    fs.create("/h@0/f");
                    fs.create("/h@1/f");
                },
                fs -> {
                    fs.write("/h@0/f", 256, 20, 2);
                    fs.write("/h@1/f", 512, 20, 3);
                    fs.write("/h@0/f", 512, 20, 2);
                    fs.truncate("/h@0/f", 0);
                }));
        to.add(new CrashCase(
                "goodbye to two nodes with blocks lent",
                2,
                fs -> {
                    homes(fs, 2);
                    fs.create("/h@0/f");
                    fs.reserve("/h@0/f", 256, 10);
                    fs.reserve("/h@0/f", 512, 10);
                },
                FsCalls::goodbye));
    }

    private static void two(List<CrashCase> to, String name, Consumer<FsCalls> prepare, Consumer<FsCalls> run) {
        to.add(new CrashCase(
                name + " (2 homes)",
                2,
                fs -> {
                    homes(fs, 2);
                    prepare.accept(fs);
                },
                run));
    }

    private static void twoHomes(List<CrashCase> to) {
        two(to, "mkdir", fs -> {}, fs -> fs.mkdir("/h@0/d@1"));
        two(to, "mkdir twice", fs -> {}, fs -> {
            fs.mkdir("/h@0/d@1");
            fs.mkdir("/h@1/d@0");
        });
        two(to, "rmdir", fs -> fs.mkdir("/h@0/d@1"), fs -> fs.rmdir("/h@0/d@1"));
        two(to, "link", fs -> fs.create("/h@1/f"), fs -> fs.link("/h@1/f", "/h@0/l"));
        two(
                to,
                "unlink of one of two names",
                fs -> {
                    fs.create("/h@1/f");
                    fs.link("/h@1/f", "/h@0/l");
                },
                fs -> fs.unlink("/h@0/l"));
        two(
                to,
                "unlink of the last name",
                fs -> {
                    fs.create("/h@1/f");
                    fs.write("/h@1/f", 0, 2, 1);
                    fs.rename("/h@1/f", "/h@0/f");
                },
                fs -> fs.unlink("/h@0/f"));
        two(to, "rename of a file", fs -> fs.create("/h@0/f"), fs -> fs.rename("/h@0/f", "/h@1/g"));
        two(
                to,
                "rename of a file over a file",
                fs -> {
                    fs.create("/h@0/f");
                    fs.create("/h@1/g");
                    fs.write("/h@1/g", 0, 2, 1);
                },
                fs -> fs.rename("/h@0/f", "/h@1/g"));
        two(
                to,
                "rename over a file of another home",
                fs -> {
                    fs.create("/h@0/f");
                    fs.create("/h@1/g");
                    fs.rename("/h@1/g", "/h@0/g");
                },
                fs -> fs.rename("/h@0/f", "/h@0/g"));
        two(
                to,
                "rename of a directory there and back",
                fs -> {
                    fs.mkdir("/h@0/d@1");
                    fs.create("/h@0/d@1/x");
                },
                fs -> {
                    fs.rename("/h@0/d@1", "/h@1/e");
                    fs.rename("/h@1/e", "/h@0/f");
                });
        two(
                to,
                "exchange of files",
                fs -> {
                    fs.create("/h@0/f");
                    fs.create("/h@1/g");
                    fs.write("/h@1/g", 0, 1, 1);
                },
                fs -> fs.exchange("/h@0/f", "/h@1/g"));
    }

    private static void three(List<CrashCase> to, String name, Consumer<FsCalls> prepare, Consumer<FsCalls> run) {
        to.add(new CrashCase(
                name + " (3 homes)",
                3,
                fs -> {
                    homes(fs, 3);
                    prepare.accept(fs);
                },
                run));
    }

    private static void threeHomes(List<CrashCase> to) {
        three(
                to,
                "rename over a file",
                fs -> {
                    fs.create("/h@0/f");
                    fs.create("/h@2/g");
                    fs.rename("/h@2/g", "/h@1/g");
                },
                fs -> fs.rename("/h@0/f", "/h@1/g"));
        three(
                to,
                "rename of a directory",
                fs -> {
                    fs.mkdir("/h@1/d@2");
                    fs.create("/h@1/d@2/x");
                },
                fs -> fs.rename("/h@1/d@2", "/h@0/d"));
        three(
                to,
                "rename of a directory over a directory",
                fs -> {
                    fs.mkdir("/h@1/d@2");
                    fs.create("/h@1/d@2/x");
                    fs.mkdir("/h@2/e@0");
                },
                fs -> fs.rename("/h@1/d@2", "/h@2/e@0"));
        three(
                to,
                "exchange of file and directory",
                fs -> {
                    fs.create("/h@1/f");
                    fs.mkdir("/h@2/d@0");
                    fs.create("/h@2/d@0/x");
                },
                fs -> fs.exchange("/h@1/f", "/h@2/d@0"));
    }
}
