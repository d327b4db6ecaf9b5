package io.holdfast.spring.guide;

import io.holdfast.spring.FencingToken;
import io.holdfast.spring.Locked;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The first example of the documentation. */
// region shipping
@Service
class Shipping {

    private final JdbcTemplate jdbc;

    Shipping(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Locked("orders/#{#id}")
    @Transactional
    public boolean ship(long id, @FencingToken long token) {
        String guarded = "update orders set state = 'SHIPPED', token = ? where id = ? and token < ?";
        return jdbc.update(guarded, token, id, token) == 1;
    }
}
// endregion
