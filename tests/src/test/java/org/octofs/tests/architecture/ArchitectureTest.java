package org.octofs.tests.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Keeps the modules pointing one way and each native library behind one package; production classes only. */
class ArchitectureTest {

    private static final String POOL = "org.octofs.pmem..";
    private static final String RPC = "org.octofs.rpc..";
    private static final String SERVER = "org.octofs.server..";
    private static final String CLIENT = "org.octofs.client..";
    private static final String FUSE = "org.octofs.fuse..";

    private static JavaClasses productionClasses;

    @BeforeAll
    static void importProductionClasses() {
        productionClasses = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages("org.octofs");
    }

    @Test
    void everyModuleIsLookedAt() {
        for (String module : List.of(POOL, RPC, SERVER, CLIENT, FUSE)) {
            assertThat(productionClasses.that(resideInAPackage(module)))
                    .as(module)
                    .isNotEmpty();
        }
        assertThat(productionClasses.that(resideInAPackage("org.octofs.tests..")))
                .isEmpty();
    }

    @Test
    void poolSeesNoOtherModule() {
        neverSees(POOL, RPC, SERVER, CLIENT, FUSE);
    }

    @Test
    void rpcSeesNoOtherModule() {
        neverSees(RPC, POOL, SERVER, CLIENT, FUSE);
    }

    @Test
    void serverNeverSeesClientOrMount() {
        neverSees(SERVER, CLIENT, FUSE);
    }

    @Test
    void clientNeverSeesServerPoolOrMount() {
        neverSees(CLIENT, SERVER, POOL, FUSE);
    }

    @Test
    void mountNeverSeesServerOrPool() {
        neverSees(FUSE, SERVER, POOL);
    }

    @Test
    void llplStaysBehindTheMedium() {
        onlyIn("org.octofs.pmem.medium", "com.intel.pmem..");
    }

    @Test
    void verbsStayBehindTheFabric() {
        onlyIn("org.octofs.rpc.fabric.verbs..", "com.ibm.disni..");
    }

    @Test
    void jnrStaysBehindTheFuseBinding() {
        onlyIn("org.octofs.fuse.jnr", "ru.serce.jnrfuse..", "jnr..");
    }

    @Test
    void classesAreNamedForWhatTheyAre() {
        check(noClasses().should().haveNameMatching(".*(Util|Utils|Helper)(\\$.*)?"));
    }

    private static void neverSees(String module, String... others) {
        check(noClasses()
                .that()
                .resideInAPackage(module)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(others));
    }

    private static void onlyIn(String home, String... library) {
        check(noClasses()
                .that()
                .resideOutsideOfPackage(home)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(library));
    }

    private static void check(ArchRule rule) {
        rule.allowEmptyShould(true).check(productionClasses);
    }
}
