package io.holdfast.redis.script;

import io.holdfast.spi.Share.Mode;
import io.holdfast.spi.TenureId;
import java.util.List;
import java.util.stream.Stream;

/**
 * The part of a hold that is in one key, which can be renewed and released there by itself while the slot migrates.
 *
 * <p>Who renews does so in the order of {@link #of}: the end of the lease first, where there is one, as that decides who holds the
 * name, and the others are only to be there for as long. Who releases begins with {@linkplain #isHold what holds the name}, since an
 * end that is left behind is of nobody, but who is left behind without one would not be dropped. In between no script sees half of
 * it: none that needs all keys is run while they are apart, and before and after that each finds the holder in all of them or lets
 * it go.
 *
 * @param what it has, as {@link Script#BY_KEY} calls it
 * @param holder as it is called there
 */
public record KeyPart(String what, String key, String holder) {

    public static List<KeyPart> of(KeyLayout layout, String name, TenureId tenure, Mode mode) {
        String holder = tenure.toString();
        return switch (mode) {
            case LOCK -> List.of(new KeyPart("owner", layout.prefix() + name, holder));
            case READ, UPGRADE, WRITE ->
                shared(layout.sharedKeys(name, tenure, mode).toList(), holder, mode);
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
