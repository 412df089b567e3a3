package org.octofs.pmem.medium;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;

/**
 * Memory that knows what of it is durable, for proving what a crash can leave behind.
 *
 * <p>Between {@link #startRecording} and the crash it keeps, per cache line, the stores that no fence has made durable yet, in
 * aligned 8-byte pieces. {@link CrashImages} makes from them every content that the medium may have after the crash: of
 * ordinary stores some prefix per line, of non-temporal copies, fills and one-sided writes of others any subset.
 *
 * <p>Events are counted from 1: each piece stored, each flush, each fence. {@link #stopAt} throws {@link CrashPoint} in place of an
 * event; {@link #dropFlush} and {@link #dropFence} make one call do nothing, to prove that a test would notice.
 *
 * <p>Threading: one thread. Durability: simulated. The memory is freed by the garbage collector, so forgetting to close leaks
 * nothing; {@link #isClosed} tells whether the code under test did close it.
 */
public final class RecordingMedium implements PmemMedium {
    static final int PIECE_BYTES = 8;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment memory;
    private final MediumCounters counters = new MediumCounters();
    private final Map<Long, PendingLine> pending = new TreeMap<>();
    private final List<Long> fenceEvents = new ArrayList<>();
    private MemorySegment durable;
    private long before;
    private long beforeNext;
    private long events;
    private long stopAt = Long.MAX_VALUE;
    private long flushes;
    private long fences;
    private long dropFlush = -1;
    private long dropFence = -1;
    private boolean stopped;
    private boolean closed;
    private EventObserver observer = _ -> {};
    private CallSites sites = CallSites.NONE;

    /** What can happen on the medium. */
    public enum Event {
        /** A piece of at most eight bytes is stored. */
        STORE,
        FLUSH,
        FENCE
    }

    /** Sees each event before it happens. */
    @FunctionalInterface
    public interface EventObserver {
        /** May look at {@link #crashImages}; may throw an {@link Error}, then the event does not happen. */
        void before(Event event);
    }

    public RecordingMedium(long sizeBytes) {
        if (sizeBytes % LINE_BYTES != 0) {
            throw new IllegalArgumentException("size " + sizeBytes + " is not a multiple of a cache line");
        }
        memory = Arena.ofAuto().allocate(sizeBytes, 4096);
    }

    private RecordingMedium(MemorySegment memory, MemorySegment durable) {
        this.memory = memory;
        this.durable = durable;
    }

    /** A medium that holds a copy of {@code image}, all of it durable. */
    public static RecordingMedium of(MemorySegment image) {
        RecordingMedium medium = new RecordingMedium(image.byteSize());
        medium.memory.copyFrom(image);
        return medium;
    }

    /** A medium that uses {@code image} itself, all of it durable. */
    public static RecordingMedium over(MemorySegment image) {
        return new RecordingMedium(image);
    }

    private RecordingMedium(MemorySegment memory) {
        this.memory = memory;
    }

    /** From now on somebody sees the events of a recording. */
    public RecordingMedium observe(EventObserver value) {
        observer = value;
        return this;
    }

    /** Has the places noted that flush and fence, and what one of them does left out. */
    public RecordingMedium callSites(CallSites value) {
        sites = value;
        return this;
    }

    /** From now on what is there counts as durable, and events are counted from 1. */
    public RecordingMedium startRecording() {
        durable = Arena.ofAuto().allocate(memory.byteSize(), LINE_BYTES);
        durable.copyFrom(memory);
        pending.clear();
        fenceEvents.clear();
        events = 0;
        flushes = 0;
        fences = 0;
        return this;
    }

    /** Has the n-th event from now (counted from the start of recording) throw instead of happen, and all later ones too. */
    public RecordingMedium stopAt(long event) {
        stopAt = event;
        return this;
    }

    /** Makes the n-th flush since the start of recording (from 0) do nothing. */
    public RecordingMedium dropFlush(long n) {
        dropFlush = n;
        return this;
    }

    /** Makes the n-th fence since the start of recording (from 0) do nothing. */
    public RecordingMedium dropFence(long n) {
        dropFence = n;
        return this;
    }

    public long eventCount() {
        return events;
    }

    /**
     * Which events were fences, ascending. Between two fences the set of contents that a crash may leave only grows, so for a
     * test it is enough to stop at each of these and at the end.
     */
    public List<Long> fenceEvents() {
        return List.copyOf(fenceEvents);
    }

    public long flushCount() {
        return flushes;
    }

    public long fenceCount() {
        return fences;
    }

    public boolean isClosed() {
        return closed;
    }

    /** What would be there if every line not yet fenced were lost. A copy. */
    public MemorySegment durableImage() {
        MemorySegment copy = Arena.ofAuto().allocate(durable.byteSize(), LINE_BYTES);
        return copy.copyFrom(durable);
    }

    /** Everything a crash now may leave; see there. */
    public CrashImages crashImages(int limit, long seed) {
        return new CrashImages(durable, pending, limit, seed);
    }

    /**
     * The medium after a crash now, with one of the contents of {@link #crashImages} drawn at random, recording. It takes over this
     * one's memory, which must not be used any more: for simulations with many crashes.
     */
    public RecordingMedium crashed(Random random) {
        pending.values().forEach(line -> line.keepSome(durable, random));
        memory.copyFrom(durable);
        return new RecordingMedium(memory, durable);
    }

    /** Tells the medium that somebody else has just stored to the range through {@link #memory()}. */
    public void recordRemoteWrite(long offset, long lengthBytes) {
        for (long at = offset - offset % PIECE_BYTES; durable != null && at < offset + lengthBytes; at += PIECE_BYTES) {
            add(at, false);
        }
    }

