package org.octofs.server.txn;

import java.util.List;
import org.octofs.server.ops.RenameHandler;

/** Operations over several servers, each with what has to be there before. Three servers; a, b and c are directories on 0, 1 and 2. */
enum Scenario {
    MKDIR {
        @Override
        TestRequest run(World w) {
            return w.fs.mkdirAsync(w.a, w.fs.nameFor(w.a, 1, "new"));
        }
    },
    RMDIR {
        @Override
        void prepare(World w) {
            w.x = w.fs.mkdirOn(w.a, 1, "d");
        }

        @Override
        TestRequest run(World w) {
            return w.fs.rmdirAsync(w.a, w.fs.nameFor(w.a, 1, "d"));
        }
    },
    LINK {
        @Override
        void prepare(World w) {
            w.x = w.fs.create(w.b, "file");
        }

        @Override
        TestRequest run(World w) {
            return w.fs.linkAsync(w.x, w.a, "name");
        }
    },
    UNLINK_ONE_OF_TWO {
        @Override
        void prepare(World w) {
            w.x = w.fs.create(w.b, "file");
            w.ok(w.fs.link(w.x, w.a, "name"));
        }

        @Override
        TestRequest run(World w) {
            return w.fs.unlinkAsync(w.a, "name");
        }
    },
    UNLINK_LAST {
        @Override
        void prepare(World w) {
            w.x = w.fs.create(w.b, "file");
            w.ok(w.fs.rename(w.b, "file", w.a, "name", 0));
        }

        @Override
        TestRequest run(World w) {
            return w.fs.unlinkAsync(w.a, "name");
        }
    },
    RENAME_FILE {
        @Override
        void prepare(World w) {
            w.x = w.fs.create(w.a, "file");
        }

        @Override
        TestRequest run(World w) {
            return w.fs.renameAsync(w.a, "file", w.b, "moved", 0);
        }
    },
    RENAME_FILE_OVER_FILE {
        @Override
        void prepare(World w) {
            w.x = w.fs.create(w.a, "file");
            w.y = w.fs.create(w.b, "there");
        }

        @Override
        TestRequest run(World w) {
            return w.fs.renameAsync(w.a, "file", w.b, "there", 0);
        }
    },
    RENAME_FILE_OVER_FILE_OF_THIRD_SERVER {
        @Override
        void prepare(World w) {
            w.x = w.fs.create(w.a, "file");
            w.y = w.fs.create(w.c, "there");
            w.ok(w.fs.rename(w.c, "there", w.b, "there", 0));
        }

        @Override
        TestRequest run(World w) {
            return w.fs.renameAsync(w.a, "file", w.b, "there", 0);
        }
    },
    RENAME_OVER_FILE_IN_SAME_DIRECTORY {
        @Override
        void prepare(World w) {
            w.x = w.fs.create(w.a, "file");
            w.y = w.fs.create(w.b, "there");
            w.ok(w.fs.rename(w.b, "there", w.a, "there", 0));
        }

        @Override
        TestRequest run(World w) {
            return w.fs.renameAsync(w.a, "file", w.a, "there", 0);
        }
    },
    RENAME_DIRECTORY {
        @Override
        void prepare(World w) {
            w.x = w.fs.mkdirOn(w.a, 2, "d");
            w.fs.create(w.x, "inside");
        }

        @Override
        TestRequest run(World w) {
            return w.fs.renameAsync(w.a, w.fs.nameFor(w.a, 2, "d"), w.b, "moved", 0);
        }
    },
    RENAME_DIRECTORY_OVER_DIRECTORY {
        @Override
        void prepare(World w) {
            w.x = w.fs.mkdirOn(w.b, 2, "d");
            w.fs.create(w.x, "inside");
            w.y = w.fs.mkdirOn(w.c, 0, "e");
        }

        @Override
        TestRequest run(World w) {
            return w.fs.renameAsync(w.b, w.fs.nameFor(w.b, 2, "d"), w.c, w.fs.nameFor(w.c, 0, "e"), 0);
        }
    },
    EXCHANGE_FILES {
        @Override
        void prepare(World w) {
            w.x = w.fs.create(w.a, "left");
            w.y = w.fs.create(w.b, "right");
        }

        @Override
        TestRequest run(World w) {
            return w.fs.renameAsync(w.a, "left", w.b, "right", RenameHandler.EXCHANGE);
        }
    },
    EXCHANGE_FILE_AND_DIRECTORY {
        @Override
        void prepare(World w) {
            w.x = w.fs.create(w.b, "left");
            w.y = w.fs.mkdirOn(w.c, 0, "right");
            w.fs.create(w.y, "inside");
        }

        @Override
        TestRequest run(World w) {
            return w.fs.renameAsync(w.b, "left", w.c, w.fs.nameFor(w.c, 0, "right"), RenameHandler.EXCHANGE);
        }
    };

    /** What is needed before. */
    void prepare(World w) {
        // Most need nothing.
    }

    /** Sends the request. */
    abstract TestRequest run(World w);

    /** A cluster of three with a directory on each, prepared for one scenario. */
    static final class World implements AutoCloseable {
        final TxnCluster cluster;
        final TxnFs fs;
        long a;
        long b;
        long c;
        long x;
        long y;

        World(Scenario scenario, long seed) {
            cluster = new TxnCluster(3, seed);
            fs = new TxnFs(cluster);
            a = fs.mkdirOn(TxnFs.ROOT, 0, "a");
            b = fs.mkdirOn(TxnFs.ROOT, 1, "b");
            c = fs.mkdirOn(TxnFs.ROOT, 2, "c");
            for (long directory : new long[] {a, b, c}) {
                // Pages for entries are there, so that costs are those of every day.
                fs.create(directory, "warm");
                ok(fs.unlink(directory, "warm"));
            }
            scenario.prepare(this);
            cluster.settle();
        }

        void ok(org.octofs.rpc.protocol.Errno errno) {
            if (errno != org.octofs.rpc.protocol.Errno.OK) {
                throw new AssertionError(errno);
            }
        }

        /** Everything that a client can tell: paths, and where x and y are. */
        List<String> picture() {
            return TreeCheck.check(cluster, fs).entrySet().stream()
                    .map(e -> e.getKey() + (e.getValue() == x ? " x" : e.getValue() == y ? " y" : ""))
                    .toList();
        }

        @Override
        public void close() {
            cluster.close();
        }
    }
}
