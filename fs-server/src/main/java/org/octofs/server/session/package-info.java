/**
 * What the server keeps of its clients: sessions, the outcomes of their last requests, what they have open.
 *
 * <p>Read {@link org.octofs.server.session.Sessions} first. Outcomes are persistent, because a request that is sent again after
 * the server restarted must not be executed twice; opens are not, because clients tell them again. Everything is confined to
 * the server's worker thread.
 */
package org.octofs.server.session;
