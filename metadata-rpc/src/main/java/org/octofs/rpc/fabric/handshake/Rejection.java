package org.octofs.rpc.fabric.handshake;

import org.octofs.rpc.fabric.FabricException;

/**
 * A refusal.
 *
 * @param reason REFUSED, INCOMPATIBLE or NO_TRANSPORT
 * @param text for the other side's user
 */
record Rejection(FabricException.Reason reason, String text) {
    private static final int TEXT_BYTES_MAX = 4096;
    private static final int CODE_REFUSED = 1;
    private static final int CODE_INCOMPATIBLE = 2;
    private static final int CODE_NO_TRANSPORT = 3;

    Frame toFrame() {
        int code = switch (reason) {
            case INCOMPATIBLE -> CODE_INCOMPATIBLE;
            case NO_TRANSPORT -> CODE_NO_TRANSPORT;
            default -> CODE_REFUSED;
        };
        return Frame.create(FrameType.REJECT).putShort(code).putText(text);
    }

    static Rejection fromFrame(Frame frame) throws HandshakeException {
        int code = frame.getShort();
        String text = frame.getText(TEXT_BYTES_MAX);
        frame.end();
        return new Rejection(
                switch (code) {
                    case CODE_INCOMPATIBLE -> FabricException.Reason.INCOMPATIBLE;
                    case CODE_NO_TRANSPORT -> FabricException.Reason.NO_TRANSPORT;
                    default -> FabricException.Reason.REFUSED;
                },
                text);
    }
}
