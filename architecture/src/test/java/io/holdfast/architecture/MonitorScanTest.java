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

/** No monitors: before JDK 24 a virtual thread that parks inside one keeps its carrier. */
class MonitorScanTest {

    @Test
    void noMonitorInAPublishedModule() throws IOException {
        List<String> found = new ArrayList<>();
        for (Module module : PublishedModules.all()) {
            for (Path file : module.classFiles()) {
                found.addAll(monitors(Files.readAllBytes(file)));
            }
        }
        assertThat(found).isEmpty();
    }

    /** The scan itself, on a class with both kinds. */
    @Test
    void theScanFindsBothKinds() throws IOException {
        String name = Monitors.class.getName();
        try (var in = Monitors.class.getResourceAsStream(name.substring(name.lastIndexOf('.') + 1) + ".class")) {
            assertThat(in).isNotNull();
            assertThat(monitors(in.readAllBytes())).hasSize(2);
        }
    }

    private static List<String> monitors(byte[] classFile) {
        List<String> found = new ArrayList<>();
        ClassReader reader = new ClassReader(classFile);
        ClassVisitor scan = new ClassVisitor(Opcodes.ASM9) {
            @Override
            public MethodVisitor visitMethod(
                    int access, String name, String descriptor, String signature, String[] exceptions) {
                String method = reader.getClassName().replace('/', '.') + "." + name;
                if ((access & Opcodes.ACC_SYNCHRONIZED) != 0) {
                    found.add(method + " is synchronized");
                }
                return new MethodVisitor(Opcodes.ASM9) {
                    @Override
                    public void visitInsn(int opcode) {
                        if (opcode == Opcodes.MONITORENTER) {
                            found.add(method + " has a synchronized block");
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
    private static final class Monitors {

        static synchronized int method() {
            return 1;
        }

        static int block() {
            synchronized (Monitors.class) {
                return 2;
            }
        }
    }
}
