package org.octofs.rpc.fabric.handshake;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.octofs.rpc.fabric.Fabric;
import org.octofs.rpc.fabric.TransportKind;
import org.octofs.rpc.fabric.host.ProcessIdentity;

/**
 * What a side says of itself: HELLO has one or more offers, ACCEPT exactly the one that was taken.
 *
 * @param identity the sender's process
 * @param name what the sender calls itself
 * @param privateData for the other side's user
 * @param offers transports, best first, with what the transport tells its other half
 */
@SuppressWarnings("ArrayRecordComponent") // handed over, never compared
record Introduction(ProcessIdentity identity, String name, byte[] privateData, List<Offer> offers) {
    static final int NAME_BYTES_MAX = 256;
    static final int OFFER_COUNT_MAX = 8;

    /**
     * One transport.
     *
     * @param code wire code; may be one of a newer version
     * @param parameters bytes of the transport, at most {@link Transport#PARAMETERS_BYTES_MAX}
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Offer(int code, byte[] parameters) {
        TransportKind kind() {
            return TransportKind.ofCode(code);
        }
    }

    Frame toFrame(FrameType type) {
        Frame frame = Frame.create(type)
                .putInt(FrameLayout.COMPATIBLE_FEATURES)
                .putInt(FrameLayout.INCOMPATIBLE_FEATURES)
                .putLong(identity.bootId().getMostSignificantBits())
                .putLong(identity.bootId().getLeastSignificantBits())
                .putLong(identity.processIdNamespace())
                .putLong(identity.pid())
                .putLong(identity.startTicks())
                .putText(name)
                .putBlob(privateData);
        if (type == FrameType.HELLO) {
            frame.putShort(offers.size());
        }
        for (Offer offer : offers) {
            frame.putShort(offer.code).putBlob(offer.parameters);
        }
        return frame;
    }

    static Introduction fromFrame(Frame frame) throws HandshakeException {
        int unusedCompatible = frame.getInt();
        int unknown = frame.getInt() & ~FrameLayout.INCOMPATIBLE_FEATURES;
        if (unknown != 0) {
            throw new HandshakeException("features 0x" + Integer.toHexString(unknown)
                    + " are needed that this process does not have; use the same OctoFS version on both sides");
        }
        ProcessIdentity identity = new ProcessIdentity(
                new UUID(frame.getLong(), frame.getLong()), frame.getLong(), frame.getLong(), frame.getLong());
        String name = frame.getText(NAME_BYTES_MAX);
        byte[] privateData = frame.getBlob(Fabric.PRIVATE_DATA_BYTES_MAX);
        int count = frame.type() == FrameType.HELLO ? frame.getShort() : 1;
        if (count < 1 || count > OFFER_COUNT_MAX) {
            throw new HandshakeException(count + " transports offered, 1 to " + OFFER_COUNT_MAX + " are allowed");
        }
        List<Offer> offers = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            offers.add(new Offer(frame.getShort(), frame.getBlob(Transport.PARAMETERS_BYTES_MAX)));
        }
        frame.end();
        return new Introduction(identity, name, privateData, offers);
    }
}
