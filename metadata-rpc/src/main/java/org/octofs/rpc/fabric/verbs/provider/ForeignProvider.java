package org.octofs.rpc.fabric.verbs.provider;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaProvider;
import com.ibm.disni.verbs.RdmaVerbs;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.HashSet;
import java.util.Set;

/**
 * DiSNI's provider on the native libraries of the distribution. DiSNI has one provider per process and no way to say which;
 * so this one is put where DiSNI keeps it, before DiSNI makes its own, which would look for a library that does not exist.
 *
 * <p>Threading: any. Ownership: lives as long as the process.
 */
public final class ForeignProvider extends RdmaProvider {
    private static final String FIELD = "provider";

    private static ForeignProvider installed;

    private final ForeignCm cm;
    private final ForeignVerbs verbs;
    private final Set<Long> checked = new HashSet<>();

    private ForeignProvider(Calls calls) {
        cm = new ForeignCm(calls);
        verbs = new ForeignVerbs(calls);
    }

    /**
     * The provider, put into DiSNI's hands at the first call.
     *
     * @throws VerbsUnavailableException when the native libraries are missing or not those that are known here
     */
    public static synchronized ForeignProvider install() throws VerbsUnavailableException {
        if (installed == null) {
            ForeignProvider provider = new ForeignProvider(Calls.get());
            try {
                Field field = RdmaProvider.class.getDeclaredField(FIELD);
                field.setAccessible(true);
                field.set(null, provider);
            } catch (ReflectiveOperationException | RuntimeException e) {
                throw new VerbsUnavailableException("this DiSNI is not the version 2.1 that OctoFS comes with", e);
            }
            installed = provider;
        }
        return installed;
    }

    /**
     * Checks once per process that a device's structures are where they are looked for.
     *
     * @throws VerbsUnavailableException when they are not
     */
    public synchronized void check(NativeContext context) throws IOException {
        if (checked.add(context.pointer.address())) {
            try {
                SelfCheck.run(verbs, context);
            } catch (IOException | RuntimeException e) {
                checked.remove(context.pointer.address());
                throw e;
            }
        }
    }

    @Override
    public RdmaCm openCm() throws IOException {
        return cm;
    }

    @Override
    public RdmaVerbs openVerbs() throws IOException {
        return verbs;
    }

    /** Verbs, with the calls that DiSNI does not have. */
    public ForeignVerbs verbs() {
        return verbs;
    }

    /** The connection manager, with the calls that DiSNI does not have. */
    public ForeignCm cm() {
        return cm;
    }

    @Override
    public int getVersion() {
        final int versionOfDisnisNativeInterface = 32;
        return versionOfDisnisNativeInterface;
    }
}
