package org.octofs.fuse.memory;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.octofs.fuse.fuse.FuseOperations;

/** Puts something before single operations of a file system: to block, to fail, to look. */
public final class ForwardingOperations {
    private ForwardingOperations() {}

    /** Runs before an operation and may answer in its place. */
    public interface Before {
        /** The answer, or null to go on to the file system. */
        Object run(Object[] arguments) throws Exception;
    }

    /** A file system that does what {@code target} does, but for the operations named in {@code before}. */
    public static FuseOperations of(FuseOperations target, Map<String, Before> before) {
        return (FuseOperations) Proxy.newProxyInstance(
                FuseOperations.class.getClassLoader(),
                new Class<?>[] {FuseOperations.class},
                (proxy, method, arguments) -> {
                    Before first = before.get(method.getName());
                    Object answer = first == null ? null : first.run(arguments);
                    if (answer != null) {
                        return answer;
                    }
                    try {
                        return method.invoke(target, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
