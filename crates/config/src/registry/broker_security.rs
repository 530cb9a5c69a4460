//! Broker settings of TLS, tokens and authorisation. Data only.

use super::settings;
use crate::check::{ANY, ITEMS, at_least, one_of};

settings! { Broker
    "authorizer.class.name": String = "", ANY, low;
        ""
    "connections.max.reauth.ms": Long = "0", ANY, medium;
        ""
    "delegation.token.expiry.check.interval.ms": Long = "3600000", at_least(1), low;
        ""
    "delegation.token.expiry.time.ms": Long = "86400000", at_least(1), medium;
        ""
    "delegation.token.max.lifetime.ms": Long = "604800000", at_least(1), medium;
        ""
    "delegation.token.secret.key": Password = none, ANY, medium;
        ""
    "principal.builder.class": Class =
        "org.apache.kafka.common.security.authenticator.DefaultKafkaPrincipalBuilder", ANY, medium per_broker;
        ""
    "security.inter.broker.protocol": String =
        "PLAINTEXT", one_of(&["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]), medium;
        ""
    "security.providers": String = none, ANY, low;
        ""
    "ssl.allow.dn.changes": Bool = "false", ANY, low;
        ""
    "ssl.allow.san.changes": Bool = "false", ANY, low;
        ""
    "ssl.cipher.suites": List = "", ITEMS, medium per_broker;
        ""
    "ssl.client.auth": String =
        "none", one_of(&["required", "requested", "none"]), medium per_broker;
        ""
    "ssl.enabled.protocols": List = "TLSv1.2,TLSv1.3", ITEMS, medium per_broker;
        ""
    "ssl.endpoint.identification.algorithm": String = "https", ANY, low per_broker;
        ""
    "ssl.engine.factory.class": Class = none, ANY, low per_broker;
        ""
    "ssl.key.password": Password = none, ANY, medium per_broker;
        ""
    "ssl.keymanager.algorithm": String = "SunX509", ANY, medium per_broker;
        ""
    "ssl.keystore.certificate.chain": Password = none, ANY, medium per_broker;
        ""
    "ssl.keystore.key": Password = none, ANY, medium per_broker;
        ""
    "ssl.keystore.location": String = none, ANY, medium per_broker;
        ""
    "ssl.keystore.password": Password = none, ANY, medium per_broker;
        ""
    "ssl.keystore.type": String = "JKS", ANY, medium per_broker;
        ""
    "ssl.principal.mapping.rules": String = "DEFAULT", ANY, low;
        ""
    "ssl.protocol": String = "TLSv1.3", ANY, medium per_broker;
        ""
    "ssl.provider": String = none, ANY, medium per_broker;
        ""
    "ssl.secure.random.implementation": String = none, ANY, low per_broker;
        ""
    "ssl.trustmanager.algorithm": String = "PKIX", ANY, medium per_broker;
        ""
    "ssl.truststore.certificates": Password = none, ANY, medium per_broker;
        ""
    "ssl.truststore.location": String = none, ANY, medium per_broker;
        ""
    "ssl.truststore.password": Password = none, ANY, medium per_broker;
        ""
    "ssl.truststore.type": String = "JKS", ANY, medium per_broker;
        ""
}
