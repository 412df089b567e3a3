/**
 * The octofs command line; start with {@link org.octofs.client.cli.Octofs}. Commands of the other modules come in through
 * {@link org.octofs.rpc.cluster.OctofsCommand}.
 */
package org.octofs.client.cli;
