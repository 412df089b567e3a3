package org.octofs.pmem.medium;

import java.util.Set;
import java.util.TreeSet;

/**
 * The places in the program that flush, fence or copy past the cache, as a {@link RecordingMedium} has met them; one of them
 * can be made to do nothing, as if it had been deleted from the source. Shared by media. One thread.
 */
public final class CallSites {
    /** Notes nothing, drops nothing. */
    static final CallSites NONE = new CallSites(null, false);

    private static final StackWalker WALKER = StackWalker.getInstance();

    private final Set<String> seen = new TreeSet<>();
    private final String dropped;
    private final boolean active;
    private long droppedCount;

    private CallSites(String dropped, boolean active) {
        this.dropped = dropped;
        this.active = active;
    }

    /** Notes the sites. */
    public static CallSites noting() {
        return new CallSites(null, true);
    }

    /** Has one site do nothing; see {@link #seen}. */
    public static CallSites without(String site) {
        return new CallSites(site, true);
    }

    /** All sites met so far, as {@code class.method:line what}. */
    public Set<String> seen() {
        return seen;
    }

    /** How often the dropped site would have done something. */
    public long droppedCount() {
        return droppedCount;
    }

    boolean happens(String what) {
        if (!active) {
            return true;
        }
        String site = WALKER.walk(frames -> frames.filter(frame -> !isMedium(frame.getClassName()))
                        .findFirst()
                        .map(frame -> frame.getClassName() + "." + frame.getMethodName() + ":" + frame.getLineNumber())
                        .orElse("nowhere"))
                + " " + what;
        if (site.equals(dropped)) {
            droppedCount++;
            return false;
        }
        seen.add(site);
        return true;
    }

    private static boolean isMedium(String className) {
        return className.equals(RecordingMedium.class.getName())
                || className.equals(CallSites.class.getName())
                || className.equals(PmemMedium.class.getName());
    }
}
