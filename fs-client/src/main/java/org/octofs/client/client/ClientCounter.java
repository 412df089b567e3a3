package org.octofs.client.client;

/** What a client counts besides calls per op code. */
public enum ClientCounter {
    /** One-sided READs posted. */
    READ_VERBS("one-sided READs posted"),
    /** One-sided WRITEs posted. */
    WRITE_VERBS("one-sided WRITEs posted"),
    /** Bytes fetched. */
    READ_BYTES("bytes fetched by one-sided READs"),
    /** Bytes pushed. */
    WRITE_BYTES("bytes pushed by one-sided WRITEs"),
    /** RPCs sent. */
    RPCS("RPCs sent"),
    /** Names answered from the cache. */
    DENTRY_HITS("names answered from the validated cache"),
    /** Names that had to be asked for. */
    DENTRY_MISSES("names asked for by RPC"),
    /** Attributes answered by a one-sided READ. */
    ATTRIBUTE_HITS("attributes answered by one one-sided READ"),
    /** Attributes that had to be asked for. */
    ATTRIBUTE_MISSES("attributes asked for by RPC"),
    /** Block map pieces fetched. */
    MAP_FETCHES("block map pieces fetched by RPC"),
    /** Reads repeated. */
    READ_RETRIES("reads repeated because the file changed meanwhile"),
    /** Commits repeated. */
    COMMIT_CONFLICTS("commits repeated because another client changed the same block or size"),
    /** Checksum mismatches. */
    CHECKSUM_FAILURES("blocks whose content did not match its checksum"),
    /** Blocks borrowed. */
    BLOCKS_LENT("blocks lent to this client"),
    /** Connections established. */
    CONNECTS("connections established to servers"),
    /** Leases granted. */
    LEASES("leases on attributes and names granted by homes"),
    /** Recalls. */
    RECALLS("recalls by homes"),
    /** Errors of background commits. */
    BACKGROUND_ERRORS("background commits that failed and were reported to the file's handles");

    private final String description;

    ClientCounter(String description) {
        this.description = description;
    }

    /** One line for people. */
    public String description() {
        return description;
    }
}
