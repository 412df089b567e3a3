package org.octofs.server.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: a number with K, M, G or T (times 1024, 1024², …), or without for bytes. */
final class ByteSize {
    private static final Pattern FORM = Pattern.compile("(\\d{1,12})\\s*([KMGT]?)(I?B)?");
    private static final String UNITS = "KMGT";

    private ByteSize() {}

    /**
     * Reads a size.
     *
     * @throws IllegalArgumentException with words for the user
     */
    static long parse(String text) {
        Matcher matcher = FORM.matcher(text.trim().toUpperCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is no size; write for example 2G or 512M");
        }
        int power = matcher.group(2).isEmpty() ? 0 : UNITS.indexOf(matcher.group(2)) + 1;
        long number = Long.parseLong(matcher.group(1));
        if (number > Long.MAX_VALUE >> (10 * power)) {
            throw new IllegalArgumentException("'" + text + "' is too large");
        }
        return number << (10 * power);
    }

    /** A size in the largest unit that keeps it readable. */
    static String print(long bytes) {
        int power = 0;
        long value = bytes;
        while (value >= 10 * 1024 && power < UNITS.length()) {
            value >>= 10;
            power++;
        }
        return power == 0 ? bytes + " bytes" : value + " " + UNITS.charAt(power - 1) + "iB";
    }
}
