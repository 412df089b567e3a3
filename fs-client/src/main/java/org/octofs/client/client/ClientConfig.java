package org.octofs.client.client;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.TransportChoice;

/**
 * Everything a client is told. Immutable; start from {@link #builder}.
 */
public final class ClientConfig {
    private final Builder values;

    private ClientConfig(Builder values) {
        this.values = values;
    }

    /** A builder with the usual values. */
    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts from this configuration. */
    public Builder toBuilder() {
        return new Builder(values);
    }

    /** The usual configuration. */
    public static ClientConfig defaults() {
        return builder().build();
    }

    /** This process in the messages of servers, such as "mount /mnt". */
    public String name() {
        return values.name;
    }

    /** See {@link Consistency}. */
    public Consistency consistency() {
        return values.consistency;
    }

    /** How long a call waits and retries while a server does not answer, before it fails with EIO. */
    public Duration operationDeadline() {
        return values.operationDeadline;
    }

    /** How long {@link FsClient#connect} waits for the servers. */
    public Duration connectDeadline() {
        return values.connectDeadline;
    }

    /** Transport to every server. */
    public TransportChoice transport() {
        return values.transport;
    }

    /** Pushed but uncommitted bytes of one file after which a write commits; at most 16 MiB. */
    public int pendingBytesMax() {
        return values.pendingBytesMax;
    }

    /** Age of uncommitted data after which it is committed in the background. */
    public Duration commitAfter() {
        return values.commitAfter;
    }

    /** How long a close may wait for company before it is told to the home. */
    public Duration closeDelay() {
        return values.closeDelay;
    }

    /** How long no lease is asked for after a home has taken it back for somebody else's change. */
    public Duration leaseQuiet() {
        return values.leaseQuiet;
    }

    /** Names that are remembered. */
    public int dentryCacheEntries() {
        return values.dentryCacheEntries;
    }

    /** Inodes whose place is remembered; a power of two. */
    public int slotCacheEntries() {
        return values.slotCacheEntries;
    }

    /** Files without open handles whose block map is remembered. */
    public int idleFilesMax() {
        return values.idleFilesMax;
    }

    /** Whether file data is checked against the block checksums, each block when it is first read from its place. */
    public boolean verifyReads() {
        return values.verifyReads;
    }

    /** Whether reads move access times, by the rule of relatime. */
    public boolean accessTimes() {
        return values.accessTimes;
    }

    /** Fabric to use, null: one is made and owned by the client. */
    public Fabric fabric() {
        return values.fabric;
    }

    /** Nanoseconds, the clock of all deadlines; must be the fabric's. */
    public LongSupplier clock() {
        return values.clock;
    }

    /** Wall clock, for modification times: nanoseconds since 1970. Must allocate nothing. */
    public LongSupplier wallClock() {
        return values.wallClock;
    }

    /** Random numbers, for the client id. */
    public LongSupplier random() {
        return values.random;
    }

    /** Makes the client's threads. */
    public ThreadFactory threads() {
        return values.threads;
    }

    @Override
    public String toString() {
        return "name=" + name() + " consistency=" + consistency() + " operationDeadline=" + operationDeadline()
                + " transport=" + transport() + " pendingBytesMax=" + pendingBytesMax() + " commitAfter="
                + commitAfter() + " closeDelay=" + closeDelay() + " leaseQuiet=" + leaseQuiet() + " dentryCacheEntries="
                + dentryCacheEntries()
                + " slotCacheEntries=" + slotCacheEntries() + " idleFilesMax=" + idleFilesMax() + " verifyReads="
                + verifyReads() + " accessTimes=" + accessTimes();
    }

    /** Collects the values of a configuration. Not thread-safe. */
    public static final class Builder {
        private static final int PENDING_BYTES_LIMIT = 16 << 20;

        private String name = "octofs client";
        private Consistency consistency = Consistency.COHERENT;
        private Duration operationDeadline = Duration.ofSeconds(60);
        private Duration connectDeadline = Duration.ofSeconds(10);
        private TransportChoice transport = TransportChoice.AUTO;
        private int pendingBytesMax = PENDING_BYTES_LIMIT;
        private Duration commitAfter = Duration.ofSeconds(2);
        private Duration closeDelay = Duration.ofMillis(50);
        private Duration leaseQuiet = Duration.ofMillis(100);
        private int dentryCacheEntries = 1 << 18;
        private int slotCacheEntries = 1 << 18;
        private int idleFilesMax = 1 << 12;
        private boolean verifyReads = true;
        private boolean accessTimes = true;
        private Fabric fabric;
        private LongSupplier clock = System::nanoTime;
        private LongSupplier wallClock = new RealTimeClock();
        private LongSupplier random = new SecureRandom()::nextLong;
        private ThreadFactory threads =
                Thread.ofPlatform().daemon().name("octofs-client-", 0).factory();

        private Builder() {}

