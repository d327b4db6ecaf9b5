package io.holdfast.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * The modules of the root pom that are published as jars, that is, all that do not set {@code maven.deploy.skip} and are
 * more than a pom. A new module is under the rules without being named here.
 */
final class PublishedModules {

    private static final String ROOT_PROPERTY = "holdfast.root";

    /** The classes below each folder, because an import takes a second. */
    private static final Map<Path, JavaClasses> IMPORTED = new ConcurrentHashMap<>();

    private PublishedModules() {}

    /** A module, by its folder below the root: {@code core}, {@code stores/redis}. */
    record Module(String path, Path folder) {

        /** As its pom says; the first one there is the parent's. */
        String artifactId() {
            return texts(pom(folder), "artifactId").get(1);
        }

        /** All in the folder of stores, except what they share. */
        boolean isStore() {
            return path.startsWith("stores/") && !path.equals("stores/support");
        }

        Path classFolder() {
            return folder.resolve("target/classes");
        }

        /** Its class files; never none. */
        List<Path> classFiles() {
            return filesBelow(classFolder(), ".class");
        }

        /** The Java files of its main source set; never none. */
        List<Path> sources() {
            return filesBelow(folder.resolve("src/main/java"), ".java");
        }

        JavaClasses classes() {
            return IMPORTED.computeIfAbsent(folder, same -> new ClassFileImporter().importPaths(classFiles()));
        }

        @Override
        public String toString() {
            return path;
        }
    }

    static List<Module> all() {
        List<Module> published = new ArrayList<>();
        for (String path : texts(pom(root()), "module")) {
            Module module = new Module(path, root().resolve(path));
            Document pom = pom(module.folder());
            if (!texts(pom, "maven.deploy.skip").contains("true")
                    && !texts(pom, "packaging").contains("pom")) {
                published.add(module);
            }
        }
        return published;
    }

    static List<Module> stores() {
        return all().stream().filter(Module::isStore).toList();
    }

    static Module named(String path) {
        return all().stream()
                .filter(module -> module.path().equals(path))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no published module " + path + " in the root pom"));
    }

    /** The classes of all published modules. */
    static JavaClasses allClasses() {
        return IMPORTED.computeIfAbsent(
                root(),
                same -> new ClassFileImporter()
                        .importPaths(all().stream()
                                .flatMap(module -> module.classFiles().stream())
                                .toList()));
    }

    /** The artifacts that the BOM lists. */
    static List<String> inBom() {
        NodeList listed = pom(root().resolve("bom")).getElementsByTagName("dependency");
        List<String> artifacts = new ArrayList<>();
        for (int i = 0; i < listed.getLength(); i++) {
            artifacts.addAll(texts((Element) listed.item(i), "artifactId"));
        }
        return artifacts;
    }

    static Path root() {
        String root = System.getProperty(ROOT_PROPERTY);
        if (root == null) {
            throw new AssertionError("the system property " + ROOT_PROPERTY + " must name the folder of the root pom");
        }
        return Path.of(root).toAbsolutePath().normalize();
    }

    private static List<Path> filesBelow(Path folder, String suffix) {
        if (!Files.isDirectory(folder)) {
            throw new AssertionError(folder + " is missing; build the module first");
        }
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> found = files.filter(file -> file.toString().endsWith(suffix))
                    .sorted()
                    .toList();
            if (found.isEmpty()) {
                throw new AssertionError("no " + suffix + " file below " + folder);
            }
            return found;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Document pom(Path folder) {
        try {
            return DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(folder.resolve("pom.xml").toFile());
        } catch (ParserConfigurationException | SAXException | IOException e) {
            throw new AssertionError("cannot read the pom of " + folder, e);
        }
    }

    private static List<String> texts(Document pom, String tag) {
        return texts(pom.getDocumentElement(), tag);
    }

    private static List<String> texts(Element element, String tag) {
        NodeList nodes = element.getElementsByTagName(tag);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent().strip());
        }
        return texts;
    }
}
