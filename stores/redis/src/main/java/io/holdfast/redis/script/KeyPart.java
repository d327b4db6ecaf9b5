package io.holdfast.redis.script;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import java.util.List;
import java.util.stream.Stream;

/**
 * The part of a hold that is in one key. It can be renewed and released by itself while the slot migrates.
 *
 * <h2>Invariants</h2>
 *
 * <ol>
 *   <li>No holder is ever left without the end of its lease, because it would never expire. An end without a holder has no
 *       effect.
 *   <li>No script sees only a part of a hold. While the keys are at two nodes, the server refuses scripts that need all of them
 *       ({@code TRYAGAIN}). Before and after that, a script finds the holder in all keys, or drops it.
 * </ol>
 *
 * <p>So a renewal follows the order of {@link #of}. The end of the lease comes first, if it has a key, because it determines the
 * holder. The other keys only have to live as long. A release begins with {@linkplain #isHold the hold} itself.
 *
 * <p>See <a href="https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#live-reconfiguration">Redis
 * cluster specification</a>.
 *
 * @param what the kind of part, as {@link Script#BY_KEY} names it
 * @param holder the holder, as it is written in the key
 */
public record KeyPart(String what, String key, String holder) {

    public static List<KeyPart> of(KeyLayout layout, String name, TenureId tenure, Mode mode) {
        String holder = tenure.toString();
        return switch (mode) {
            case LOCK -> List.of(new KeyPart("owner", layout.prefix() + name, holder));
            case READ, WRITE -> shared(layout.sharedKeys(name, tenure, mode).toList(), holder, mode);
            case PERMITS -> {
                String[] keys = layout.countedKeys(name, "pe", "ph");
                yield List.of(new KeyPart("end", keys[0], holder), new KeyPart("count", keys[1], holder));
            }
        };
    }

    public boolean isHold() {
        return what.equals("owner") || what.equals("count");
    }

    private static List<KeyPart> shared(List<String> keys, String tenure, Mode mode) {
        String holder = tenure + KeyLayout.ending(mode);
        Stream<KeyPart> both =
                Stream.of(new KeyPart("end", keys.get(3), holder), new KeyPart("owner", keys.get(0), holder));
        return Stream.concat(
                        both, mode == Mode.WRITE ? Stream.empty() : Stream.of(new KeyPart("timer", keys.get(5), "")))
                .toList();
    }
}
