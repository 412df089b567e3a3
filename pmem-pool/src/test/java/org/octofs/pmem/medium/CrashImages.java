package org.octofs.pmem.medium;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/**
 * The contents that a crash may leave on a {@link RecordingMedium}. Each is fixed by one choice per <i>axis</i>: a line's ordered
 * stores are one axis (how many of them, from the first), every unordered piece is one (there or not). Up to the limit all
 * combinations are made; above it none, all, each axis alone, each axis missing, and a seeded sample.
 */
public final class CrashImages {
    private final MemorySegment durable;
    private final List<List<PendingLine.Store>> lines = new ArrayList<>();
    /** For each axis: its line, and the index of its unordered store, or -1 for the line's ordered ones. */
    private final List<int[]> axes = new ArrayList<>();

    private final int[] axisLengths;
    private final int limit;
    private final long seed;

    CrashImages(MemorySegment durable, Map<Long, PendingLine> pending, int limit, long seed) {
        this.durable = durable;
        this.limit = limit;
        this.seed = seed;
        List<Integer> lengths = new ArrayList<>();
        for (PendingLine line : pending.values()) {
            List<PendingLine.Store> stores = List.copyOf(line.stores());
            int ordered = 0;
            for (int i = 0; i < stores.size(); i++) {
                if (stores.get(i).ordered()) {
                    ordered++;
                } else {
                    axes.add(new int[] {lines.size(), i});
                    lengths.add(1);
                }
            }
            if (ordered > 0) {
                axes.add(new int[] {lines.size(), -1});
                lengths.add(ordered);
            }
            lines.add(stores);
        }
        axisLengths = lengths.stream().mapToInt(Integer::intValue).toArray();
    }

    /** How many contents there are, or {@link Long#MAX_VALUE}. */
    public long possibleCount() {
        long count = 1;
        for (int length : axisLengths) {
            if (count > Long.MAX_VALUE / (length + 1)) {
                return Long.MAX_VALUE;
            }
            count *= length + 1;
        }
        return count;
    }

    /** Calls the consumer with a fresh image each time; answers how many there were. */
    public int forEach(Consumer<MemorySegment> consumer) {
        List<int[]> choices = possibleCount() <= limit ? allChoices() : someChoices();
        for (int[] choice : choices) {
            consumer.accept(image(choice));
        }
        return choices.size();
    }

    /** One content: for each axis how much of it is there. */
    public static final class Choice {
        private final int[] perAxis;

        private Choice(int[] perAxis) {
            this.perAxis = perAxis;
        }
    }

    /** Lines with something that is not durable. */
    public int lineCount() {
        return lines.size();
    }

    /** Nothing that was not durable is there. */
    public Choice none() {
        return new Choice(new int[axisLengths.length]);
    }

    /** Everything that was stored is there. */
    public Choice all() {
        return new Choice(axisLengths.clone());
    }

    /** Of one line everything is there, of the others nothing. */
    public Choice onlyLine(int line) {
        return line(line, none(), all());
    }

    /** Of one line nothing is there, of the others everything. */
    public Choice withoutLine(int line) {
        return line(line, all(), none());
    }

    private Choice line(int line, Choice others, Choice its) {
        for (int axis = 0; axis < axisLengths.length; axis++) {
            if (axes.get(axis)[0] == line) {
                others.perAxis[axis] = its.perAxis[axis];
            }
        }
        return others;
    }

    /** Of each axis a random part. */
    public Choice random(Random random) {
        int[] choice = new int[axisLengths.length];
        for (int axis = 0; axis < choice.length; axis++) {
            choice[axis] = random.nextInt(axisLengths[axis] + 1);
        }
        return new Choice(choice);
    }

    /** The content of a choice; a fresh copy. */
    public MemorySegment image(Choice choice) {
        return image(choice.perAxis);
    }

    /** One content, drawn at random: for long runs with many crashes. */
    public MemorySegment sample(Random random) {
        return image(random(random));
    }

    private List<int[]> allChoices() {
        List<int[]> choices = new ArrayList<>();
        int[] choice = new int[axisLengths.length];
        while (true) {
            choices.add(choice.clone());
            int axis = 0;
            while (axis < choice.length && choice[axis] == axisLengths[axis]) {
                choice[axis++] = 0;
            }
            if (axis == choice.length) {
                return choices;
            }
            choice[axis]++;
        }
    }

    private List<int[]> someChoices() {
        List<int[]> choices = new ArrayList<>();
        choices.add(new int[axisLengths.length]);
        choices.add(axisLengths.clone());
        for (int axis = 0; axis < axisLengths.length; axis++) {
            int[] alone = new int[axisLengths.length];
            alone[axis] = axisLengths[axis];
            choices.add(alone);
            int[] missing = axisLengths.clone();
            missing[axis] = 0;
            choices.add(missing);
        }
        addWholeLines(choices);
        Random random = new Random(seed);
        while (choices.size() < limit) {
            int[] sample = new int[axisLengths.length];
            for (int axis = 0; axis < sample.length; axis++) {
                sample[axis] = random.nextInt(axisLengths[axis] + 1);
            }
            choices.add(sample);
        }
        return choices;
    }

    /** Each line alone and each line missing: what a run of evictions leaves. */
    private void addWholeLines(List<int[]> choices) {
        for (int line = 0; line < lines.size(); line++) {
            int[] alone = new int[axisLengths.length];
            int[] missing = axisLengths.clone();
            for (int axis = 0; axis < axisLengths.length; axis++) {
                if (axes.get(axis)[0] == line) {
                    alone[axis] = axisLengths[axis];
                    missing[axis] = 0;
                }
            }
            choices.add(alone);
            choices.add(missing);
        }
    }

    private MemorySegment image(int[] choice) {
        int[] prefix = new int[lines.size()];
        boolean[][] present = new boolean[lines.size()][];
        for (int i = 0; i < present.length; i++) {
            present[i] = new boolean[lines.get(i).size()];
        }
        for (int axis = 0; axis < choice.length; axis++) {
            int[] where = axes.get(axis);
            if (where[1] < 0) {
                prefix[where[0]] = choice[axis];
            } else {
                present[where[0]][where[1]] = choice[axis] == 1;
            }
        }
        MemorySegment image = Arena.ofAuto().allocate(durable.byteSize(), PmemMedium.LINE_BYTES);
        image.copyFrom(durable);
        for (int line = 0; line < lines.size(); line++) {
            int ordered = 0;
            for (int i = 0; i < present[line].length; i++) {
                PendingLine.Store store = lines.get(line).get(i);
                boolean there = store.ordered() ? ordered++ < prefix[line] : present[line][i];
                if (there) {
                    store.applyTo(image);
                }
            }
        }
        return image;
    }
}
