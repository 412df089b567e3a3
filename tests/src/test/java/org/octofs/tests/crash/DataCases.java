package org.octofs.tests.crash;

import java.util.List;

/** Cases with blocks: data, loans, segments. */
final class DataCases {
    /** More than there are segments, and in more shards. */
    private static final int DIRECTORIES = 8;

    private DataCases() {}

    static void add(List<CrashCase> to) {
        data(to);
        space(to);
    }

    private static void data(List<CrashCase> to) {
        CrashCase.one(to, "write of a new file", fs -> fs.create("/f"), fs -> fs.write("/f", 0, 2, 2));
        CrashCase.one(to, "overwrite", CrashCase::file, fs -> fs.write("/f", 1, 2, 2));
        CrashCase.one(to, "write that makes the map a tree", CrashCase::file, fs -> fs.write("/f", 4, 5, 2));
        CrashCase.one(to, "write that makes the map higher", CrashCase::file, fs -> fs.write("/f", 300, 2, 2));
        CrashCase.one(
                to,
                "overwrite below a tree",
                fs -> {
                    CrashCase.file(fs);
                    fs.write("/f", 300, 4, 1);
                },
                fs -> {
                    fs.write("/f", 301, 2, 2);
                    fs.write("/f", 300, 2, 3);
                });
        CrashCase.one(to, "append", CrashCase::file, fs -> fs.append("/f", 2, 4));
        CrashCase.one(to, "truncate to nothing", CrashCase::file, fs -> fs.truncate("/f", 0));
        CrashCase.one(to, "truncate", CrashCase::file, fs -> fs.truncate("/f", 5000));
        CrashCase.one(to, "truncate to a larger size", CrashCase::file, fs -> fs.truncate("/f", 50_000));
        CrashCase.one(
                to,
                "truncate of a tree",
                fs -> {
                    CrashCase.file(fs);
                    fs.write("/f", 8, 4, 1);
                    fs.write("/f", 300, 4, 1);
                },
                fs -> {
                    fs.truncate("/f", 9 * Blocks.BYTES);
                    fs.truncate("/f", 0);
                });
        CrashCase.one(to, "punch", CrashCase::file, fs -> fs.punch("/f", 1, 1));
        CrashCase.one(
                to,
                "punch of subtrees",
                fs -> {
                    CrashCase.file(fs);
                    fs.write("/f", 256, 4, 1);
                    fs.write("/f", 550, 4, 1);
                },
                fs -> fs.punch("/f", 2, 550));
        CrashCase.one(to, "fallocate", CrashCase::file, fs -> fs.allocate("/f", 5, 10));
        CrashCase.one(to, "fallocate that grows the file", CrashCase::file, fs -> {
            fs.allocate("/f", 2, 4);
            fs.extend("/f", 6 * Blocks.BYTES);
        });
        CrashCase.one(to, "zero range", CrashCase::file, fs -> {
            fs.allocate("/f", 3, 1);
            fs.zero("/f", 1, 3);
            fs.extend("/f", 4 * Blocks.BYTES);
        });
        CrashCase.one(
                to,
                "zero range below a tree",
                fs -> {
                    CrashCase.file(fs);
                    fs.write("/f", 300, 4, 1);
                },
                fs -> fs.zero("/f", 299, 3));
        CrashCase.one(
                to,
                "punch and truncate of allocated blocks",
                fs -> {
                    CrashCase.file(fs);
                    fs.allocate("/f", 3, 8);
                },
                fs -> {
                    fs.punch("/f", 4, 2);
                    fs.truncate("/f", 3 * Blocks.BYTES);
                });
        CrashCase.one(
                to,
                "copy",
                fs -> {
                    CrashCase.file(fs);
                    fs.create("/g");
                },
                fs -> {
                    fs.copy("/f", "/g", 0, 3);
                    fs.unlink("/f");
                });
        CrashCase.one(to, "write of a part of a block", CrashCase::file, fs -> {
            fs.overwrite("/f", 1, 5);
            fs.overwrite("/f", 2, 6);
        });
        CrashCase.one(
                to,
                "write into allocated blocks",
                fs -> {
                    CrashCase.file(fs);
                    fs.allocate("/f", 5, 3);
                },
                fs -> fs.write("/f", 6, 1, 2));
        CrashCase.one(
                to,
                "unlink of an open file, and close",
                fs -> {
                    CrashCase.file(fs);
                    fs.write("/f", 300, 4, 1);
                    fs.open("/f");
                },
                fs -> {
                    fs.unlink("/f");
                    fs.close("/f");
                });
        CrashCase.one(to, "unlink of a file with blocks", CrashCase::file, fs -> fs.unlink("/f"));
    }

    private static void space(List<CrashCase> to) {
        CrashCase.one(to, "blocks lent", CrashCase::file, fs -> fs.reserve("/f", 3, 20));
        CrashCase.one(
                to,
                "blocks given back",
                fs -> {
                    CrashCase.file(fs);
                    fs.reserve("/f", 3, 20);
                },
                fs -> fs.giveBack("/f"));
        CrashCase.one(
                to,
                "goodbye with blocks lent and a file open",
                fs -> {
                    CrashCase.file(fs);
                    fs.reserve("/f", 3, 20);
                    fs.open("/f");
                },
                FsCalls::goodbye);
        CrashCase.one(to, "segments filled and emptied", CrashCase::file, fs -> {
            fs.write("/f", 10, 40, 2);
            fs.truncate("/f", 0);
        });
        CrashCase.one(
                to,
                "blocks in segments of other shards",
                fs -> {
                    for (int i = 0; i < DIRECTORIES; i++) {
                        fs.mkdir("/d" + i);
                        fs.create("/d" + i + "/f");
                        fs.write("/d" + i + "/f", 0, 2, 1);
                    }
                    fs.restart();
                },
                fs -> {
                    for (int i = 0; i < DIRECTORIES; i += 2) {
                        fs.write("/d" + i + "/f", 1, 2, 2);
                    }
                    fs.truncate("/d1/f", 0);
                    fs.write("/d1/f", 3, 2, 3);
                });
        to.add(new CrashCase(
                "segments of two nodes",
                2,
                fs -> {
                    CrashCase.homes(fs, 2);
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
                "copy at two nodes",
                2,
                fs -> {
                    CrashCase.homes(fs, 2);
                    fs.create("/h@0/f");
                    fs.create("/h@0/g");
                    // The last block of a stripe unit and the first of the next one; the first time a node may have no
                    // segment yet.
                    fs.write("/h@0/f", 511, 2, 1);
                    fs.write("/h@0/f", 511, 2, 2);
                },
                fs -> fs.copy("/h@0/f", "/h@0/g", 511, 2)));
        to.add(new CrashCase(
                "goodbye to two nodes with blocks lent",
                2,
                fs -> {
                    CrashCase.homes(fs, 2);
                    fs.create("/h@0/f");
                    fs.reserve("/h@0/f", 256, 10);
                    fs.reserve("/h@0/f", 512, 10);
                },
                FsCalls::goodbye));
    }
}
