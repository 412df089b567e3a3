package org.octofs.rpc.cluster;

import java.util.List;
import java.util.Locale;
import org.octofs.rpc.fabric.TransportChoice;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The transports that a user can ask for, in the words of the help. */
public final class TransportConverter implements ITypeConverter<TransportChoice> {
    /** Not the one within a process, which no two processes can use. */
    private static final List<TransportChoice> CHOICES =
            List.of(TransportChoice.AUTO, TransportChoice.SHM, TransportChoice.TCP, TransportChoice.VERBS);

    /** For the command line. */
    public TransportConverter() {}

    @Override
    public TransportChoice convert(String value) {
        for (TransportChoice choice : CHOICES) {
            if (name(choice).equals(value.toLowerCase(Locale.ROOT))) {
                return choice;
            }
        }
        throw new TypeConversionException("there is no transport '" + value + "'; there are auto, shm, tcp and verbs");
    }

    /** As it is written. */
    public static String name(TransportChoice choice) {
        return choice.name().toLowerCase(Locale.ROOT);
    }
}
