package org.octofs.fuse.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Recorded requests of every operation become the right call, and are answered by the right bytes. With
 * -Doctofs.golden.print=true what they became is printed, to be looked at and put into requests.txt.
 */
@Timeout(60)
class GoldenRequestsTest {
    private static final HexFormat HEX = HexFormat.of();
    private static final int HEADER_DIGITS = 2 * KernelLayouts.OutHeader.SIZE_BYTES;

    @Test
    void everyRequestBecomesItsCallAndIsAnsweredByItsBytes() throws Exception {
        RecordingOperations recording = new RecordingOperations();
        StringBuilder actual = new StringBuilder();
        StringBuilder expected = new StringBuilder();
        try (ServedRequests served = new ServedRequests(recording.operations())) {
            for (GoldenRequest golden : GoldenRequest.all()) {
                List<byte[]> replies = served.serve(golden.request());
                if (golden.opcode() == KernelOpcode.SETLKW && replies.isEmpty()) {
                    replies = served.later(30_000);
                }
                actual.append(block(
                        golden,
                        recording.take(),
                        replies.stream().map(HEX::formatHex).collect(Collectors.joining("+"))));
                expected.append(block(golden, golden.call(), HEX.formatHex(golden.reply())));
            }
        }
        if (Boolean.getBoolean("octofs.golden.print")) {
            System.out.println(actual);
        }
        assertThat(actual.toString()).isEqualTo(expected.toString());
    }

    private static String block(GoldenRequest golden, String call, String reply) {
        String request = HEX.formatHex(golden.request());
        int header = 2 * KernelLayouts.InHeader.SIZE_BYTES;
        return "[" + golden.title() + "]\n"
                + ("request " + request.substring(0, header) + " " + request.substring(header)).strip() + "\n"
                + (call.isEmpty() ? "" : "call " + call + "\n")
                + (reply.isEmpty()
                        ? ""
                        : ("reply " + reply.substring(0, HEADER_DIGITS) + " " + reply.substring(HEADER_DIGITS)).strip()
                                + "\n")
                + "\n";
    }

    @Test
    void everyOperationOfTheTableHasOne() throws Exception {
        Set<Integer> recorded =
                GoldenRequest.all().stream().map(GoldenRequest::opcode).collect(Collectors.toCollection(TreeSet::new));
        Set<Integer> known = new TreeSet<>();
        for (Field field : KernelOpcode.class.getDeclaredFields()) {
            if (field.getType() == int.class) {
                known.add(field.getInt(null));
            }
        }
        // Its own test: it comes once, before all others.
        known.remove(KernelOpcode.INIT);
        assertThat(recorded).containsAll(known);
    }
}
