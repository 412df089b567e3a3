package org.octofs.client.mounts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;

/**
 * How a mount process tells whoever started it that it has mounted, and what: the mount table alone does not say whose a
 * mount is, and shows dead ones as well. A file of two lines, which is there as a whole or not at all.
 *
 * @param device major:minor of the mount, as the mount table shows it
 * @param words for the user
 */
public record MountAnnouncement(String device, String words) {
    /** Writes it. */
    public void write(Path file) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        Files.writeString(draft, device + "\n" + words + "\n");
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** What the file says; empty if there is nothing in it (yet). */
    public static Optional<MountAnnouncement> read(Path file) throws IOException {
        try {
            List<String> lines = Files.readAllLines(file);
            return lines.size() < 2
                    ? Optional.empty()
                    : Optional.of(
                            new MountAnnouncement(lines.get(0), String.join("\n", lines.subList(1, lines.size()))));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Whether it is this mount that is seen at the directory; does not touch the directory. */
    public boolean isSeenAt(Path directory) throws IOException {
        return MountTable.find(directory)
                .map(MountTable.Entry::device)
                .filter(device::equals)
                .isPresent();
    }

    /** The announcement in the file if that very mount is seen at the directory and answers. */
    public static Optional<MountAnnouncement> served(Path file, Path directory) throws IOException {
        Optional<MountAnnouncement> said = read(file);
        boolean served = said.isPresent()
                && said.get().isSeenAt(directory)
                && DirectoryProbe.look(directory) == DirectoryProbe.Life.SERVED
                && said.get().isSeenAt(directory);
        return served ? said : Optional.empty();
    }
}
