package org.octofs.tests.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Decides whether a history of concurrent calls is linearizable: whether each call can be given one moment between its beginning and
 * its end so that, in this order, the model gives the same answers. Calls that never ended may get any later moment, or none.
 *
 * <p>Just in time (after Wing and Gong, and Lowe): it keeps every state that the calls so far may have led to, with the set of calls
 * under way that have had their moment. When a call ends, what was under way is tried in every order until that call has had its
 * moment. Calls that only look take the first moment that fits, which is never worse than a later one.
 *
 * <p>Feed whole stretches of history: a call's answer must be known when its end is fed.
 */
public final class HistoryChecker {
    private static final int CONFIGURATIONS_MAX = 60_000;

    private record Configuration(FsState state, Set<Integer> done) {}

    /** The history fits no order. */
    public static final class NotLinearizableException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotLinearizableException(String message) {
            super(message);
        }
    }

    private final FsModel model;
    private final List<Op> pending = new ArrayList<>();
    private final ArrayDeque<Op> recent = new ArrayDeque<>();
    private Set<Configuration> configurations = new LinkedHashSet<>();
    private long checked;

    /** A checker whose history starts in a state. */
    public HistoryChecker(FsModel model, FsState state) {
        this.model = model;
        configurations.add(new Configuration(state, Set.of()));
    }

    /** A call begins. */
    public void begin(Op op) {
        pending.add(op);
    }

    /**
     * A call has ended with the answer in it. One of unknown outcome does not end: it stays under way until {@link #forget}.
     *
     * @throws NotLinearizableException if no order fits
     */
    public void end(Op op) {
        remember(op);
        if (op.isUnknown()) {
            return;
        }
        Set<Configuration> after = new LinkedHashSet<>();
        Set<Configuration> seen = new HashSet<>();
        List<Op> related = relatedTo(op);
        ArrayDeque<Configuration> open = new ArrayDeque<>(configurations);
        while (!open.isEmpty()) {
            Configuration next = absorb(open.poll());
            if (!seen.add(next)) {
                continue;
            }
            if (seen.size() > CONFIGURATIONS_MAX) {
                throw new IllegalStateException("too many possible orders to check at " + op);
            }
            if (next.done().contains(op.id)) {
                after.add(without(next, op));
            } else {
                for (Op candidate : related) {
                    expand(next, candidate, open);
                }
            }
        }
        pending.remove(op);
        if (after.isEmpty()) {
            throw new NotLinearizableException(describe(op));
        }
        configurations = after;
        checked++;
    }

    /** The calls under way whose order with this one, or with another such, may matter. All others may as well come after it. */
    private List<Op> relatedTo(Op op) {
        List<Op> related = new ArrayList<>(List.of(op));
        for (int i = 0; i < related.size(); i++) {
            for (Op other : pending) {
                if (!related.contains(other) && !related.get(i).commutesWith(other)) {
                    related.add(other);
                }
            }
        }
        return related;
    }

    private void expand(Configuration from, Op candidate, ArrayDeque<Configuration> open) {
        if (!from.done().contains(candidate.id)) {
            for (FsState state : model.apply(from.state(), candidate)) {
                open.push(new Configuration(state, with(from.done(), candidate.id)));
            }
        }
    }

    /** Gives every call under way that only looks and fits its moment: not one that has nothing to change now and would have later. */
    @SuppressWarnings("ReferenceEquality") // a call that changes nothing answers the very same state
    private Configuration absorb(Configuration configuration) {
        Set<Integer> done = configuration.done();
        for (Op op : pending) {
            if (op.isLook() && !done.contains(op.id)) {
                List<FsState> states = model.apply(configuration.state(), op);
                if (states.size() == 1 && states.get(0) == configuration.state()) {
                    done = with(done, op.id);
                }
            }
        }
        return done == configuration.done() ? configuration : new Configuration(configuration.state(), done);
    }

    private static Set<Integer> with(Set<Integer> done, int id) {
        Set<Integer> copy = new HashSet<>(done);
        copy.add(id);
        return copy;
    }

    private static Configuration without(Configuration configuration, Op op) {
        Set<Integer> copy = new HashSet<>(configuration.done());
        copy.remove(op.id);
        return new Configuration(configuration.state(), copy);
    }

    /** A call of unknown outcome can take effect no more: either it has or it never will. Nobody may have seen yet which it was. */
    public void forget(Op op) {
        if (pending.contains(op)) {
            List<Op> related = relatedTo(op);
            Set<Configuration> seen = new LinkedHashSet<>();
            ArrayDeque<Configuration> open = new ArrayDeque<>(configurations);
            while (!open.isEmpty()) {
                Configuration next = open.poll();
                if (!seen.add(next)) {
                    continue;
                }
                if (seen.size() > CONFIGURATIONS_MAX) {
                    throw new IllegalStateException("too many possible orders to forget " + op);
                }
                if (!next.done().contains(op.id)) {
                    // Others of unknown outcome may have come before it.
                    related.forEach(candidate -> expand(next, candidate, open));
                }
            }
            pending.remove(op);
            Set<Configuration> after = new LinkedHashSet<>();
            seen.forEach(configuration -> after.add(without(configuration, op)));
            configurations = after;
        }
    }

    /** Changes all states, for what happens to a file system other than by calls. */
    public void changeStates(UnaryOperator<FsState> change) {
        Set<Configuration> after = new LinkedHashSet<>();
        configurations.forEach(configuration ->
                after.add(new Configuration(change.apply(configuration.state()), configuration.done())));
        configurations = after;
    }

    /** Adds to each state what it may have become without a call. */
    public void mayChangeStates(UnaryOperator<FsState> change) {
        Set<Configuration> after = new LinkedHashSet<>(configurations);
        configurations.forEach(configuration ->
                after.add(new Configuration(change.apply(configuration.state()), configuration.done())));
        configurations = after;
    }

    /** One of the states that the file system may be in. */
    public FsState someState() {
        return configurations.iterator().next().state();
    }

    /** How many states it may be in. */
    public int stateCount() {
        return configurations.size();
    }

    /** Calls that have ended and fit. */
    public long checkedCount() {
        return checked;
    }

    private void remember(Op op) {
        recent.add(op);
        if (recent.size() > 60) {
            recent.poll();
        }
    }

    private String describe(Op op) {
        StringBuilder text = new StringBuilder("no order fits the answer of ")
                .append(op)
                .append("\nunder way: ")
                .append(pending)
                .append("\nlately:\n");
        recent.forEach(other -> text.append("  ").append(other).append('\n'));
        text.append(configurations.size()).append(" states before, one of them:\n");
        configurations.stream().limit(4).forEach(each -> text.append(InodeModel.difference(each.state(), op)));
        return text.append(someState()).toString();
    }
}
