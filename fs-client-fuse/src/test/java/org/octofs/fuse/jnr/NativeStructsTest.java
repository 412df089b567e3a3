package org.octofs.fuse.jnr;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Offsets of C structures against what the machine's C compiler says. */
class NativeStructsTest {

    @Test
    void libcAgrees(@TempDir Path folder) throws IOException, InterruptedException {
        Map<String, Integer> ours = new LinkedHashMap<>();
        ours.put("sizeof(struct stat)", NativeStructs.STAT_BYTES);
        ours.put("offsetof(struct stat, st_ino)", NativeStructs.STAT_INODE);
        ours.put("offsetof(struct stat, st_nlink)", NativeStructs.STAT_LINKS);
        ours.put("sizeof(((struct stat *)0)->st_nlink)", NativeStructs.STAT_LINKS_BYTES);
        ours.put("offsetof(struct stat, st_mode)", NativeStructs.STAT_MODE);
        ours.put("offsetof(struct stat, st_uid)", NativeStructs.STAT_UID);
        ours.put("offsetof(struct stat, st_gid)", NativeStructs.STAT_GID);
        ours.put("offsetof(struct stat, st_rdev)", NativeStructs.STAT_DEVICE);
        ours.put("offsetof(struct stat, st_size)", NativeStructs.STAT_SIZE);
        ours.put("offsetof(struct stat, st_blksize)", NativeStructs.STAT_BLOCK_SIZE);
        ours.put("sizeof(((struct stat *)0)->st_blksize)", NativeStructs.STAT_BLOCK_SIZE_BYTES);
        ours.put("offsetof(struct stat, st_blocks)", NativeStructs.STAT_BLOCKS);
        ours.put("offsetof(struct stat, st_atim.tv_sec)", NativeStructs.STAT_ACCESS_TIME);
        ours.put("offsetof(struct stat, st_mtim.tv_sec)", NativeStructs.STAT_MODIFY_TIME);
        ours.put("offsetof(struct stat, st_ctim.tv_sec)", NativeStructs.STAT_CHANGE_TIME);
        ours.put("offsetof(struct timespec, tv_nsec)", NativeStructs.TIMESPEC_NANOS);
        ours.put("sizeof(struct flock)", NativeStructs.FLOCK_BYTES);
        ours.put("offsetof(struct flock, l_type)", NativeStructs.FLOCK_TYPE);
        ours.put("offsetof(struct flock, l_whence)", NativeStructs.FLOCK_WHENCE);
        ours.put("offsetof(struct flock, l_start)", NativeStructs.FLOCK_START);
        ours.put("offsetof(struct flock, l_len)", NativeStructs.FLOCK_LENGTH);
        ours.put("offsetof(struct flock, l_pid)", NativeStructs.FLOCK_PID);
        ours.put("sizeof(struct statvfs)", NativeStructs.STATVFS_BYTES);
        ours.put("offsetof(struct statvfs, f_bsize)", NativeStructs.STATVFS_BLOCK_SIZE);
        ours.put("offsetof(struct statvfs, f_frsize)", NativeStructs.STATVFS_FRAGMENT_SIZE);
        ours.put("offsetof(struct statvfs, f_blocks)", NativeStructs.STATVFS_BLOCKS);
        ours.put("offsetof(struct statvfs, f_bfree)", NativeStructs.STATVFS_FREE);
        ours.put("offsetof(struct statvfs, f_bavail)", NativeStructs.STATVFS_AVAILABLE);
        ours.put("offsetof(struct statvfs, f_files)", NativeStructs.STATVFS_FILES);
        ours.put("offsetof(struct statvfs, f_ffree)", NativeStructs.STATVFS_FILES_FREE);
        ours.put("offsetof(struct statvfs, f_favail)", NativeStructs.STATVFS_FILES_AVAILABLE);
        ours.put("offsetof(struct statvfs, f_namemax)", NativeStructs.STATVFS_NAME_MAX);
        ours.put("sizeof(struct fuse_write_in)", NativeStructs.WRITE_REQUEST_BYTES);
        ours.put("offsetof(struct fuse_write_in, write_flags)", NativeStructs.WRITE_REQUEST_FLAGS);
        assertThat(compiled(folder, ours.keySet().toArray(String[]::new))).isEqualTo(ours);
    }

    /** libfuse's header is not there to compile against; these are its values with 64-bit pointers, on every processor. */
    @Test
    void libfuseIsAsItWas() {
        assertThat(OperationTable.SIZE_BYTES).isEqualTo(328);
        assertThat(OperationTable.offset("lookup")).isEqualTo(16);
        assertThat(OperationTable.offset("write")).isEqualTo(128);
        assertThat(OperationTable.offset("statfs")).isEqualTo(192);
        assertThat(OperationTable.offset("create")).isEqualTo(240);
        assertThat(OperationTable.offset("forgetMulti")).isEqualTo(304);
        assertThat(OperationTable.offset("fallocate")).isEqualTo(320);
        assertThat(NativeStructs.FILE_BYTES).isEqualTo(40);
        assertThat(NativeStructs.ENTRY_BYTES - NativeStructs.STAT_BYTES).isEqualTo(32);
    }

    private static Map<String, Integer> compiled(Path folder, String... expressions)
            throws IOException, InterruptedException {
        StringBuilder program = new StringBuilder();
        for (String header : new String[] {"stdio", "stddef", "fcntl", "sys/stat", "sys/statvfs", "linux/fuse"}) {
            program.append("#include <").append(header).append(".h>\n");
        }
        program.append("int main(void) {\n");
        for (String expression : expressions) {
            program.append("printf(\"%zu\\n\", (size_t) ").append(expression).append(");\n");
        }
        Path source = Files.writeString(folder.resolve("structs.c"), program.append("return 0; }\n"));
        Path binary = folder.resolve("structs");
        run("gcc", "-D_GNU_SOURCE", "-o", binary.toString(), source.toString());
        String[] lines = run(binary.toString()).split("\n", -1);
        Map<String, Integer> answers = new LinkedHashMap<>();
        for (int i = 0; i < expressions.length; i++) {
            answers.put(expressions[i], Integer.parseInt(lines[i]));
        }
        return answers;
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }
}
