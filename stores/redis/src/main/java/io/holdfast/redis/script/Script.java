package io.holdfast.redis.script;

import io.lettuce.core.codec.Base16;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** The scripts. Each is composed of the parts that it uses and its own text. */
public enum Script {
    ACQUIRE("acquire-free", "common", "serve", "acquire"),
    RENEW("common", "renew"),
    RENEW_ALIKE("common", "renew-alike"),
    BY_KEY("common", "serve", "permit", "by-key"),
    RELEASE("release-alone", "common", "serve", "redisson", "release"),
    FORCE("common", "serve", "redisson", "force"),
    INSPECT("common", "inspect"),
    SHARE_ACQUIRE("common", "serve", "share", "redisson-shared", "share-acquire"),
    SHARE_RENEW("common", "serve", "share", "share-renew"),
    SHARE_RELEASE("common", "serve", "share", "redisson-shared", "share-release"),
    SHARE_FORCE("common", "serve", "share", "redisson-shared", "share-force"),
    SHARE_INSPECT("common", "serve", "share", "share-inspect"),
    PERMIT_ACQUIRE("common", "serve", "permit", "permit-acquire"),
    PERMIT_RENEW("common", "serve", "permit", "permit-renew"),
    PERMIT_RELEASE("common", "serve", "permit", "permit-release"),
    PERMIT_CHANGE("common", "serve", "permit", "count", "permit-change"),
    PERMIT_INSPECT("common", "serve", "permit", "permit-inspect"),
    LATCH_CHANGE("common", "count", "latch", "latch-change"),
    LATCH_INSPECT("common", "latch", "latch-inspect"),
    LATCH_LOOK("common", "latch", "latch-look");

    /** The text for a server that does not know the script. */
    public final String text;

    /** The SHA-1 digest by which a server knows the script. */
    final String digest;

    /** {@code true} if the script frees plain locks, so that it may have to notify clients of Redisson. */
    final boolean frees;

    Script(String... parts) {
        StringBuilder whole = new StringBuilder();
        for (String part : parts) {
            whole.append(read(part));
        }
        text = whole.toString();
        frees = List.of(parts).contains("redisson");
        digest = Base16.digest(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns {@code true} if a client that runs the script must receive messages about the name. */
    boolean listens() {
        return switch (this) {
            case ACQUIRE, RENEW, RENEW_ALIKE, SHARE_ACQUIRE, SHARE_RENEW, PERMIT_ACQUIRE, PERMIT_RENEW, LATCH_INSPECT ->
                true;
            default -> false;
        };
    }

    /** Returns {@code true} if the answer counts only when the replicas and disks of the safety level have the effect. */
    boolean confirmed() {
        return switch (this) {
            case ACQUIRE, RENEW, RENEW_ALIKE, SHARE_ACQUIRE, SHARE_RENEW, PERMIT_ACQUIRE, PERMIT_RENEW -> true;
            default -> false;
        };
    }

    /** Returns {@code true} if the script may grant a lock that the client does not hold yet. */
    boolean acquires() {
        return this == ACQUIRE || this == SHARE_ACQUIRE || this == PERMIT_ACQUIRE;
    }

    public static String read(String part) {
        try (InputStream in = Script.class.getResourceAsStream(part + ".lua")) {
            byte[] bytes = Objects.requireNonNull(in, part + ".lua").readAllBytes();
            return new String(bytes, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
