package org.octofs.fuse.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PageCacheLedgerTest {
    private final PageCacheLedger ledger = new PageCacheLedger();

    @Test
    void pagesAreKeptOnlyWhileTheGenerationStays() {
        assertThat(ledger.opened(7, 1)).as("first open").isFalse();
        assertThat(ledger.opened(7, 1)).as("unchanged").isTrue();
        assertThat(ledger.opened(8, 1)).as("another inode").isFalse();
        assertThat(ledger.opened(7, 2)).as("changed").isFalse();
        assertThat(ledger.opened(7, 2)).as("unchanged again").isTrue();
        ledger.drop(7);
        assertThat(ledger.opened(7, 2)).as("dropped").isFalse();
    }
}