    /** Somebody else has made durable what they stored to the range, with a flush and a fence of their own. */
    public void persistRemoteWrite(long offset, long lengthBytes) {
        for (long line = offset / LINE_BYTES; line * LINE_BYTES < offset + lengthBytes; line++) {
            PendingLine found = pending.get(line);
            if (found != null) {
                found.flush();
                if (found.fence(durable)) {
                    pending.remove(line);
                }
            }
        }
    }

    @Override
    public long sizeBytes() {
        return memory.byteSize();
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public Path path() {
        return null;
    }

    @Override
    public String describe() {
        return "recording medium of " + sizeBytes() + " bytes";
    }

    @Override
    public MediumCounters counters() {
        return counters;
    }

    @Override
    public void putByte(long offset, byte value) {
        beforeStore(offset);
        memory.set(ValueLayout.JAVA_BYTE, offset, value);
        pieces(offset, Byte.BYTES, true);
    }

    @Override
    public void putShort(long offset, short value) {
        beforeStore(offset);
        memory.set(SHORT, offset, value);
        pieces(offset, Short.BYTES, true);
    }

    @Override
    public void putInt(long offset, int value) {
        beforeStore(offset);
        memory.set(INT, offset, value);
        pieces(offset, Integer.BYTES, true);
    }

    @Override
    public void putLong(long offset, long value) {
        beforeStore(offset);
        memory.set(LONG, offset, value);
        pieces(offset, Long.BYTES, true);
    }

    /** Stores piece by piece, so that a stop can come between any two. */
    @Override
    public void copy(long offset, MemorySegment source, long sourceOffset, long lengthBytes) {
        Objects.checkFromIndexSize(offset, lengthBytes, sizeBytes());
        Objects.checkFromIndexSize(sourceOffset, lengthBytes, source.byteSize());
        copyPieces(offset, source, sourceOffset, lengthBytes, true);
    }

    @Override
    public void copyNonTemporal(long offset, MemorySegment source, long sourceOffset, long lengthBytes) {
        Objects.checkFromIndexSize(offset, lengthBytes, sizeBytes());
        Objects.checkFromIndexSize(sourceOffset, lengthBytes, source.byteSize());
        counters.countNonTemporal(lengthBytes);
        copyPieces(offset, source, sourceOffset, lengthBytes, false);
        if (durable != null && sites.happens("non-temporal copy")) {
            flushPending(offset, lengthBytes);
        }
    }

    private void copyPieces(long offset, MemorySegment source, long sourceOffset, long lengthBytes, boolean ordered) {
        if (durable == null) {
            MemorySegment.copy(source, sourceOffset, memory, offset, lengthBytes);
            return;
        }
        long done = 0;
        while (done < lengthBytes) {
            long at = offset + done;
            long length = Math.min(lengthBytes - done, PIECE_BYTES - at % PIECE_BYTES);
            beforeStore(at);
            MemorySegment.copy(source, sourceOffset + done, memory, at, length);
            pieces(at, length, ordered);
            done += length;
        }
    }

    @Override
    public void fill(long offset, long lengthBytes, byte value) {
        MemorySegment range = memory.asSlice(offset, lengthBytes);
        if (durable == null) {
            range.fill(value);
            return;
        }
        byte[] source = new byte[Math.toIntExact(lengthBytes)];
        Arrays.fill(source, value);
        copyPieces(offset, MemorySegment.ofArray(source), 0, lengthBytes, false);
    }

    /** Counts the store, and remembers what the (at most two) pieces it touches held. */
    private void beforeStore(long offset) {
        if (closed) {
            throw new IllegalStateException("the medium is closed");
        }
        event(Event.STORE);
        if (durable != null && offset >= 0 && offset < sizeBytes()) {
            long piece = offset - offset % PIECE_BYTES;
            before = memory.get(LONG, piece);
            beforeNext = piece + 2 * PIECE_BYTES <= sizeBytes() ? memory.get(LONG, piece + PIECE_BYTES) : 0;
        }
    }

    private void event(Event event) {
        if (durable == null) {
            return;
        }
        observer.before(event);
        events++;
        if (stopped || events >= stopAt) {
            stopped = true;
            throw new CrashPoint(events);
        }
    }

    /** Notes what the range, one store, holds now as not durable; a piece that it did not change cannot matter. */
    private void pieces(long offset, long lengthBytes, boolean ordered) {
        if (durable == null || lengthBytes == 0) {
            return;
        }
        long first = offset - offset % PIECE_BYTES;
        for (long at = first; at < offset + lengthBytes; at += PIECE_BYTES) {
            if (memory.get(LONG, at) != (at == first ? before : beforeNext)) {
                add(at, ordered);
            }
        }
    }

    private void add(long pieceOffset, boolean ordered) {
        pending.computeIfAbsent(pieceOffset / LINE_BYTES, line -> new PendingLine())
                .add(pieceOffset, memory.get(LONG, pieceOffset), ordered);
    }

    @Override
    public void flush(long offset, long lengthBytes) {
        Objects.checkFromIndexSize(offset, lengthBytes, sizeBytes());
        event(Event.FLUSH);
        counters.countFlush(offset, lengthBytes);
        if (durable != null && flushes++ != dropFlush && sites.happens("flush")) {
            flushPending(offset, lengthBytes);
        }
    }

    private void flushPending(long offset, long lengthBytes) {
        for (long line = offset / LINE_BYTES; line * LINE_BYTES < offset + lengthBytes; line++) {
            PendingLine found = pending.get(line);
            if (found != null) {
                found.flush();
            }
        }
    }

    @Override
    public void fence() {
        event(Event.FENCE);
        if (durable != null) {
            fenceEvents.add(events);
        }
        counters.countFence();
        if (durable != null && fences++ != dropFence && sites.happens("fence")) {
            pending.values().removeIf(line -> line.fence(durable));
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
