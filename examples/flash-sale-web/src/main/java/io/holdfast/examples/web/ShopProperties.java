package io.holdfast.examples.web;

import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of an instance.
 *
 * @param instance the number of the instance, which no other living instance has
 * @param way the way of requests that name none
 * @param work the time between reading the stock and writing it
 * @param patience the maximum wait of a request for its turn
 * @param expiry the expiry of the lock key of {@link Way#SETNX}
 * @param endsWithInput true if the instance ends when its standard input ends
 */
@ConfigurationProperties("shop")
record ShopProperties(
        @DefaultValue("1") int instance,
        @DefaultValue("lock") Way way,
        @DefaultValue("5ms") Duration work,
        @DefaultValue("4s") Duration patience,
        @DefaultValue("2s") Duration expiry,
        @DefaultValue("false") boolean endsWithInput) {}
