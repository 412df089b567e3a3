package org.octofs.server.session;

/**
 * The outcome of a request as the persistent table has it.
 *
 * @param opCode what was asked for
 * @param status errno that was answered
 * @param ino inode number in the answer; its meaning is the operation's
 * @param extra a second number of the operation
 */
public record RecordedReply(int opCode, int status, long ino, long extra) {}