        private Builder(Builder other) {
            name = other.name;
            consistency = other.consistency;
            operationDeadline = other.operationDeadline;
            connectDeadline = other.connectDeadline;
            transport = other.transport;
            pendingBytesMax = other.pendingBytesMax;
            commitAfter = other.commitAfter;
            closeDelay = other.closeDelay;
            leaseQuiet = other.leaseQuiet;
            dentryCacheEntries = other.dentryCacheEntries;
            slotCacheEntries = other.slotCacheEntries;
            idleFilesMax = other.idleFilesMax;
            verifyReads = other.verifyReads;
            accessTimes = other.accessTimes;
            fabric = other.fabric;
            clock = other.clock;
            wallClock = other.wallClock;
            random = other.random;
            threads = other.threads;
        }

        /** See {@link ClientConfig#name}; at most 64 characters. */
        public Builder name(String value) {
            name = Objects.requireNonNull(value);
            return this;
        }

        /** See {@link ClientConfig#consistency}. */
        public Builder consistency(Consistency value) {
            consistency = Objects.requireNonNull(value);
            return this;
        }

        /** See {@link ClientConfig#operationDeadline}. */
        public Builder operationDeadline(Duration value) {
            operationDeadline = value;
            return this;
        }

        /** See {@link ClientConfig#connectDeadline}. */
        public Builder connectDeadline(Duration value) {
            connectDeadline = value;
            return this;
        }

        /** See {@link ClientConfig#transport}. */
        public Builder transport(TransportChoice value) {
            transport = Objects.requireNonNull(value);
            return this;
        }

        /** See {@link ClientConfig#pendingBytesMax}. */
        public Builder pendingBytesMax(int value) {
            pendingBytesMax = value;
            return this;
        }

        /** See {@link ClientConfig#commitAfter}. */
        public Builder commitAfter(Duration value) {
            commitAfter = value;
            return this;
        }

        /** See {@link ClientConfig#closeDelay}. */
        public Builder closeDelay(Duration value) {
            closeDelay = value;
            return this;
        }

        /** See {@link ClientConfig#leaseQuiet}. */
        public Builder leaseQuiet(Duration value) {
            leaseQuiet = value;
            return this;
        }

        /** See {@link ClientConfig#dentryCacheEntries}. */
        public Builder dentryCacheEntries(int value) {
            dentryCacheEntries = value;
            return this;
        }

        /** See {@link ClientConfig#slotCacheEntries}. */
        public Builder slotCacheEntries(int value) {
            slotCacheEntries = value;
            return this;
        }

        /** See {@link ClientConfig#idleFilesMax}. */
        public Builder idleFilesMax(int value) {
            idleFilesMax = value;
            return this;
        }

        /** See {@link ClientConfig#verifyReads}. */
        public Builder verifyReads(boolean value) {
            verifyReads = value;
            return this;
        }

        /** See {@link ClientConfig#accessTimes}. */
        public Builder accessTimes(boolean value) {
            accessTimes = value;
            return this;
        }

        /** See {@link ClientConfig#fabric}. */
        public Builder fabric(Fabric value) {
            fabric = value;
            return this;
        }

        /** See {@link ClientConfig#clock}. */
        public Builder clock(LongSupplier value) {
            clock = Objects.requireNonNull(value);
            return this;
        }

        /** See {@link ClientConfig#wallClock}. */
        public Builder wallClock(LongSupplier value) {
            wallClock = Objects.requireNonNull(value);
            return this;
        }

        /** See {@link ClientConfig#random}. */
        public Builder random(LongSupplier value) {
            random = Objects.requireNonNull(value);
            return this;
        }

        /** See {@link ClientConfig#threads}. */
        public Builder threads(ThreadFactory value) {
            threads = Objects.requireNonNull(value);
            return this;
        }

        /**
         * The configuration.
         *
         * @throws IllegalArgumentException if a value is out of its range
         */
        public ClientConfig build() {
            if (name.isBlank() || name.length() > 64) {
                throw new IllegalArgumentException("the client's name must have 1 to 64 characters: '" + name + "'");
            }
            if (pendingBytesMax < 4096 || pendingBytesMax > PENDING_BYTES_LIMIT) {
                throw new IllegalArgumentException(
                        "pendingBytesMax must be 4096 to " + PENDING_BYTES_LIMIT + ": " + pendingBytesMax);
            }
            if (operationDeadline.isNegative() || operationDeadline.isZero()) {
                throw new IllegalArgumentException("operationDeadline must be positive: " + operationDeadline);
            }
            if (Integer.bitCount(slotCacheEntries) != 1) {
                throw new IllegalArgumentException("slotCacheEntries must be a power of two: " + slotCacheEntries);
            }
            if (dentryCacheEntries < 1 || idleFilesMax < 0) {
                throw new IllegalArgumentException("cache sizes must be positive");
            }
            return new ClientConfig(new Builder(this));
        }
    }
}
