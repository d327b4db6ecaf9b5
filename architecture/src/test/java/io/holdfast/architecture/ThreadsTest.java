package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.architecture.PublishedModules.Module;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * A thread of the library inherits no thread-locals. A data source that chooses a database by the tenant of its caller would
 * otherwise choose that of the thread which happened to start the client's.
 */
class ThreadsTest {

    /** The only constructor with which a thread can be made that inherits nothing. */
    private static final String INHERITS_IF_TOLD = "(Ljava/lang/ThreadGroup;Ljava/lang/Runnable;Ljava/lang/String;JZ)V";

    @Test
    void noThreadOfAPublishedModuleInheritsThreadLocals() throws IOException {
        List<String> found = new ArrayList<>();
        for (Module module : PublishedModules.all()) {
            // the threads of the test kit are those of an application
            for (Path file : module.path().equals("testkit") ? List.<Path>of() : module.classFiles()) {
                found.addAll(inheriting(Files.readAllBytes(file)));
            }
        }
        assertThat(found).isEmpty();
    }

    /** The scan itself, on a class with two of three. */
    @Test
    void findsTheThreadsThatInherit() throws IOException {
        String name = Threads.class.getName();
        try (var in = Threads.class.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
            assertThat(in).isNotNull();
            assertThat(inheriting(in.readAllBytes())).hasSize(2);
        }
    }

    private static List<String> inheriting(byte[] classFile) {
        List<String> found = new ArrayList<>();
        ClassReader reader = new ClassReader(classFile);
        ClassVisitor scan = new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(
                    int access, String name, String descriptor, String signature, String[] exceptions) {
                return new MethodVisitor(Opcodes.ASM9) {

                    private int last;

                    @Override
                    public void visitInsn(int opcode) {
                        last = opcode;
                    }

                    @Override
                    public void visitMethodInsn(
                            int opcode, String owner, String method, String parameters, boolean isInterface) {
                        boolean makes = owner.equals("java/lang/Thread") && method.equals("<init>");
                        if (makes && (!parameters.equals(INHERITS_IF_TOLD) || last != Opcodes.ICONST_0)) {
                            found.add(reader.getClassName() + "." + name);
                        }
                    }
                };
            }
        };
        reader.accept(scan, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
        return found;
    }

    /** Never run. */
    @SuppressWarnings("unused")
    private static final class Threads {

        static Thread inherits(Runnable task) {
            return new Thread(task, "a");
        }

        static Thread inheritsToo(Runnable task) {
            return new Thread(null, task, "b", 0, true);
        }

        static Thread inheritsNothing(Runnable task) {
            return new Thread(null, task, "c", 0, false);
        }
    }
}
