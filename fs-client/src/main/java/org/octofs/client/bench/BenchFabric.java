package org.octofs.client.bench;

import java.security.SecureRandom;
import java.util.Optional;
import org.octofs.client.link.PmemCopier;
import org.octofs.rpc.fabric.BulkCopier;
import org.octofs.rpc.fabric.FabricConfig;

/** The fabric as the client configures it, so that raw and client figures differ by the file system alone. */
final class BenchFabric {
    private static final int BULK_BYTES = 4096;

    private BenchFabric() {}

    static FabricConfig config(String name) {
        FabricConfig config = plainConfig(name);
        Optional<BulkCopier> copier = PmemCopier.load();
        return copier.isPresent() ? config.withBulkCopier(copier.get(), BULK_BYTES) : config;
    }

    /** All copies by ordinary stores, whichever side makes them. */
    static FabricConfig plainConfig(String name) {
        return FabricConfig.defaults(
                name,
                System::nanoTime,
                new SecureRandom()::nextLong,
                Thread.ofPlatform().daemon().name("bench-", 0).factory());
    }
}
