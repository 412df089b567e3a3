package org.octofs.fuse.kernel;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** A recorded request, what it has to become, and what has to answer it. */
final class GoldenRequest {
    private static final String FILE = "requests.txt";

    private final String title;
    private final byte[] request;
    private final String call;
    private final byte[] reply;

    private GoldenRequest(String title, byte[] request, String call, byte[] reply) {
        this.title = title;
        this.request = request;
        this.call = call;
        this.reply = reply;
    }

    /** Operation, and what is special about it. */
    String title() {
        return title;
    }

    /** A copy. */
    byte[] request() {
        return request.clone();
    }

    /** As {@link RecordingOperations} writes it; may be empty. */
    String call() {
        return call;
    }

    /** May be of no bytes. */
    byte[] reply() {
        return reply.clone();
    }

    static List<GoldenRequest> all() throws IOException {
        List<GoldenRequest> all = new ArrayList<>();
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(GoldenRequest.class.getResourceAsStream(FILE), StandardCharsets.ISO_8859_1))) {
            String title = "";
            byte[] request = {};
            String call = "";
            byte[] reply = {};
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int space = line.indexOf(' ');
                String rest = line.substring(space + 1);
                switch (line.isEmpty() ? ' ' : line.charAt(0)) {
                    case '[' -> title = line.substring(1, line.length() - 1);
                    case 'r' -> {
                        byte[] bytes = HexFormat.of().parseHex(rest.replace(" ", ""));
                        if (line.startsWith("request")) {
                            request = bytes;
                        } else {
                            reply = bytes;
                        }
                    }
                    case 'c' -> call = rest;
                    case ' ' -> {
                        if (!title.isEmpty()) {
                            all.add(new GoldenRequest(title, request, call, reply));
                        }
                        title = "";
                        call = "";
                        reply = new byte[0];
                    }
                    default -> {
                        // a comment
                    }
                }
            }
        }
        return all;
    }

    int opcode() {
        return ByteBuffer.wrap(request).order(ByteOrder.nativeOrder()).getInt(KernelLayouts.InHeader.OPCODE_OFFSET);
    }

    @Override
    public String toString() {
        return title;
    }
}
