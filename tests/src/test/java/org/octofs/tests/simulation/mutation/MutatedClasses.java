package org.octofs.tests.simulation.mutation;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.function.LongFunction;

/** The program once more, with a mutation or without; nothing of it is shared with the program that runs the tests. */
final class MutatedClasses extends ClassLoader {
    private static final String PREFIX = "org.octofs.";
    private final Mutation mutation;

    /** @param mutation null for none */
    MutatedClasses(Mutation mutation) {
        super(MutatedClasses.class.getClassLoader());
        this.mutation = mutation;
    }

    /** Runs the simulation of a seed; answers what was wrong, null if nothing. */
    @SuppressWarnings("unchecked")
    LongFunction<Throwable> simulation() {
        try {
            return (LongFunction<Throwable>) loadClass(MutantRun.class.getName())
                    .getDeclaredConstructor()
                    .newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make the program once more", e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PREFIX)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : define(name);
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] bytes = file.readAllBytes();
            if (mutation != null && mutation.className().equals(name)) {
                bytes = mutation.apply(bytes);
            }
            return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
