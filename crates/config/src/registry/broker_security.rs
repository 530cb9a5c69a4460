//! Broker settings of TLS, tokens and authorisation. Data only.

use super::settings;
use crate::check::{ANY, ITEMS, at_least, one_of};

settings! { Broker
    "authorizer.class.name": String = "", ANY, low;
        "Class that decides who may do what; nobody is asked if it is empty."
    "connections.max.reauth.ms": Long = "0", ANY, medium;
        "Milliseconds after which a SASL client must authenticate again; 0 asks never."
    "delegation.token.expiry.check.interval.ms": Long = "3600000", at_least(1), low;
        "Milliseconds between searches for expired delegation tokens."
    "delegation.token.expiry.time.ms": Long = "86400000", at_least(1), medium;
        "Milliseconds a delegation token is valid before it must be renewed."
    "delegation.token.max.lifetime.ms": Long = "604800000", at_least(1), medium;
        "Milliseconds after which a delegation token ends, renewed or not."
    "delegation.token.secret.key": Password = none, ANY, medium;
        "Secret with which delegation tokens are signed; no tokens without one."
    "principal.builder.class": Class =
        "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder", ANY, medium per_broker;
        "Class that makes a principal of what a connection has proved."
    "security.inter.broker.protocol": String =
        "PLAINTEXT", one_of(&["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]), medium;
        "Protocol among brokers where inter.broker.listener.name is not set."
    "security.providers": String = none, ANY, low;
        "Classes that add security algorithms."
    "ssl.allow.dn.changes": Bool = "false", ANY, low;
        "A new key store may have another distinguished name."
    "ssl.allow.san.changes": Bool = "false", ANY, low;
        "A new key store may have other alternative names."
    "ssl.cipher.suites": List = "", ITEMS, medium per_broker;
        "TLS cipher suites that may be used; empty allows the library's defaults."
    "ssl.client.auth": String =
        "none", one_of(&["required", "requested", "none"]), medium per_broker;
        "Whether clients show a certificate: required, requested or none."
    "ssl.enabled.protocols": List = "TLSv1.2,TLSv1.3", ITEMS, medium per_broker;
        "TLS versions that may be used."
    "ssl.endpoint.identification.algorithm": String = "https", ANY, low per_broker;
        "How host names are matched to certificates; empty does not match."
    "ssl.engine.factory.class": Class = none, ANY, low per_broker;
        "Class that makes TLS engines."
    "ssl.key.password": Password = none, ANY, medium per_broker;
        "Password of the private key."
    "ssl.keymanager.algorithm": String = "SunX509", ANY, medium per_broker;
        "Algorithm of the key manager."
    "ssl.keystore.certificate.chain": Password = none, ANY, medium per_broker;
        "Certificate chain in PEM."
    "ssl.keystore.key": Password = none, ANY, medium per_broker;
        "Private key in PEM."
    "ssl.keystore.location": String = none, ANY, medium per_broker;
        "File of the key store."
    "ssl.keystore.password": Password = none, ANY, medium per_broker;
        "Password of the key store."
    "ssl.keystore.type": String = "JKS", ANY, medium per_broker;
        "Format of the key store."
    "ssl.principal.mapping.rules": String = "DEFAULT", ANY, low;
        "Rules that turn a certificate's name to a principal."
    "ssl.protocol": String = "TLSv1.3", ANY, medium per_broker;
        "TLS version from which contexts are made."
    "ssl.provider": String = none, ANY, medium per_broker;
        "Security provider for TLS."
    "ssl.secure.random.implementation": String = none, ANY, low per_broker;
        "Random number generator for TLS."
    "ssl.trustmanager.algorithm": String = "PKIX", ANY, medium per_broker;
        "Algorithm of the trust manager."
    "ssl.truststore.certificates": Password = none, ANY, medium per_broker;
        "Trusted certificates in PEM."
    "ssl.truststore.location": String = none, ANY, medium per_broker;
        "File of the trust store."
    "ssl.truststore.password": Password = none, ANY, medium per_broker;
        "Password of the trust store."
    "ssl.truststore.type": String = "JKS", ANY, medium per_broker;
        "Format of the trust store."
}
