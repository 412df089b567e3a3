package org.octofs.rpc.fabric.host;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Which process, on which host, since when: enough to tell whether two processes see each other's process ids, and
 * whether the one that had an id still has it.
 *
 * @param bootId random id of the host's boot
 * @param processIdNamespace inode of the namespace in which the process id counts; containers have their own
 * @param pid process id
 * @param startTicks when the process started, in clock ticks since the boot
 */
public record ProcessIdentity(UUID bootId, long processIdNamespace, long pid, long startTicks) {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final Path NAMESPACE = Path.of("/proc/self/ns/pid");
    private static final int START_TICKS_FIELD_AFTER_NAME = 19;

    /** This process. */
    public static ProcessIdentity self() throws HostException {
        long pid = ProcessHandle.current().pid();
        try {
            UUID bootId = UUID.fromString(Files.readString(BOOT_ID).strip());
            return new ProcessIdentity(bootId, readNamespace(), pid, readStartTicks(pid));
        } catch (IOException | RuntimeException e) {
            throw new HostException("cannot read from /proc who this process is: " + e.getMessage(), e);
        }
    }

    private static long readNamespace() throws IOException {
        if (!Files.isSymbolicLink(NAMESPACE)) {
            return 0; // a kernel without namespaces of process ids: there is only one
        }
        String namespace = Files.readSymbolicLink(NAMESPACE).toString();
        return Long.parseLong(namespace.substring(namespace.indexOf('[') + 1, namespace.indexOf(']')));
    }

    /** True when both see each other's process ids. */
    public boolean isOnSameHostAs(ProcessIdentity other) {
        return bootId.equals(other.bootId) && processIdNamespace == other.processIdNamespace;
    }

    /** True when no process of any host that could share memory with this one has this identity any more. */
    public boolean isGoneFromHere() {
        try {
            ProcessIdentity self = self();
            // After a boot nothing of before runs; and a pool that was moved is mapped by nobody from where it was.
            return !bootId.equals(self.bootId) || (processIdNamespace == self.processIdNamespace && isGone());
        } catch (HostException e) {
            return false;
        }
    }

    /** True when no process has this identity any more. Only for processes that are on this host. */
    public boolean isGone() {
        try {
            return readStartTicks(pid) != startTicks;
        } catch (IOException | RuntimeException e) {
            return !Files.exists(Path.of("/proc/" + pid));
        }
    }

    private static long readStartTicks(long pid) throws IOException {
        String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
        // The second field is the name in parentheses and may itself hold blanks and parentheses.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
        boolean ended = fields[0].equals("Z") || fields[0].equals("X");
        return ended ? -1 : Long.parseLong(fields[START_TICKS_FIELD_AFTER_NAME]);
    }
}
