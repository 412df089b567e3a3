package org.octofs.client.nio;

import java.nio.charset.StandardCharsets;

/**
 * Names as text and back, without loss: bytes that are no UTF-8 become lone low surrogates U+DC80 to U+DCFF, which
 * cannot come out of valid UTF-8.
 */
final class NameCodec {
    private static final char ESCAPE_FIRST = '\uDC80';
    private static final char ESCAPE_LAST = '\uDCFF';

    private NameCodec() {}

    static byte[] encode(String name) {
        byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
        if (name.chars().noneMatch(c -> c >= ESCAPE_FIRST && c <= ESCAPE_LAST)) {
            return utf8;
        }
        byte[] bytes = new byte[name.length() * 3];
        int length = 0;
        for (int i = 0; i < name.length(); ) {
            int codePoint = name.codePointAt(i);
            i += Character.charCount(codePoint);
            if (codePoint >= ESCAPE_FIRST && codePoint <= ESCAPE_LAST) {
                bytes[length++] = (byte) codePoint;
            } else {
                for (byte b : Character.toString(codePoint).getBytes(StandardCharsets.UTF_8)) {
                    bytes[length++] = b;
                }
            }
        }
        return java.util.Arrays.copyOf(bytes, length);
    }

    static String decode(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (text.indexOf('\uFFFD') < 0) {
            return text;
        }
        StringBuilder escaped = new StringBuilder(bytes.length);
        for (int i = 0; i < bytes.length; ) {
            int length = validLength(bytes, i);
            if (length == 0) {
                escaped.append((char) (0xDC00 | (bytes[i] & 0xFF)));
                i++;
            } else {
                escaped.append(new String(bytes, i, length, StandardCharsets.UTF_8));
                i += length;
            }
        }
        return escaped.toString();
    }

    /** Bytes of the valid character at {@code from}, 0 if there is none. */
    private static int validLength(byte[] bytes, int from) {
        for (int length = 1; length <= 4 && from + length <= bytes.length; length++) {
            String one = new String(bytes, from, length, StandardCharsets.UTF_8);
            if (one.codePointCount(0, one.length()) == 1
                    && java.util.Arrays.equals(
                            one.getBytes(StandardCharsets.UTF_8),
                            java.util.Arrays.copyOfRange(bytes, from, from + length))) {
                return length;
            }
        }
        return 0;
    }
}
