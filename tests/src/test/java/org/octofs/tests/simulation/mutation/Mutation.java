package org.octofs.tests.simulation.mutation;

import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;

/**
 * One safety mechanism left out.
 *
 * @param what is missing then, in words
 * @param className whose class file is changed
 * @param method all methods of this name
 * @param kind how
 * @param callee with WITHOUT_CALL: the name of what is not called any more
 * @param value with ANSWERS and RESULT_IS: 0 or 1; also the place of null
 */
record Mutation(String what, String className, String method, Kind kind, String callee, int value) {
    /** How a method is changed. */
    enum Kind {
        /** It does nothing and answers a value. */
        ANSWERS,
        /** It does what it does, but answers a value. */
        RESULT_IS,
        /** It leaves out one kind of call, and takes 0 or null for its answer. */
        WITHOUT_CALL
    }

    static Mutation answers(String what, String className, String method, int value) {
        return new Mutation(what, "org.octofs." + className, method, Kind.ANSWERS, "", value);
    }

    static Mutation resultIs(String what, String className, String method, int value) {
        return new Mutation(what, "org.octofs." + className, method, Kind.RESULT_IS, "", value);
    }

    static Mutation withoutCall(String what, String className, String method, String callee) {
        return new Mutation(what, "org.octofs." + className, method, Kind.WITHOUT_CALL, callee, 0);
    }

    /** The class file with the change; throws if there is nothing to change. */
    byte[] apply(byte[] classFile) {
        ClassFile format = ClassFile.of();
        ClassModel parsed = format.parse(classFile);
        int[] changes = new int[1];
        ClassTransform transform = ClassTransform.transformingMethodBodies(
                this::isMeant, CodeTransform.ofStateful(() -> transform(changes)));
        byte[] changed = format.transformClass(parsed, transform);
        if (changes[0] == 0) {
            throw new IllegalStateException("nothing to change for: " + this);
        }
        return changed;
    }

    private boolean isMeant(MethodModel candidate) {
        return candidate.methodName().equalsString(method);
    }

    private CodeTransform transform(int[] changes) {
        return switch (kind) {
            case WITHOUT_CALL ->
                (builder, element) -> {
                    if (element instanceof InvokeInstruction call && call.name().equalsString(callee)) {
                        changes[0]++;
                        leaveOut(builder, call);
                    } else {
                        builder.with(element);
                    }
                };
            case RESULT_IS ->
                (builder, element) -> {
                    if (element instanceof ReturnInstruction end) {
                        changes[0]++;
                        builder.pop();
                        answer(builder, end.typeKind());
                    } else {
                        builder.with(element);
                    }
                };
            case ANSWERS -> new Constant(changes);
        };
    }

    private void answer(CodeBuilder builder, TypeKind type) {
        switch (type) {
            case VOID -> {}
            case REFERENCE -> builder.aconst_null();
            case LONG -> builder.loadConstant((long) value);
            default -> builder.loadConstant(value);
        }
        builder.return_(type);
    }

    private static void leaveOut(CodeBuilder builder, InvokeInstruction call) {
        MethodTypeDesc type = call.typeSymbol();
        for (int i = type.parameterCount() - 1; i >= 0; i--) {
            pop(builder, type.parameterType(i));
        }
        if (call.opcode() != Opcode.INVOKESTATIC) {
            builder.pop();
        }
        switch (TypeKind.from(type.returnType())) {
            case VOID -> {}
            case REFERENCE -> builder.aconst_null();
            case LONG -> builder.lconst_0();
            default -> builder.iconst_0();
        }
    }

    private static void pop(CodeBuilder builder, ClassDesc type) {
        if (TypeKind.from(type).slotSize() == 2) {
            builder.pop2();
        } else {
            builder.pop();
        }
    }

    /** Replaces a whole body. */
    private final class Constant implements CodeTransform {
        private final int[] changes;
        private TypeKind type = TypeKind.VOID;

        Constant(int[] changes) {
            this.changes = changes;
        }

        @Override
        public void accept(CodeBuilder builder, CodeElement element) {
            if (element instanceof ReturnInstruction end) {
                type = end.typeKind();
            }
        }

        @Override
        public void atEnd(CodeBuilder builder) {
            changes[0]++;
            answer(builder, type);
        }
    }
}
