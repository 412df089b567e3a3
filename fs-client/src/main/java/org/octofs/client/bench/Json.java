package org.octofs.client.bench;

/** Values as JSON writes them. */
final class Json {
    private static final int CONTROL_END = 0x20;

    private Json() {}

    static String text(String value) {
        StringBuilder out = new StringBuilder(value.length() + 2).append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < CONTROL_END) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    /** A number, a truth value, null, or a text; numbers that JSON does not know are null. */
    static String value(Object value) {
        return switch (value) {
            case null -> "null";
            case Double number when !Double.isFinite(number) -> "null";
            case Number number -> number.toString();
            case Boolean truth -> truth.toString();
            default -> text(value.toString());
        };
    }
}
