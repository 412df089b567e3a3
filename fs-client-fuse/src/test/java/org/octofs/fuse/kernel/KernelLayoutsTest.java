package org.octofs.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares every size, and the offsets that matter most, with what a C compiler makes of the kernel's public header. */
class KernelLayoutsTest {
    private static final Map<String, Class<?>> STRUCTURES = new LinkedHashMap<>();

    static {
        STRUCTURES.put("fuse_in_header", KernelLayouts.InHeader.class);
        STRUCTURES.put("fuse_out_header", KernelLayouts.OutHeader.class);
        STRUCTURES.put("fuse_attr", KernelLayouts.Attr.class);
        STRUCTURES.put("fuse_entry_out", KernelLayouts.EntryOut.class);
        STRUCTURES.put("fuse_attr_out", KernelLayouts.AttrOut.class);
        STRUCTURES.put("fuse_getattr_in", KernelLayouts.GetattrIn.class);
        STRUCTURES.put("fuse_setattr_in", KernelLayouts.SetattrIn.class);
        STRUCTURES.put("fuse_mknod_in", KernelLayouts.MknodIn.class);
        STRUCTURES.put("fuse_mkdir_in", KernelLayouts.MkdirIn.class);
        STRUCTURES.put("fuse_rename2_in", KernelLayouts.Rename2In.class);
        STRUCTURES.put("fuse_open_in", KernelLayouts.OpenIn.class);
        STRUCTURES.put("fuse_open_out", KernelLayouts.OpenOut.class);
        STRUCTURES.put("fuse_create_in", KernelLayouts.CreateIn.class);
        STRUCTURES.put("fuse_release_in", KernelLayouts.ReleaseIn.class);
        STRUCTURES.put("fuse_flush_in", KernelLayouts.FlushIn.class);
        STRUCTURES.put("fuse_read_in", KernelLayouts.ReadIn.class);
        STRUCTURES.put("fuse_write_in", KernelLayouts.ReadIn.class);
        STRUCTURES.put("fuse_fsync_in", KernelLayouts.FsyncIn.class);
        STRUCTURES.put("fuse_statfs_out", KernelLayouts.StatfsOut.class);
        STRUCTURES.put("fuse_getxattr_in", KernelLayouts.XattrIn.class);
        STRUCTURES.put("fuse_lk_in", KernelLayouts.LockIn.class);
        STRUCTURES.put("fuse_lk_out", KernelLayouts.LockOut.class);
        STRUCTURES.put("fuse_init_out", KernelLayouts.InitOut.class);
        STRUCTURES.put("fuse_fallocate_in", KernelLayouts.FallocateIn.class);
        STRUCTURES.put("fuse_lseek_in", KernelLayouts.LseekIn.class);
        STRUCTURES.put("fuse_copy_file_range_in", KernelLayouts.CopyIn.class);
        STRUCTURES.put("fuse_notify_inval_inode_out", KernelLayouts.InvalInodeOut.class);
        STRUCTURES.put("fuse_notify_inval_entry_out", KernelLayouts.InvalEntryOut.class);
    }

    private static final String[][] FIELDS = {
        {"fuse_in_header", "opcode", "InHeader.OPCODE_OFFSET"},
        {"fuse_in_header", "pid", "InHeader.PID_OFFSET"},
        {"fuse_attr", "mode", "Attr.MODE_OFFSET"},
        {"fuse_attr", "rdev", "Attr.RDEV_OFFSET"},
        {"fuse_entry_out", "attr", "EntryOut.ATTR_OFFSET"},
        {"fuse_setattr_in", "fh", "SetattrIn.FH_OFFSET"},
        {"fuse_setattr_in", "atimensec", "SetattrIn.ATIME_NSEC_OFFSET"},
        {"fuse_setattr_in", "mode", "SetattrIn.MODE_OFFSET"},
        {"fuse_setattr_in", "gid", "SetattrIn.GID_OFFSET"},
        {"fuse_release_in", "lock_owner", "ReleaseIn.LOCK_OWNER_OFFSET"},
        {"fuse_write_in", "size", "ReadIn.SIZE_OFFSET"},
        {"fuse_write_in", "write_flags", "ReadIn.IO_FLAGS_OFFSET"},
        {"fuse_write_in", "flags", "ReadIn.OPEN_FLAGS_OFFSET"},
        {"fuse_read_in", "flags", "ReadIn.OPEN_FLAGS_OFFSET"},
        {"fuse_statfs_out", "st.frsize", "StatfsOut.FRSIZE_OFFSET"},
        {"fuse_lk_in", "lk.type", "LockIn.TYPE_OFFSET"},
        {"fuse_lk_in", "lk_flags", "LockIn.FLAGS_OFFSET"},
        {"fuse_init_in", "flags2", "InitIn.FLAGS2_OFFSET"},
        {"fuse_init_out", "max_write", "InitOut.MAX_WRITE_OFFSET"},
        {"fuse_init_out", "max_pages", "InitOut.MAX_PAGES_OFFSET"},
        {"fuse_init_out", "flags2", "InitOut.FLAGS2_OFFSET"},
        {"fuse_copy_file_range_in", "nodeid_out", "CopyIn.NODE_OUT_OFFSET"},
    };

    @TempDir
    Path folder;

    @Test
    void agreesWithTheKernelsHeader() throws Exception {
        StringBuilder program = new StringBuilder(
                "#include <linux/fuse.h>\n#include <stdio.h>\n#include <stddef.h>\nint main(void) {\n");
        StringBuilder ours = new StringBuilder();
        for (Map.Entry<String, Class<?>> structure : STRUCTURES.entrySet()) {
            program.append(
                    "printf(\"%s %%zu\\n\", sizeof(struct %s));\n".formatted(structure.getKey(), structure.getKey()));
            ours.append(structure.getKey())
                    .append(' ')
                    .append(constant(structure.getValue(), "SIZE_BYTES"))
                    .append('\n');
        }
        for (String[] field : FIELDS) {
            program.append("printf(\"%s.%s %%zu\\n\", offsetof(struct %s, %s));\n"
                    .formatted(field[0], field[1], field[0], field[1]));
            String[] name = field[2].split("\\.", -1);
            Class<?> type = Class.forName(KernelLayouts.class.getName() + "$" + name[0]);
            ours.append(field[0])
                    .append('.')
                    .append(field[1])
                    .append(' ')
                    .append(constant(type, name[1]))
                    .append('\n');
        }
        program.append("return 0; }\n");
        Path source = Files.writeString(folder.resolve("layouts.c"), program);
        Path binary = folder.resolve("layouts");
        run("gcc", "-o", binary.toString(), source.toString());
        assertThat(ours.toString()).isEqualTo(run(binary.toString()));
    }

    private static int constant(Class<?> type, String name) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field.getInt(null);
    }

    private String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .directory(folder.toFile())
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        return output;
    }
}
