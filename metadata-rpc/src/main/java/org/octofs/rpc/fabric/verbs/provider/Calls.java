package org.octofs.rpc.fabric.verbs.provider;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * The functions of the native libraries.
 *
 * <p>The four of the data path (post, poll, notify) are reached as libibverbs' own inline functions do: by the pointers in
 * the device's context. Threading: any.
 */
final class Calls {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option ERRNO_OPTION = Linker.Option.captureCallState("errno");
    private static final VarHandle ERRNO =
            Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));

    static final String HOW_TO_GET =
            "install the packages libibverbs1, librdmacm1 and ibverbs-providers (or those of the card's vendor)";

    // Data path: function pointer first.
    static final MethodHandle POST = LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS));
    static final MethodHandle POLL = LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT, ADDRESS));
    static final MethodHandle NOTIFY = LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));

    // Through the context as well, but rare.
    private static final MethodHandle ALLOC_WINDOW =
            LINKER.downcallHandle(FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT), ERRNO_OPTION);
    private static final MethodHandle DEALLOC_WINDOW =
            LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, ADDRESS), ERRNO_OPTION);

    private static final MethodHandle POLL_DESCRIPTORS = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("poll"), FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
    private static final MethodHandle STRERROR = LINKER.downcallHandle(
            LINKER.defaultLookup().findOrThrow("strerror"), FunctionDescriptor.of(ADDRESS, JAVA_INT));

    private static volatile Calls instance;

    final MethodHandle getDeviceList;
    final MethodHandle freeDeviceList;
    final MethodHandle queryDevice;
    final MethodHandle allocPd;
    final MethodHandle deallocPd;
    final MethodHandle regMr;
    final MethodHandle deregMr;
    final MethodHandle createCompChannel;
    final MethodHandle destroyCompChannel;
    final MethodHandle createCq;
    final MethodHandle destroyCq;
    final MethodHandle getCqEvent;
    final MethodHandle ackCqEvents;
    final MethodHandle createQpBare;
    final MethodHandle destroyQpBare;
    final MethodHandle modifyQp;
    final MethodHandle createEventChannel;
    final MethodHandle destroyEventChannel;
    final MethodHandle createId;
    final MethodHandle destroyId;
    final MethodHandle bindAddr;
    final MethodHandle listen;
    final MethodHandle resolveAddr;
    final MethodHandle resolveRoute;
    final MethodHandle createQp;
    final MethodHandle destroyQp;
    final MethodHandle connect;
    final MethodHandle accept;
    final MethodHandle reject;
    final MethodHandle disconnect;
    final MethodHandle getCmEvent;
    final MethodHandle ackCmEvent;
    final MethodHandle getSrcPort;
    final MethodHandle getDevices;
    final MethodHandle freeDevices;

    private final SymbolLookup verbs;
    private final SymbolLookup cm;

    private Calls(SymbolLookup verbs, SymbolLookup cm) throws VerbsUnavailableException {
        this.verbs = verbs;
        this.cm = cm;
        List<String> missing = new ArrayList<>();
        getDeviceList = of(missing, "ibv_get_device_list", FunctionDescriptor.of(ADDRESS, ADDRESS));
        freeDeviceList = of(missing, "ibv_free_device_list", FunctionDescriptor.ofVoid(ADDRESS));
        queryDevice = of(missing, "ibv_query_device", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
        allocPd = of(missing, "ibv_alloc_pd", FunctionDescriptor.of(ADDRESS, ADDRESS));
        deallocPd = of(missing, "ibv_dealloc_pd", FunctionDescriptor.of(JAVA_INT, ADDRESS));
        regMr = of(missing, "ibv_reg_mr", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT));
        deregMr = of(missing, "ibv_dereg_mr", FunctionDescriptor.of(JAVA_INT, ADDRESS));
        createCompChannel = of(missing, "ibv_create_comp_channel", FunctionDescriptor.of(ADDRESS, ADDRESS));
        destroyCompChannel = of(missing, "ibv_destroy_comp_channel", FunctionDescriptor.of(JAVA_INT, ADDRESS));
        createCq = of(
                missing,
                "ibv_create_cq",
                FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
        destroyCq = of(missing, "ibv_destroy_cq", FunctionDescriptor.of(JAVA_INT, ADDRESS));
        getCqEvent = of(missing, "ibv_get_cq_event", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS));
        ackCqEvents = of(missing, "ibv_ack_cq_events", FunctionDescriptor.ofVoid(ADDRESS, JAVA_INT));
        createQpBare = of(missing, "ibv_create_qp", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
        destroyQpBare = of(missing, "ibv_destroy_qp", FunctionDescriptor.of(JAVA_INT, ADDRESS));
        modifyQp = of(missing, "ibv_modify_qp", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_INT));
        createEventChannel = of(missing, "rdma_create_event_channel", FunctionDescriptor.of(ADDRESS));
        destroyEventChannel = of(missing, "rdma_destroy_event_channel", FunctionDescriptor.ofVoid(ADDRESS));
        createId = of(missing, "rdma_create_id", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_INT));
        destroyId = of(missing, "rdma_destroy_id", FunctionDescriptor.of(JAVA_INT, ADDRESS));
        bindAddr = of(missing, "rdma_bind_addr", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
        listen = of(missing, "rdma_listen", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
        resolveAddr =
                of(missing, "rdma_resolve_addr", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_INT));
        resolveRoute = of(missing, "rdma_resolve_route", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));
        createQp = of(missing, "rdma_create_qp", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS));
        destroyQp = of(missing, "rdma_destroy_qp", FunctionDescriptor.ofVoid(ADDRESS));
        connect = of(missing, "rdma_connect", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
        accept = of(missing, "rdma_accept", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
        reject = of(missing, "rdma_reject", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, JAVA_BYTE));
        disconnect = of(missing, "rdma_disconnect", FunctionDescriptor.of(JAVA_INT, ADDRESS));
        getCmEvent = of(missing, "rdma_get_cm_event", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));
        ackCmEvent = of(missing, "rdma_ack_cm_event", FunctionDescriptor.of(JAVA_INT, ADDRESS));
        getSrcPort = of(missing, "rdma_get_src_port", FunctionDescriptor.of(JAVA_SHORT, ADDRESS));
        getDevices = of(missing, "rdma_get_devices", FunctionDescriptor.of(ADDRESS, ADDRESS));
        freeDevices = of(missing, "rdma_free_devices", FunctionDescriptor.ofVoid(ADDRESS));
        if (!missing.isEmpty()) {
            throw new VerbsUnavailableException(
                    "this machine's libibverbs.so.1 and librdmacm.so.1 lack " + missing + "; " + HOW_TO_GET);
        }
    }

    private MethodHandle of(List<String> missing, String name, FunctionDescriptor descriptor) {
        return verbs.find(name)
                .or(() -> cm.find(name))
                .map(symbol -> LINKER.downcallHandle(symbol, descriptor, ERRNO_OPTION))
                .orElseGet(() -> {
                    missing.add(name);
                    return null;
                });
    }

    /**
     * The libraries, loaded at the first call.
     *
     * @throws VerbsUnavailableException when they are not there
     */
    static Calls get() throws VerbsUnavailableException {
        Calls loaded = instance;
        if (loaded == null) {
            synchronized (Calls.class) {
                if (instance == null) {
                    instance = new Calls(library("libibverbs.so.1"), library("librdmacm.so.1"));
                }
                loaded = instance;
            }
        }
        return loaded;
    }

    private static SymbolLookup library(String name) throws VerbsUnavailableException {
        try {
            return SymbolLookup.libraryLookup(name, Arena.global());
        } catch (IllegalArgumentException e) {
            throw new VerbsUnavailableException("no " + name + " on this machine; " + HOW_TO_GET, e);
        }
    }

    /** Result of a call off the data path: its value, and errno after it. */
    record Outcome(Object value, int errno) {
        MemorySegment pointer(String function) throws VerbsException {
            MemorySegment pointer = (MemorySegment) value;
            if (pointer.address() == 0) {
                throw new VerbsException(function, errno);
            }
            return pointer;
        }

        /** For functions that answer -1 and set errno, and those that answer an errno. */
        void check(String function) throws VerbsException {
            int result = (Integer) value;
            if (result != 0) {
                throw new VerbsException(function, result > 0 ? result : errno);
            }
        }
    }

    static Outcome call(MethodHandle handle, Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Linker.Option.captureStateLayout());
            List<Object> all = new ArrayList<>();
            all.add(state);
            all.addAll(List.of(arguments));
            Object value = handle.invokeWithArguments(all);
            return new Outcome(value, (int) ERRNO.get(state, 0L));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("native call", e);
        }
    }

    /** Like {@link #call}, for a function pointer of a context. */
    static Outcome allocWindow(MemorySegment function, MemorySegment pd, int type) {
        return callPointer(ALLOC_WINDOW, function, pd, type);
    }

    static Outcome deallocWindow(MemorySegment function, MemorySegment window) {
        return callPointer(DEALLOC_WINDOW, function, window);
    }

    private static Outcome callPointer(MethodHandle handle, MemorySegment function, Object... arguments) {
        return call(handle.bindTo(function), arguments);
    }

    /** Waits for descriptors; answers how many are ready. A wait that was interrupted counts as none. */
    static int poll(MemorySegment descriptors, long count, int timeoutMillis) {
        try {
            return Math.max(0, (int) POLL_DESCRIPTORS.invokeExact(descriptors, count, timeoutMillis));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("poll", e);
        }
    }

    static String describe(int errno) {
        try {
            MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
            return text.reinterpret(256).getString(0);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new LinkageError("strerror", e);
        }
    }
}
