package org.octofs.pmem.medium;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/** Page size and pre-faulting of a mapping. */
final class Pages {
    private static final long HUGE_PAGE_BYTES = 2L << 20;
    private static final long SLICE_BYTES = 64L << 20;

    private Pages() {}

    /**
     * Asks for huge pages and touches all pages, as the options say.
     *
     * @param created the file is new, so that rebuilding it from huge pages makes sense
     * @throws IOException when the kernel cannot provide the memory
     */
    static void prepare(PoolFile file, MemorySegment memory, MediumOptions options, boolean created)
            throws IOException {
        long address = memory.address();
        long size = memory.byteSize();
        if (options.hugePages() != HugePages.OFF) {
            // Advice only: a kernel that refuses it leaves small pages, which describe() reports.
            LinuxCalls.advise(address, size, LinuxCalls.ADVISE_HUGE_PAGES);
        }
        boolean collapse = created && options.hugePages() == HugePages.COLLAPSE;
        if (!options.prefault() && !collapse) {
            return;
        }
        // Populating for write would mark every page of a disk file dirty.
        int populate = file.isInMemory() ? LinuxCalls.ADVISE_POPULATE_WRITE : LinuxCalls.ADVISE_POPULATE_READ;
        long done = 0;
        while (done < size) {
            long slice = Math.min(SLICE_BYTES, size - done);
            if (collapse && slice >= HUGE_PAGE_BYTES) {
                LinuxCalls.advise(address + done, slice - slice % HUGE_PAGE_BYTES, LinuxCalls.ADVISE_COLLAPSE);
            }
            int answer = LinuxCalls.advise(address + done, slice, populate);
            if (answer == -LinuxCalls.EINTR) {
                continue;
            }
            if (answer == -LinuxCalls.ENOMEM || answer == -LinuxCalls.EFAULT || answer == -LinuxCalls.EHWPOISON) {
                throw new IOException("the memory of " + file.path() + " cannot be made present at offset " + done
                        + " (errno " + -answer + ")");
            }
            // Other errors mean a kernel before 5.14: pages then fault in one by one when first used, which is only
            // slower.
            done += slice;
            options.progress().advance(done, size);
        }
    }

    /** "2 MiB pages", "4 KiB pages" or how much of which, as the kernel has mapped it so far. */
    static String describe(Path path, MemorySegment memory) {
        String from = Long.toHexString(memory.address()) + "-";
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/smaps"))) {
            long hugeKib = lines.dropWhile(line -> !line.startsWith(from))
                    .skip(1)
                    .takeWhile(line -> !line.startsWith("VmFlags"))
                    .filter(line -> line.startsWith("ShmemPmdMapped:") || line.startsWith("FilePmdMapped:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .sum();
            long percent = hugeKib * 1024 * 100 / Math.max(1, memory.byteSize());
            if (percent == 0) {
                return "4 KiB pages";
            }
            return percent >= 99 ? "2 MiB pages" : String.format(Locale.ROOT, "%d %% in 2 MiB pages", percent);
        } catch (IOException | UncheckedIOException | NumberFormatException e) {
            return "pages of unknown size (" + path + ")";
        }
    }
}
