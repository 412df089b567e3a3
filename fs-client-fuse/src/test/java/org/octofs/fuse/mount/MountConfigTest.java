package org.octofs.fuse.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.octofs.client.client.Consistency;
import org.octofs.fuse.fuse.MountFlag;
import org.octofs.rpc.fabric.TransportChoice;

class MountConfigTest {

    @Test
    void withoutOptionsItIsCoherentAndHard() throws IOException {
        MountConfig config = MountConfig.parse(List.of());
        assertThat(config.consistency()).isEqualTo(Consistency.COHERENT);
        assertThat(config.operationDeadline()).isEqualTo(Duration.ofSeconds(60));
        assertThat(config.transport()).isEqualTo(TransportChoice.AUTO);
        assertThat(config.bindings()).containsExactly(BindingKind.KERNEL, BindingKind.JNR);
        assertThat(config.allowOther()).isFalse();
        assertThat(config.readOnly()).isFalse();
        assertThat(config.policy(BindingKind.KERNEL).timeoutSeconds()).isZero();
        assertThat(config.policy(BindingKind.KERNEL).leases()).isTrue();
        // It does not tell of the answers that it gives.
        assertThat(config.policy(BindingKind.JNR).leases()).isFalse();
        assertThat(config.parameters(Path.of("/m"), "a,b").fileSystemName()).isEqualTo("a_b");
    }

    @Test
    void listsAreReadInOrder() throws IOException {
        MountConfig config = MountConfig.parse(
                List.of(
                        "ro,allow_other,defaults",
                        "consistency=strict,binding=kernel,soft,transport=tcp,threads=3,max_read=65536,fsname=x,rw,,timeout=5,debug,nonempty"));
        assertThat(config.readOnly()).isFalse();
        assertThat(config.allowOther()).isTrue();
        assertThat(config.nonEmpty()).isTrue();
        assertThat(config.debug()).isTrue();
        assertThat(config.consistency()).isEqualTo(Consistency.STRICT);
        assertThat(config.policy(BindingKind.KERNEL).allDirect()).isTrue();
        assertThat(config.transport()).isEqualTo(TransportChoice.TCP);
        assertThat(config.operationDeadline()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.bindings()).containsExactly(BindingKind.KERNEL);
        assertThat(config.threadCount()).isEqualTo(3);
        assertThat(config.maxReadBytes()).isEqualTo(65536);
        assertThat(config.parameters(Path.of("/m"), "c").fileSystemName()).isEqualTo("x");
    }

    private static Set<MountFlag> flags(String options, boolean root) throws IOException {
        return MountConfig.parse(List.of(options))
                .parameters(Path.of("/m"), "c", root)
                .flags();
    }

    @Test
    void flagsAreTheUsersOrThoseThatAreSafeForWhoMounts() throws IOException {
        assertThat(flags("", true)).containsExactlyInAnyOrder(MountFlag.NO_SUID, MountFlag.NO_DEV);
        assertThat(flags("allow_other", true)).isEmpty();
        assertThat(flags("allow_other", false)).containsExactlyInAnyOrder(MountFlag.NO_SUID, MountFlag.NO_DEV);
        assertThat(flags("dev,suid,noexec", true)).containsExactly(MountFlag.NO_EXEC);
        assertThat(flags("allow_other,nosuid,noatime,nodev,dev", true))
                .containsExactlyInAnyOrder(MountFlag.NO_SUID, MountFlag.NO_ATIME);
        assertThatThrownBy(() -> flags("suid", false)).hasMessageContaining("only root may mount with 'suid'");
    }

    @Test
    void accessTimesAreLeftAloneWhereTheUserSaysSo() {
        assertThat(MountConfig.parse(List.of("noatime,default_permissions,_netdev,x-systemd.automount"))
                        .clientConfig(Path.of("/m"))
                        .accessTimes())
                .isFalse();
        assertThat(MountConfig.parse(List.of("noatime,relatime,atime"))
                        .clientConfig(Path.of("/m"))
                        .accessTimes())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "alow_other, there are:",
        "consistency=strange, coherent|strict|relaxed",
        "consistency, is written consistency=",
        "ro=1, is written ro",
        "threads=0, not in 1 to 128",
        "threads=many, is no number",
        "max_read=4095, not in 4096",
        "transport=loopback, auto",
        "binding=pigeon, kernel|jnr",
        "fsname=, the name is empty",
    })
    void nonsenseIsRefusedWithWords(String option, String words) {
        assertThatThrownBy(() -> MountConfig.parse(List.of(option)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(words);
    }
}
