/**
 * POSIX access control lists. They live as extended attributes in the kernel's own format and are enforced by the kernel;
 * here is what must happen in one step with other changes: a list and the permission bits follow each other, a new file
 * inherits from its directory. Read first: {@link org.octofs.server.acl.AccessControlList}. Confined to the worker; knows
 * nothing of messages.
 */
package org.octofs.server.acl;
