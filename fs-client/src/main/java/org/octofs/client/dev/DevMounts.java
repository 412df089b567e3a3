package org.octofs.client.dev;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.octofs.client.mounts.DirectoryProbe;
import org.octofs.client.mounts.MountAnnouncement;
import org.octofs.client.mounts.MountTable;

/** The mount processes of one development cluster. One thread. */
final class DevMounts {
    /** A mount waits up to a minute for the home of the root directory. */
    private static final Duration START_PATIENCE = Duration.ofMinutes(2);

    private static final Duration STOP_PATIENCE = Duration.ofSeconds(30);
    private static final Duration POLL = Duration.ofMillis(5);

    private final DevState state;
    private final Consumer<String> say;

    DevMounts(DevState state, Consumer<String> say) {
        this.state = state;
        this.say = say;
    }

    /** Fails if a directory that is not there could not be made. */
    static void checkCanBeMade(Path directory) throws IOException {
        Path there = directory.toAbsolutePath().normalize();
        boolean missing = false;
        while (there != null && Files.notExists(there, LinkOption.NOFOLLOW_LINKS)) {
            there = there.getParent();
            missing = true;
        }
        if (missing && there != null && !(Files.isDirectory(there) && Files.isWritable(there))) {
            throw new IOException("cannot make " + directory + ": " + there
                    + (Files.isDirectory(there) ? " is not writable" : " is not a directory"));
        }
    }

    /** Mounts at {@code directory}, which is made if it is not there; answers once the process started here serves it. */
    void mount(Path directory, List<String> mountOptions) throws IOException {
        Path where = resolve(directory);
        List<Integer> dead = deadOnes(where);
        boolean made = prepare(where);
        // Counted on, so that an index names one process as long as its files are there.
        int index =
                1 + state.mounts().stream().mapToInt(Integer::intValue).max().orElse(-1);
        for (int old : dead) {
            made |= state.isMountPointOurs(old);
            state.removeMount(old);
        }
        List<String> arguments = new ArrayList<>(List.of(
                "mount",
                state.clusterFile().toString(),
                where.toString(),
                "--foreground",
                "--announce",
                state.mountAnnouncement(index).toString()));
        if (!mountOptions.isEmpty()) {
            arguments.add("-o");
            arguments.add(String.join(",", mountOptions));
        }
        ManagedProcess process = state.mount(index);
        state.removeMount(index);
        state.recordMount(index, where, made);
        process.start(OctofsProcess.command(arguments.toArray(String[]::new)));
        long deadline = System.nanoTime() + START_PATIENCE.toNanos();
        while (MountAnnouncement.served(state.mountAnnouncement(index), where).isEmpty()) {
            if (!process.isAlive() || System.nanoTime() - deadline > 0) {
                String why = process.isAlive()
                        ? "not done in " + START_PATIENCE.toSeconds() + " s; its log is " + process.log()
                        : process.lastWords();
                unmount(index);
                throw new IOException("cannot mount " + where + ": " + why);
            }
            Pause.of(POLL);
        }
        say.accept("mounted at " + where);
    }

    /** Ends all of them and takes away what dead ones have left. */
    void unmountAll() throws IOException {
        for (int index : state.mounts()) {
            unmount(index);
        }
    }

    /** One line per mount. Forgets dead ones whose directory somebody else serves. */
    List<String> status() throws IOException {
        List<String> lines = new ArrayList<>();
        for (int index : state.mounts()) {
            Path where = state.mountDirectory(index);
            Optional<Long> pid = state.mount(index).pid();
            String life;
            if (pid.isPresent()) {
                boolean mounted = MountAnnouncement.read(state.mountAnnouncement(index))
                        .filter(said -> seen(said, where))
                        .isPresent();
                life = "pid " + pid.get() + (mounted ? ", mounted" : ", not mounted");
            } else if (!isFuseMounted(where)) {
                life = "dead, not mounted";
            } else if (isDead(where)) {
                life = "dead, the directory is not served: mount again, or 'octofs umount " + where + "'";
            } else {
                state.removeMount(index);
                continue;
            }
            lines.add("mount %d  %s  %s".formatted(index, where, life));
        }
        return lines;
    }

    private void unmount(int index) throws IOException {
        Path where = state.mountDirectory(index);
        state.mount(index).stop(STOP_PATIENCE);
        // Only what is dead: if it answers, somebody else has mounted there.
        if (isFuseMounted(where) && isDead(where)) {
            takeAway(where);
        }
        if (state.isMountPointOurs(index) && !isFuseMounted(where)) {
            try {
                Files.deleteIfExists(where);
            } catch (DirectoryNotEmptyException e) {
                say.accept(where + " stays: somebody has put files below the mount");
            }
        }
        state.forgetMount(index);
    }

    private static void takeAway(Path where) throws IOException {
        try {
            MountTable.unmount(where, true);
        } catch (IOException e) {
            // Its watchdog may have been faster.
            if (isFuseMounted(where)) {
                throw e;
            }
        }
    }

    /** Recorded mounts of the directory, none of which lives. */
    private List<Integer> deadOnes(Path where) throws IOException {
        List<Integer> dead = new ArrayList<>();
        for (int index : state.mounts()) {
            if (state.mountDirectory(index).equals(where)) {
                if (state.mount(index).isAlive()) {
                    throw new IOException(where + " is mounted already");
                }
                dead.add(index);
            }
        }
        return dead;
    }

    /** As the mount table writes it; makes what the directory is in. Does not touch the directory, which may be a dead mount. */
    private static Path resolve(Path directory) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        Path parent = absolute.getParent();
        if (parent == null) {
            return absolute;
        }
        Files.createDirectories(parent);
        Path beside = parent.toRealPath().resolve(absolute.getFileName());
        return !isFuseMounted(beside) && Files.isSymbolicLink(beside) ? beside.toRealPath() : beside;
    }

    /** @return whether it had to be made */
    private static boolean prepare(Path where) throws IOException {
        if (isFuseMounted(where)) {
            return false; // dead, or the mount process will say
        }
        if (Files.exists(where, LinkOption.NOFOLLOW_LINKS)) {
            if (!Files.isDirectory(where)) {
                throw new IOException(
                        where + " is not a directory; a mount point has to be one, empty, or not be there yet");
            }
            return false;
        }
        Files.createDirectory(where);
        return true;
    }

    private static boolean seen(MountAnnouncement said, Path where) {
        try {
            return said.isSeenAt(where);
        } catch (IOException e) {
            return false;
        }
    }

    /** Works for dead mounts too, as it does not touch them. */
    private static boolean isFuseMounted(Path where) throws IOException {
        return MountTable.find(where).filter(MountTable.Entry::isFuse).isPresent();
    }

    private static boolean isDead(Path where) throws IOException {
        return DirectoryProbe.look(where) == DirectoryProbe.Life.DEAD;
    }
}
