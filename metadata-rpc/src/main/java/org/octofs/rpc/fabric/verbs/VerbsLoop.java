package org.octofs.rpc.fabric.verbs;

import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.octofs.rpc.fabric.FabricConfig;
import org.octofs.rpc.fabric.verbs.provider.DescriptorSet;
import org.octofs.rpc.fabric.verbs.provider.ForeignCm;
import org.octofs.rpc.fabric.verbs.provider.NativeCmEvent;
import org.octofs.rpc.fabric.verbs.provider.WakeDescriptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of the verbs transport: events of the connection manager, events of completion queues that somebody sleeps on,
 * and now and then a look at whether peers still answer. Starts with the first connection.
 *
 * <p>Threading: {@link #execute}, {@link #changed} and {@link #afterChange} from any thread; the rest is the loop's.
 */
final class VerbsLoop implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(VerbsLoop.class);
    private static final int LOOK_MILLIS = 500;
    private static final long JOIN_MILLIS = 10_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final int WAKE_INDEX = 0;
    private static final int CM_INDEX = 1;
    private static final int FIRST_CQ_INDEX = 2;

    /** Gets the events of an id. */
    interface CmHandler {
        void onEvent(NativeCmEvent event);
    }

    private final FabricConfig config;
    private final ForeignCm cm;
    private final WakeDescriptor wake;
    private final RdmaEventChannel cmChannel;
    private final ConcurrentMap<RdmaCmId, CmHandler> handlers = new ConcurrentHashMap<>();
    private final List<CompletionSource> sources = new CopyOnWriteArrayList<>();
    private final ConcurrentLinkedQueue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Thread thread;
    private volatile boolean closed;
    private volatile boolean hasChanged = true;

    private DescriptorSet descriptors;
    private final List<SharedCq> watched = new ArrayList<>();
    private final List<CompletionSource> watchedSources = new ArrayList<>();

    VerbsLoop(FabricConfig config, ForeignCm cm) throws IOException {
        this.config = config;
        this.cm = cm;
        wake = new WakeDescriptor();
        try {
            cmChannel = cm.createEventChannel();
        } catch (IOException e) {
            wake.close();
            throw e;
        }
        thread = config.threads().newThread(this::run);
    }

    void start() {
        thread.start();
    }

    RdmaEventChannel cmChannel() {
        return cmChannel;
    }

    /** Who gets the events of an id. */
    void handle(RdmaCmId id, CmHandler handler) {
        handlers.put(id, handler);
    }

    /** Nobody gets them any more. */
    void forget(RdmaCmId id) {
        handlers.remove(id);
    }

    void add(CompletionSource source) {
        sources.add(source);
        changed();
    }

    void remove(CompletionSource source) {
        sources.remove(source);
        changed();
    }

    /** The completion queues are others now. */
    void changed() {
        hasChanged = true;
        wake.wake();
    }

    /** Runs a task on the loop. */
    void execute(Runnable task) {
        tasks.add(task);
        wake.wake();
    }

    /** Runs a task on the loop once it no longer watches what it did before; at once when the loop has ended. */
    void afterChange(Runnable task) {
        hasChanged = true;
        execute(task);
    }

    private void run() {
        descriptors = watch();
        long nextLook = config.clock().getAsLong() + LOOK_MILLIS * NANOS_PER_MILLI;
        while (!closed) {
            try {
                descriptors.await(LOOK_MILLIS);
                if (descriptors.isReady(WAKE_INDEX)) {
                    wake.clear();
                }
                if (descriptors.isReady(CM_INDEX)) {
                    takeCmEvents();
                }
                for (int i = 0; i < watched.size(); i++) {
                    if (descriptors.isReady(FIRST_CQ_INDEX + i)) {
                        watchedSources.get(i).onEvent(watched.get(i));
                    }
                }
            } catch (IOException | RuntimeException e) {
                LOG.error("an event of the verbs transport of fabric '{}' failed", config.name(), e);
            }
            if (hasChanged) {
                descriptors = watch();
            }
            runTasks();
            long now = config.clock().getAsLong();
            if (now - nextLook >= 0) {
                nextLook = now + LOOK_MILLIS * NANOS_PER_MILLI;
                look();
            }
        }
        runTasks();
    }

    private DescriptorSet watch() {
        hasChanged = false;
        watched.clear();
        watchedSources.clear();
        for (CompletionSource source : sources) {
            for (SharedCq cq : source.cqs()) {
                watched.add(cq);
                watchedSources.add(source);
            }
        }
        int[] all = new int[FIRST_CQ_INDEX + watched.size()];
        all[WAKE_INDEX] = wake.descriptor();
        all[CM_INDEX] = cmChannel.getFd();
        for (int i = 0; i < watched.size(); i++) {
            all[FIRST_CQ_INDEX + i] = watched.get(i).descriptor();
        }
        return new DescriptorSet(all);
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            if (hasChanged) {
                descriptors = watch(); // the task may close what was watched
            }
            try {
                task.run();
            } catch (RuntimeException e) {
                LOG.error("a task of the verbs transport failed", e);
            }
        }
    }

    private void takeCmEvents() throws IOException {
        for (NativeCmEvent event = cm.getCmEvent(cmChannel, 0); event != null; event = cm.getCmEvent(cmChannel, 0)) {
            RdmaCmId owner =
                    event.getEvent() == NativeCmEvent.CONNECT_REQUEST ? event.getListenIdPriv() : event.getConnIdPriv();
            CmHandler handler = owner == null ? null : handlers.get(owner);
            // Before it is handled: an id is only freed when its events are acknowledged, and handling may free it.
            cm.ackCmEvent(event);
            if (handler == null) {
                LOG.debug("event of an id that is gone: {}", event.text());
            } else {
                handler.onEvent(event);
            }
        }
    }

    private void look() {
        for (CompletionSource source : sources) {
            source.progress();
            for (VerbsConnection connection : source.connections()) {
                if (connection != null) {
                    connection.checkAlive(LOOK_MILLIS * NANOS_PER_MILLI);
                }
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        wake.wake();
        if (!thread.equals(Thread.currentThread())) {
            try {
                thread.join(JOIN_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        runTasks();
        cm.destroyEventChannel(cmChannel);
        wake.close();
    }
}
