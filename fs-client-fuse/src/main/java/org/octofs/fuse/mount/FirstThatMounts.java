package org.octofs.fuse.mount;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.octofs.fuse.fuse.FuseBinding;
import org.octofs.fuse.fuse.FuseOperations;
import org.octofs.fuse.fuse.MountParameters;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tries bindings in order; the first that can mount carries the mount.
 *
 * <p>Threading: one thread at a time. Ownership: of the bindings it made, until {@link #close}.
 */
final class FirstThatMounts implements Mounting, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FirstThatMounts.class);

    /** One to try. */
    interface Candidate {
        String name();

        FuseBinding create();
    }

    private final List<? extends Candidate> candidates;
    private final Function<Candidate, FuseOperations> operations;
    private final List<FuseBinding> made = new ArrayList<>();
    private String reason = "";

    /**
     * Describes the choice.
     *
     * @param candidates at least one; only one if the user named it
     * @param operations what a binding of this kind serves
     */
    FirstThatMounts(List<? extends Candidate> candidates, Function<Candidate, FuseOperations> operations) {
        this.candidates = List.copyOf(candidates);
        this.operations = operations;
    }

    @Override
    public FuseBinding mount(MountParameters parameters) throws IOException {
        List<String> refusals = new ArrayList<>();
        for (Candidate candidate : candidates) {
            FuseBinding binding = candidate.create();
            made.add(binding);
            try {
                binding.mount(parameters, operations.apply(candidate));
                reason = reason(refusals);
                return binding;
            } catch (IOException e) {
                if (candidates.size() == 1) {
                    throw e;
                }
                LOG.warn("binding {} does not work here: {}", binding.name(), e.getMessage());
                refusals.add("binding " + binding.name() + ": " + e.getMessage());
            }
        }
        throw new IOException(
                "cannot mount " + parameters.directory() + " by any binding; " + String.join("; ", refusals));
    }

    private String reason(List<String> refusals) {
        if (candidates.size() == 1) {
            return "as asked for";
        }
        return refusals.isEmpty() ? "the default, which works here" : "since this did not work: " + refusals.getFirst();
    }

    @Override
    public String reason() {
        return reason;
    }

    @Override
    public void close() {
        made.reversed().forEach(FuseBinding::close);
    }
}
