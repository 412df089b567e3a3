package org.octofs.server.check;

import org.octofs.server.store.PageKind;

/**
 * One look at everything, in this order: pages, inodes with what they refer to, names, tables, space, the tree.
 * Threading: confined to the check.
 */
final class CheckRound {
    private static final int PAGES_PER_REPORT = 1024;

    /** Looks at one page. */
    @FunctionalInterface
    private interface PageVisitor {
        void page(PoolView pool, int page);
    }

    private final Cluster cluster;
    private final CheckOptions options;
    private final Findings findings;
    private InodeIndex index;
    private InodeCheck inodes;
    private DentryCheck dentries;
    private BlockMapCheck maps;
    private SpaceCheck space;
    private DataCheck data;

    CheckRound(Cluster cluster, CheckOptions options) {
        this.cluster = cluster;
        this.options = options;
        this.findings = new Findings(options.findingsMax());
    }

    Findings findings() {
        return findings;
    }

    void run() {
        for (int node = 0; node < cluster.nodeCount(); node++) {
            if (cluster.pool(node) != null) {
                cluster.pool(node).beginRound();
                PageTableCheck.run(cluster.pool(node), findings);
            }
        }
        index = new InodeIndex(InodeCheck.count(cluster));
        PathNames paths = new PathNames(cluster, index);
        inodes = new InodeCheck(cluster, findings, index);
        pages("inodes", PageKind.INODE, PageKind.INODE, inodes::page);
        data = new DataCheck(options, inodes.blocks(), findings, paths);
        maps = new BlockMapCheck(cluster, findings, data);
        ContentCheck contents = new ContentCheck(findings, maps);
        pages("block maps", PageKind.INODE, PageKind.INODE, (pool, page) -> contents.page(pool, page, index));
        dentries = new DentryCheck(cluster, findings, index, paths);
        for (int node = 0; node < cluster.nodeCount(); node++) {
            if (cluster.pool(node) != null) {
                pages(cluster.pool(node), "names", PageKind.DENTRY_SMALL, PageKind.DENTRY_LARGE, dentries::page);
                dentries.endOfPool(cluster.pool(node));
            }
        }
        paths.known();
        TablesCheck tables = new TablesCheck(cluster, findings);
        for (int node = 0; node < cluster.nodeCount(); node++) {
            if (cluster.pool(node) != null) {
                tables.run(cluster.pool(node));
            }
        }
        space = new SpaceCheck(cluster, findings, index, paths, maps, data);
        space.run();
        LostAndFound lostAndFound = new LostAndFound(cluster, index);
        lostAndFound.found(dentries.lostAndFound());
        new LinkCheck(cluster, findings, index, paths, lostAndFound).run();
    }

    private void pages(String phase, int kindFrom, int kindTo, PageVisitor visitor) {
        for (int node = 0; node < cluster.nodeCount(); node++) {
            if (cluster.pool(node) != null) {
                pages(cluster.pool(node), phase, kindFrom, kindTo, visitor);
            }
        }
    }

    private void pages(PoolView pool, String phase, int kindFrom, int kindTo, PageVisitor visitor) {
        String name = "checking " + phase + " of node " + pool.node();
        for (int page = 0; page < pool.pageCount(); page++) {
            if (pool.kind(page) >= kindFrom && pool.kind(page) <= kindTo) {
                visitor.page(pool, page);
            }
            if (page % PAGES_PER_REPORT == 0) {
                options.progress().advance(name, page, pool.pageCount());
            }
        }
    }

    CheckReport.Counts counts(long transactions) {
        return new CheckReport.Counts(
                index.size(),
                dentries.count(),
                inodes.orphans(),
                maps.blocks(),
                space.lentBlocks(),
                data.checked(),
                transactions);
    }
}
