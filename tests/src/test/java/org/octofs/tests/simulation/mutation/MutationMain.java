package org.octofs.tests.simulation.mutation;

import java.util.function.LongFunction;

/** Looks for the seeds that see mutations. Arguments: {@code FIRST_SEED SEEDS [WORDS]}: those whose description contains the words. */
public final class MutationMain {
    private MutationMain() {}

    /** See the class. */
    public static void main(String[] arguments) {
        long first = Long.parseLong(arguments[0]);
        long count = Long.parseLong(arguments[1]);
        for (Mutation mutation : SafetyMechanisms.ALL) {
            if (arguments.length < 3 || mutation.what().contains(arguments[2])) {
                LongFunction<Throwable> simulation = new MutatedClasses(mutation).simulation();
                String outcome = "NOT SEEN by " + count + " seeds";
                for (long seed = first; seed < first + count; seed++) {
                    Throwable wrong = simulation.apply(seed);
                    if (wrong != null) {
                        outcome = "seed " + seed + ": " + brief(wrong);
                        break;
                    }
                }
                System.out.println(mutation.what() + " | " + outcome);
            }
        }
    }

    static String brief(Throwable wrong) {
        Throwable last = wrong.getCause() == null ? wrong : wrong.getCause();
        String text = String.valueOf(last).replace('\n', ' ');
        return text.substring(0, Math.min(text.length(), 160));
    }
}
