package org.octofs.server.ops;

import java.util.ArrayDeque;
import org.octofs.pmem.PoolFullException;
import org.octofs.pmem.log.LogRecordTooLargeException;
import org.octofs.rpc.protocol.Errno;
import org.octofs.rpc.protocol.OpCode;
import org.octofs.rpc.protocol.ProtocolException;
import org.octofs.rpc.rpc.RpcRequest;
import org.octofs.server.session.ClientSession;
import org.octofs.server.session.RecordedReply;
import org.octofs.server.session.SessionHeaderLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the handler of a request, turns what it throws into an answer, and keeps the requests that wait for objects.
 * Threading:  confined to the worker.
 * Limits:     waiting requests are bounded by the slots of all sessions; each ends at its deadline (ELOCKED).
 */
public final class Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

    private final ServerState state;
    private final OperationHandler[] handlers = new OperationHandler[256];
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final long[] counts = new long[handlers.length];
    private long releasesSeen;

    private record Waiting(RpcRequest request, OperationHandler handler) {}

    /** A dispatcher without handlers. */
    public Dispatcher(ServerState state) {
        this.state = state;
    }

    /** Registers the handler of an op code. */
    public Dispatcher register(int opCode, OperationHandler handler) {
        if (handlers[opCode] != null) {
            throw new IllegalArgumentException("op code " + opCode + " has a handler already");
        }
        handlers[opCode] = handler;
        return this;
    }

    /** The handler of an op code, null if there is none. */
    public OperationHandler handlerOf(int opCode) {
        return handler(opCode);
    }

    /** Requests of an op code that were begun. */
    public long count(int opCode) {
        return counts[opCode];
    }

    /** Requests of all kinds that were begun. */
    public long count() {
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        return sum;
    }

    /** Requests that wait for an object. */
    public int waitingCount() {
        return waiting.size();
    }

    /** Executes or puts aside one request. ENOSYS for an op code without a handler. */
    public void handle(RpcRequest request) {
        OperationHandler handler = handler(request.opCode());
        if (handler == null) {
            request.send(Errno.ENOSYS.value, 0);
            return;
        }
        counts[request.opCode()]++;
        ClientSession session = state.session(request);
        if (session != null
                && session.tableIndex() != ClientSession.NOT_RECORDED
                && request.slot() >= SessionHeaderLayout.SLOT_COUNT) {
            LOG.warn(
                    "client {} uses slot {}; outcomes are kept for {} slots",
                    request.clientId(),
                    request.slot(),
                    SessionHeaderLayout.SLOT_COUNT);
            request.send(Errno.EPROTO.value, 0);
            return;
        }
        if (session != null && !session.isReclaimed() && changesWhatIsHeld(request.opCode())) {
            // Under way when we died. Done now, it would add to what the client is about to tell, or take from it.
            request.send(Errno.ENOT_READY.value, 0);
            return;
        }
        run(handler, request);
    }

    /** Whether an op changes what a client has open or locked, which it tells a server that was restarted. */
    private static boolean changesWhatIsHeld(int opCode) {
        return switch (opCode) {
            case OpCode.CREATE, OpCode.OPEN, OpCode.CLOSE, OpCode.LOCK -> true;
            default -> false;
        };
    }

    /** Answers a resend from the persistent table; false if it was not executed before. */
    public boolean answerAgain(RpcRequest request) {
        OperationHandler handler = handler(request.opCode());
        ClientSession session = state.session(request);
        if (handler == null
                || session == null
                || session.tableIndex() == ClientSession.NOT_RECORDED
                || request.slot() >= SessionHeaderLayout.SLOT_COUNT) {
            return false;
        }
        RecordedReply recorded = state.sessionTable()
                .find(session.tableIndex(), request.clientId(), request.slot(), request.requestId());
        if (recorded == null || recorded.opCode() != request.opCode()) {
            return false;
        }
        run((again, s) -> handler.answerAgain(again, s, recorded), request);
        return true;
    }

    /**
     * Runs the requests that wait, if an object was released since the last time, and ends those whose time is over.
     *
     * @return how many were run or ended
     */
    public int retryWaiting() {
        if (waiting.isEmpty()) {
            return 0;
        }
        boolean released = state.locks().releases() != releasesSeen;
        releasesSeen = state.locks().releases();
        long now = state.clock().monotonicNanos();
        int done = 0;
        for (int left = waiting.size(); left > 0; left--) {
            Waiting next = waiting.poll();
            if (next.request.deadlineNanos() - now < 0) {
                next.request.send(Errno.ELOCKED.value, 0);
                done++;
            } else if (released) {
                run(next.handler, next.request);
                done++;
            } else {
                waiting.add(next);
            }
        }
        return done;
    }

    private OperationHandler handler(int opCode) {
        return opCode > 0 && opCode < handlers.length ? handlers[opCode] : null;
    }

    private void run(OperationHandler handler, RpcRequest request) {
        try {
            handler.handle(request, state);
        } catch (OperationException e) {
            fail(request, e.errno());
        } catch (ObjectLockedException e) {
            state.transaction().abort();
            waiting.add(new Waiting(request, handler));
        } catch (PoolFullException e) {
            state.orphans().hurry();
            fail(request, Errno.ENOSPC);
        } catch (LogRecordTooLargeException e) {
            LOG.warn("op {} of client {}: {}", request.opCode(), request.clientId(), e.getMessage());
            fail(request, Errno.EFBIG);
        } catch (ProtocolException e) {
            LOG.warn("op {} of client {}: {}", request.opCode(), request.clientId(), e.getMessage());
            fail(request, Errno.EPROTO);
        } catch (RuntimeException e) {
            // Half visible changes must not be built upon; a restart replays the record.
            if (state.transaction().isCommitting()) {
                throw e;
            }
            LOG.error("op {} of client {} failed", request.opCode(), request.clientId(), e);
            fail(request, Errno.EIO);
        }
    }

    private void fail(RpcRequest request, Errno errno) {
        state.transaction().abort();
        request.send(errno.value, 0);
    }
}
