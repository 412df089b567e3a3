package org.octofs.rpc.fabric.verbs.provider;

/**
 * Where the fields lie in the structures of libibverbs and librdmacm that are used here, on 64-bit Linux. They are part of
 * the libraries' binary interface (sonames libibverbs.so.1, librdmacm.so.1), which has kept them since 2005; a test compares
 * them with what a C compiler says, and {@link SelfCheck} tries them on the running library. All widths are the C types';
 * sizes and offsets in bytes.
 */
final class VerbsLayout {
    private VerbsLayout() {}

    /** {@code struct ibv_context}; the operations are function pointers. */
    static final class Context {
        static final long ALLOC_MW = 64;
        static final long DEALLOC_MW = 80;
        static final long POLL_CQ = 96;
        static final long REQ_NOTIFY_CQ = 104;
        static final long POST_SEND = 208;
        static final long POST_RECV = 216;
        static final long CMD_FD = 264;
        static final long NUM_COMP_VECTORS = 272;
        static final long SIZE = 328;

        private Context() {}
    }

    /** {@code struct ibv_pd}. */
    static final class Pd {
        static final long CONTEXT = 0;
        static final long HANDLE = 8;
        static final long SIZE = 16;

        private Pd() {}
    }

    /** {@code struct ibv_mr}. */
    static final class Mr {
        static final long PD = 8;
        static final long ADDR = 16;
        static final long LENGTH = 24;
        static final long HANDLE = 32;
        static final long LKEY = 36;
        static final long RKEY = 40;
        static final long SIZE = 48;

        private Mr() {}
    }

    /** {@code struct ibv_mw}. */
    static final class Mw {
        static final long PD = 8;
        static final long RKEY = 16;
        static final long TYPE = 24;
        static final long SIZE = 32;

        private Mw() {}
    }

    /** {@code struct ibv_comp_channel}. */
    static final class CompChannel {
        static final long FD = 8;
        static final long SIZE = 16;

        private CompChannel() {}
    }

    /** {@code struct ibv_cq}. */
    static final class Cq {
        static final long CHANNEL = 8;
        static final long HANDLE = 24;
        static final long CQE = 28;
        static final long SIZE = 32;

        private Cq() {}
    }

    /** {@code struct ibv_qp}. */
    static final class Qp {
        static final long PD = 16;
        static final long SEND_CQ = 24;
        static final long RECV_CQ = 32;
        static final long QP_NUM = 52;
        static final long QP_TYPE = 60;
        static final long SIZE = 64;

        private Qp() {}
    }

    /** {@code struct ibv_qp_init_attr}. */
    static final class QpInitAttr {
        static final long SEND_CQ = 8;
        static final long RECV_CQ = 16;
        static final long MAX_SEND_WR = 32;
        static final long MAX_RECV_WR = 36;
        static final long MAX_SEND_SGE = 40;
        static final long MAX_RECV_SGE = 44;
        static final long MAX_INLINE_DATA = 48;
        static final long QP_TYPE = 52;
        static final long SQ_SIG_ALL = 56;
        static final long SIZE = 64;

        private QpInitAttr() {}
    }

    /** {@code struct ibv_qp_attr}. */
    static final class QpAttr {
        static final long QP_STATE = 0;
        static final long MIN_RNR_TIMER = 128;
        static final long PORT_NUM = 129;
        static final long SIZE = 144;

        private QpAttr() {}
    }

    /** {@code struct ibv_send_wr}. */
    static final class SendWr {
        static final long WR_ID = 0;
        static final long NEXT = 8;
        static final long SG_LIST = 16;
        static final long NUM_SGE = 24;
        static final long OPCODE = 28;
        static final long SEND_FLAGS = 32;
        static final long IMM_DATA = 36;
        static final long REMOTE_ADDR = 40;
        static final long RKEY = 48;
        static final long BIND_MW = 80;
        static final long BIND_RKEY = 88;
        static final long BIND_MR = 96;
        static final long BIND_ADDR = 104;
        static final long BIND_LENGTH = 112;
        static final long BIND_ACCESS = 120;
        static final long SIZE = 128;

        private SendWr() {}
    }

    /** {@code struct ibv_recv_wr}. */
    static final class RecvWr {
        static final long WR_ID = 0;
        static final long NEXT = 8;
        static final long SG_LIST = 16;
        static final long NUM_SGE = 24;
        static final long SIZE = 32;

        private RecvWr() {}
    }

    /** {@code struct ibv_sge}. */
    static final class Sge {
        static final long ADDR = 0;
        static final long LENGTH = 8;
        static final long LKEY = 12;
        static final long SIZE = 16;

        private Sge() {}
    }

    /** {@code struct ibv_wc}. */
    static final class Wc {
        static final long WR_ID = 0;
        static final long STATUS = 8;
        static final long OPCODE = 12;
        static final long VENDOR_ERR = 16;
        static final long BYTE_LEN = 20;
        static final long IMM_DATA = 24;
        static final long QP_NUM = 28;
        static final long WC_FLAGS = 36;
        static final long SIZE = 48;

        private Wc() {}
    }

    /** {@code struct ibv_device_attr}. */
    static final class DeviceAttr {
        static final long MAX_QP_WR = 112;
        static final long DEVICE_CAP_FLAGS = 116;
        static final long MAX_CQE = 132;
        static final long MAX_QP_RD_ATOM = 144;
        static final long MAX_QP_INIT_RD_ATOM = 156;
        static final long SIZE = 232;

        private DeviceAttr() {}
    }

    /** {@code struct rdma_cm_id}. */
    static final class CmId {
        static final long VERBS = 0;
        static final long CHANNEL = 8;
        static final long CONTEXT = 16;
        static final long QP = 24;
        static final long PORT_NUM = 348;
        static final long SIZE = 352;

        private CmId() {}
    }

    /** {@code struct rdma_cm_event}, with the members of a connection. */
    static final class CmEvent {
        static final long ID = 0;
        static final long LISTEN_ID = 8;
        static final long EVENT = 16;
        static final long STATUS = 20;
        static final long PRIVATE_DATA = 24;
        static final long PRIVATE_DATA_LEN = 32;
        static final long RESPONDER_RESOURCES = 33;
        static final long INITIATOR_DEPTH = 34;
        static final long SIZE = 48;

        private CmEvent() {}
    }

    /** {@code struct rdma_conn_param}. */
    static final class ConnParam {
        static final long PRIVATE_DATA = 0;
        static final long PRIVATE_DATA_LEN = 8;
        static final long RESPONDER_RESOURCES = 9;
        static final long INITIATOR_DEPTH = 10;
        static final long RETRY_COUNT = 12;
        static final long RNR_RETRY_COUNT = 13;
        static final long SIZE = 24;

        private ConnParam() {}
    }

    /** {@code struct rdma_event_channel}. */
    static final class EventChannel {
        static final long FD = 0;
        static final long SIZE = 4;

        private EventChannel() {}
    }
}
