package com.example.orders;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** An artifact as it lies in the folder it was published to. */
record Published(String name, Path folder) {

    static final String VERSION = System.getProperty("holdfast.version");
    static final String BOM = "holdfast-bom";

    static List<Published> all() {
        return list(Path.of(System.getProperty("holdfast.repository"), "io", "holdfast"))
                .filter(Files::isDirectory)
                .map(folder -> new Published(folder.getFileName().toString(), folder.resolve(VERSION)))
                .sorted(Comparator.comparing(Published::name))
                .toList();
    }

    static List<Published> jars() {
        return all().stream().filter(artifact -> !artifact.name.equals(BOM)).toList();
    }

    static Published bom() {
        return all().stream()
                .filter(artifact -> artifact.name.equals(BOM))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + BOM + " is published"));
    }

    Path jar() {
        return newest(
                file -> file.endsWith(".jar") && !file.endsWith("-sources.jar") && !file.endsWith("-javadoc.jar"));
    }

    Path sources() {
        return newest(file -> file.endsWith("-sources.jar"));
    }

    Path javadoc() {
        return newest(file -> file.endsWith("-javadoc.jar"));
    }

    /** What the expression finds in the pom, as texts. */
    List<String> inPom(String xpath) throws Exception {
        Document pom = DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(newest(file -> file.endsWith(".pom")).toFile());
        NodeList nodes =
                (NodeList) XPathFactory.newDefaultInstance().newXPath().evaluate(xpath, pom, XPathConstants.NODESET);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent().strip());
        }
        return texts;
    }

    /** The entries of a jar, with a slash before each. */
    static List<String> entries(Path jar) throws IOException {
        try (FileSystem inside = FileSystems.newFileSystem(jar);
                Stream<Path> files = Files.walk(inside.getPath("/"))) {
            return files.map(Path::toString).toList();
        }
    }

    @Override
    public String toString() {
        return name;
    }

    /** A snapshot that is published again lies beside the one before. */
    private Path newest(Predicate<String> wanted) {
        return list(folder)
                .filter(file -> wanted.test(file.getFileName().toString()))
                .max(Comparator.comparing(file -> file.toFile().lastModified()))
                .orElseThrow(() -> new AssertionError("a file of " + name + " is missing in " + folder));
    }

    private static Stream<Path> list(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList().stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
