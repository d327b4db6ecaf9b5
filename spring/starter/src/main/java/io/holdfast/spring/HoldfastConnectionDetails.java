package io.holdfast.spring;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;

/** The address of the store of the default client. Such a bean takes precedence over {@code holdfast.uri}. */
public interface HoldfastConnectionDetails extends ConnectionDetails {

    /** Returns the URI of the store. */
    String uri();
}
