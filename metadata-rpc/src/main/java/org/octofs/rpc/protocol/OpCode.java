package org.octofs.rpc.protocol;

/** What a request asks for. The numbers are part of the wire format; a client uses 1 to 63, servers among themselves 64 up. */
public final class OpCode {
    /** Nothing: answers an empty body; renews the lease. */
    public static final int NULL = 1;

    /** {@link org.octofs.rpc.protocol.message.RegionsReply}: the node's exported memory. Request: empty. */
    public static final int REGIONS = 2;

    /** ReclaimRequest: the client's opens and locks, after the server restarted. */
    public static final int RECLAIM = 3;

    /** StatfsReply. Request: empty. */
    public static final int STATFS = 4;

    /** LookupRequest, EntryReply. */
    public static final int LOOKUP = 5;

    /** InodeRequest, InodeReply. */
    public static final int GETATTR = 6;

    /** SetAttributesRequest, InodeReply. */
    public static final int SETATTR = 7;

    /** CreateRequest, EntryReply; regular files, symbolic links and special files. */
    public static final int CREATE = 8;

    /** CreateRequest, EntryReply. */
    public static final int MKDIR = 9;

    /** LookupRequest, ChangeReply. */
    public static final int UNLINK = 10;

    /** LookupRequest, ChangeReply. */
    public static final int RMDIR = 11;

    /** RenameRequest, ChangeReply. */
    public static final int RENAME = 12;

    /** LinkRequest, EntryReply. */
    public static final int LINK = 13;

    /** InodeRequest, BytesReply. */
    public static final int READLINK = 14;

    /** ReadDirectoryRequest, ReadDirectoryReply. */
    public static final int READDIR = 15;

    /** OpenRequest, InodeReply. */
    public static final int OPEN = 16;

    /** CloseRequest, empty. */
    public static final int CLOSE = 17;

    /** MapRequest, MapReply. */
    public static final int MAP = 18;

    /** ReserveRequest, GrantReply. */
    public static final int RESERVE = 19;

    /** ReturnBlocksRequest, empty. */
    public static final int RETURN_BLOCKS = 20;

    /** CommitRequest, CommitReply. */
    public static final int COMMIT = 21;

    /** XattrRequest, BytesReply. */
    public static final int GETXATTR = 22;

    /** XattrRequest, InodeReply. */
    public static final int SETXATTR = 23;

    /** InodeRequest, BytesReply. */
    public static final int LISTXATTR = 24;

    /** XattrRequest, InodeReply. */
    public static final int REMOVEXATTR = 25;

    /** LockRequest, LockReply. */
    public static final int LOCK = 26;

    /** The session ends: everything it holds is released. Request and answer: empty. */
    public static final int GOODBYE = 27;

    /** PersistRequest, empty: makes data durable that was pushed over a transport that does not do so itself. */
    public static final int PERSIST = 28;

    /** CountersReply: what the node has done so far, for benchmarks. Request: empty. */
    public static final int COUNTERS = 29;

    /** LeaseRequest, empty: the client wants to be told before what its kernel keeps is changed by others. */
    public static final int LEASE = 30;

    /** RecallsRequest, RecallsReply: what the client's kernel has to drop; answered when there is something, or in time. */
    public static final int RECALLS = 31;

    /** CopyBlocksRequest, empty: copies blocks within the asked node's pool; durable when answered. */
    public static final int COPY_BLOCKS = 32;

    /** SegmentRequest, SegmentReply, between servers. */
    public static final int SEGMENT_ACQUIRE = 64;

    /** SegmentRequest, empty, between servers. */
    public static final int SEGMENT_RELEASE = 65;

    /** SegmentRequest, SegmentReply, between servers: the segments owned by shards of the asking server. */
    public static final int SEGMENT_LIST = 66;

    /** CollectRequest, CollectReply: locks a participant's objects and answers their images. */
    public static final int COLLECT = 67;

    /** TransactionsRequest, TransactionsReply: drops a participant's locks, nothing happened. */
    public static final int ABORT = 68;

    /** TransactionsRequest, TransactionsReply: a participant asks a coordinator what became of transactions. */
    public static final int OUTCOME = 69;

    /** TransactionsRequest, TransactionsReply: a coordinator asks which transactions the participant has made durable. */
    public static final int FLUSHED = 70;

    /** A client is dead or late: its connections at this node end and do not come back. */
    public static final int FENCE = 71;

    /** AncestorsRequest, AncestorsReply, between servers: whether a directory is above another one. */
    public static final int ANCESTORS = 72;

    private OpCode() {}
}
