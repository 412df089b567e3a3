/* Prints where the fields that VerbsLayout names lie: gcc layout.c && ./a.out > layout.txt
 * Needs libibverbs-dev and librdmacm-dev. */
#include <stddef.h>
#include <stdio.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#define FIELD(class, name, type, field) printf(class "." name " %zu\n", offsetof(struct type, field))

int main(void) {
    FIELD("Context", "ALLOC_MW", ibv_context, ops.alloc_mw);
    FIELD("Context", "DEALLOC_MW", ibv_context, ops.dealloc_mw);
    FIELD("Context", "POLL_CQ", ibv_context, ops.poll_cq);
    FIELD("Context", "REQ_NOTIFY_CQ", ibv_context, ops.req_notify_cq);
    FIELD("Context", "POST_SEND", ibv_context, ops.post_send);
    FIELD("Context", "POST_RECV", ibv_context, ops.post_recv);
    FIELD("Context", "CMD_FD", ibv_context, cmd_fd);
    FIELD("Context", "NUM_COMP_VECTORS", ibv_context, num_comp_vectors);
    FIELD("Pd", "CONTEXT", ibv_pd, context);
    FIELD("Pd", "HANDLE", ibv_pd, handle);
    FIELD("Mr", "PD", ibv_mr, pd);
    FIELD("Mr", "ADDR", ibv_mr, addr);
    FIELD("Mr", "LENGTH", ibv_mr, length);
    FIELD("Mr", "HANDLE", ibv_mr, handle);
    FIELD("Mr", "LKEY", ibv_mr, lkey);
    FIELD("Mr", "RKEY", ibv_mr, rkey);
    FIELD("Mw", "PD", ibv_mw, pd);
    FIELD("Mw", "RKEY", ibv_mw, rkey);
    FIELD("Mw", "TYPE", ibv_mw, type);
    FIELD("CompChannel", "FD", ibv_comp_channel, fd);
    FIELD("Cq", "CHANNEL", ibv_cq, channel);
    FIELD("Cq", "HANDLE", ibv_cq, handle);
    FIELD("Cq", "CQE", ibv_cq, cqe);
    FIELD("Qp", "PD", ibv_qp, pd);
    FIELD("Qp", "SEND_CQ", ibv_qp, send_cq);
    FIELD("Qp", "RECV_CQ", ibv_qp, recv_cq);
    FIELD("Qp", "QP_NUM", ibv_qp, qp_num);
    FIELD("Qp", "QP_TYPE", ibv_qp, qp_type);
    FIELD("QpInitAttr", "SEND_CQ", ibv_qp_init_attr, send_cq);
    FIELD("QpInitAttr", "RECV_CQ", ibv_qp_init_attr, recv_cq);
    FIELD("QpInitAttr", "MAX_SEND_WR", ibv_qp_init_attr, cap.max_send_wr);
    FIELD("QpInitAttr", "MAX_RECV_WR", ibv_qp_init_attr, cap.max_recv_wr);
    FIELD("QpInitAttr", "MAX_SEND_SGE", ibv_qp_init_attr, cap.max_send_sge);
    FIELD("QpInitAttr", "MAX_RECV_SGE", ibv_qp_init_attr, cap.max_recv_sge);
    FIELD("QpInitAttr", "MAX_INLINE_DATA", ibv_qp_init_attr, cap.max_inline_data);
    FIELD("QpInitAttr", "QP_TYPE", ibv_qp_init_attr, qp_type);
    FIELD("QpInitAttr", "SQ_SIG_ALL", ibv_qp_init_attr, sq_sig_all);
    FIELD("QpAttr", "QP_STATE", ibv_qp_attr, qp_state);
    FIELD("QpAttr", "MIN_RNR_TIMER", ibv_qp_attr, min_rnr_timer);
    FIELD("QpAttr", "PORT_NUM", ibv_qp_attr, port_num);
    FIELD("SendWr", "WR_ID", ibv_send_wr, wr_id);
    FIELD("SendWr", "NEXT", ibv_send_wr, next);
    FIELD("SendWr", "SG_LIST", ibv_send_wr, sg_list);
    FIELD("SendWr", "NUM_SGE", ibv_send_wr, num_sge);
    FIELD("SendWr", "OPCODE", ibv_send_wr, opcode);
    FIELD("SendWr", "SEND_FLAGS", ibv_send_wr, send_flags);
    FIELD("SendWr", "IMM_DATA", ibv_send_wr, imm_data);
    FIELD("SendWr", "REMOTE_ADDR", ibv_send_wr, wr.rdma.remote_addr);
    FIELD("SendWr", "RKEY", ibv_send_wr, wr.rdma.rkey);
    FIELD("SendWr", "BIND_MW", ibv_send_wr, bind_mw.mw);
    FIELD("SendWr", "BIND_RKEY", ibv_send_wr, bind_mw.rkey);
    FIELD("SendWr", "BIND_MR", ibv_send_wr, bind_mw.bind_info.mr);
    FIELD("SendWr", "BIND_ADDR", ibv_send_wr, bind_mw.bind_info.addr);
    FIELD("SendWr", "BIND_LENGTH", ibv_send_wr, bind_mw.bind_info.length);
    FIELD("SendWr", "BIND_ACCESS", ibv_send_wr, bind_mw.bind_info.mw_access_flags);
    FIELD("RecvWr", "WR_ID", ibv_recv_wr, wr_id);
    FIELD("RecvWr", "NEXT", ibv_recv_wr, next);
    FIELD("RecvWr", "SG_LIST", ibv_recv_wr, sg_list);
    FIELD("RecvWr", "NUM_SGE", ibv_recv_wr, num_sge);
    FIELD("Sge", "ADDR", ibv_sge, addr);
    FIELD("Sge", "LENGTH", ibv_sge, length);
    FIELD("Sge", "LKEY", ibv_sge, lkey);
    FIELD("Wc", "WR_ID", ibv_wc, wr_id);
    FIELD("Wc", "STATUS", ibv_wc, status);
    FIELD("Wc", "OPCODE", ibv_wc, opcode);
    FIELD("Wc", "VENDOR_ERR", ibv_wc, vendor_err);
    FIELD("Wc", "BYTE_LEN", ibv_wc, byte_len);
    FIELD("Wc", "IMM_DATA", ibv_wc, imm_data);
    FIELD("Wc", "QP_NUM", ibv_wc, qp_num);
    FIELD("Wc", "WC_FLAGS", ibv_wc, wc_flags);
    FIELD("DeviceAttr", "MAX_QP_WR", ibv_device_attr, max_qp_wr);
    FIELD("DeviceAttr", "DEVICE_CAP_FLAGS", ibv_device_attr, device_cap_flags);
    FIELD("DeviceAttr", "MAX_CQE", ibv_device_attr, max_cqe);
    FIELD("DeviceAttr", "MAX_QP_RD_ATOM", ibv_device_attr, max_qp_rd_atom);
    FIELD("DeviceAttr", "MAX_QP_INIT_RD_ATOM", ibv_device_attr, max_qp_init_rd_atom);
    FIELD("CmId", "VERBS", rdma_cm_id, verbs);
    FIELD("CmId", "CHANNEL", rdma_cm_id, channel);
    FIELD("CmId", "CONTEXT", rdma_cm_id, context);
    FIELD("CmId", "QP", rdma_cm_id, qp);
    FIELD("CmId", "PORT_NUM", rdma_cm_id, port_num);
    FIELD("CmEvent", "ID", rdma_cm_event, id);
    FIELD("CmEvent", "LISTEN_ID", rdma_cm_event, listen_id);
    FIELD("CmEvent", "EVENT", rdma_cm_event, event);
    FIELD("CmEvent", "STATUS", rdma_cm_event, status);
    FIELD("CmEvent", "PRIVATE_DATA", rdma_cm_event, param.conn.private_data);
    FIELD("CmEvent", "PRIVATE_DATA_LEN", rdma_cm_event, param.conn.private_data_len);
    FIELD("CmEvent", "RESPONDER_RESOURCES", rdma_cm_event, param.conn.responder_resources);
    FIELD("CmEvent", "INITIATOR_DEPTH", rdma_cm_event, param.conn.initiator_depth);
    FIELD("ConnParam", "PRIVATE_DATA", rdma_conn_param, private_data);
    FIELD("ConnParam", "PRIVATE_DATA_LEN", rdma_conn_param, private_data_len);
    FIELD("ConnParam", "RESPONDER_RESOURCES", rdma_conn_param, responder_resources);
    FIELD("ConnParam", "INITIATOR_DEPTH", rdma_conn_param, initiator_depth);
    FIELD("ConnParam", "RETRY_COUNT", rdma_conn_param, retry_count);
    FIELD("ConnParam", "RNR_RETRY_COUNT", rdma_conn_param, rnr_retry_count);
    FIELD("EventChannel", "FD", rdma_event_channel, fd);
    printf("SendWr.SIZE %zu\n", sizeof(struct ibv_send_wr));
    printf("RecvWr.SIZE %zu\n", sizeof(struct ibv_recv_wr));
    printf("Sge.SIZE %zu\n", sizeof(struct ibv_sge));
    printf("Wc.SIZE %zu\n", sizeof(struct ibv_wc));
    printf("QpInitAttr.SIZE %zu\n", sizeof(struct ibv_qp_init_attr));
    printf("QpAttr.SIZE %zu\n", sizeof(struct ibv_qp_attr));
    printf("ConnParam.SIZE %zu\n", sizeof(struct rdma_conn_param));
    printf("DeviceAttr.SIZE %zu\n", sizeof(struct ibv_device_attr));
    return 0;
}
