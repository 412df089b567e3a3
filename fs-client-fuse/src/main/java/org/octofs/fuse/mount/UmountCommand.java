package org.octofs.fuse.mount;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import org.octofs.client.mounts.MountTable;
import org.octofs.rpc.cluster.OctofsCommand;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code octofs umount DIR}. */
@Command(
        name = "umount",
        description = "Unmounts a directory, dead mounts too; what was written to it is durable when it returns.")
public final class UmountCommand implements OctofsCommand {
    @Parameters(paramLabel = "DIR", description = "The mounted directory.")
    private Path directory;

    @Option(
            names = {"-l", "--lazy"},
            description = "Also if it is in use: it goes out of sight now and ends when the last user is gone.")
    private boolean lazy;

    /** For the command line, which finds it as a service. */
    public UmountCommand() {}

    @Override
    public Integer call() throws IOException {
        Path where = MountPoint.resolve(directory);
        Optional<MountTable.Entry> mount = MountTable.find(where);
        if (mount.isEmpty()) {
            throw new IOException(where + " is not mounted");
        }
        if (!mount.get().isOctoFs()) {
            throw new IOException(where + " is a mount of type " + mount.get().type() + ", not of octofs; use umount");
        }
        MountTable.unmount(where, lazy);
        return 0;
    }
}
