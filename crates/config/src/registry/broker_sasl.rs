//! Broker settings of SASL, Kerberos and OAuth. Data only.

use super::settings;
use crate::check::{ANY, ITEMS, between, one_of_any_case};

settings! { Broker
    "sasl.client.callback.handler.class": Class = none, ANY, medium;
        ""
    "sasl.enabled.mechanisms": List = "GSSAPI", ITEMS, medium per_broker;
        ""
    "sasl.jaas.config": Password = none, ANY, medium per_broker;
        ""
    "sasl.kerberos.kinit.cmd": String = "/usr/bin/kinit", ANY, medium per_broker;
        ""
    "sasl.kerberos.min.time.before.relogin": Long = "60000", ANY, medium per_broker;
        ""
    "sasl.kerberos.principal.to.local.rules": List = "DEFAULT", ITEMS, medium per_broker;
        ""
    "sasl.kerberos.service.name": String = none, ANY, medium per_broker;
        ""
    "sasl.kerberos.ticket.renew.jitter": Double = "0.05", ANY, medium per_broker;
        ""
    "sasl.kerberos.ticket.renew.window.factor": Double = "0.8", ANY, medium per_broker;
        ""
    "sasl.login.callback.handler.class": Class = none, ANY, medium;
        ""
    "sasl.login.class": Class = none, ANY, medium;
        ""
    "sasl.login.connect.timeout.ms": Int = none, ANY, low;
        ""
    "sasl.login.read.timeout.ms": Int = none, ANY, low;
        ""
    "sasl.login.refresh.buffer.seconds": Short = "300", ANY, medium per_broker;
        ""
    "sasl.login.refresh.min.period.seconds": Short = "60", ANY, medium per_broker;
        ""
    "sasl.login.refresh.window.factor": Double = "0.8", ANY, medium per_broker;
        ""
    "sasl.login.refresh.window.jitter": Double = "0.05", ANY, medium per_broker;
        ""
    "sasl.login.retry.backoff.max.ms": Long = "10000", ANY, low;
        ""
    "sasl.login.retry.backoff.ms": Long = "100", ANY, low;
        ""
    "sasl.mechanism.controller.protocol": String = "GSSAPI", ANY, high;
        ""
    "sasl.mechanism.inter.broker.protocol": String = "GSSAPI", ANY, medium per_broker;
        ""
    "sasl.oauthbearer.allow.unverified.audience": Bool = "false", ANY, medium;
        ""
    "sasl.oauthbearer.allow.unverified.issuer": Bool = "false", ANY, medium;
        ""
    "sasl.oauthbearer.assertion.algorithm": String =
        "RS256", one_of_any_case(&["ES256", "RS256"]), medium;
        ""
    "sasl.oauthbearer.assertion.claim.aud": String = none, ANY, medium;
        ""
    "sasl.oauthbearer.assertion.claim.exp.seconds": Int = "300", between(0, 86_400), low;
        ""
    "sasl.oauthbearer.assertion.claim.iss": String = none, ANY, medium;
        ""
    "sasl.oauthbearer.assertion.claim.jti.include": Bool = "false", ANY, medium;
        ""
    "sasl.oauthbearer.assertion.claim.nbf.seconds": Int = "60", between(0, 3_600), low;
        ""
    "sasl.oauthbearer.assertion.claim.sub": String = none, ANY, medium;
        ""
    "sasl.oauthbearer.assertion.file": String = none, ANY, medium;
        ""
    "sasl.oauthbearer.assertion.private.key.file": String = none, ANY, medium;
        ""
    "sasl.oauthbearer.assertion.private.key.passphrase": Password = none, ANY, medium;
        ""
    "sasl.oauthbearer.assertion.template.file": String = none, ANY, medium;
        ""
    "sasl.oauthbearer.client.credentials.client.id": String = none, ANY, medium;
        ""
    "sasl.oauthbearer.client.credentials.client.secret": Password = none, ANY, medium;
        ""
    "sasl.oauthbearer.clock.skew.seconds": Int = "30", ANY, low;
        ""
    "sasl.oauthbearer.expected.audience": List = "", ITEMS, high;
        ""
    "sasl.oauthbearer.expected.issuer": String = none, ANY, high;
        ""
    "sasl.oauthbearer.jwks.endpoint.refresh.ms": Long = "3600000", ANY, low;
        ""
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms": Long = "10000", ANY, low;
        ""
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms": Long = "100", ANY, low;
        ""
    "sasl.oauthbearer.jwks.endpoint.url": String = none, ANY, medium;
        ""
    "sasl.oauthbearer.jwt.retriever.class": Class =
        "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever", ANY, medium;
        ""
    "sasl.oauthbearer.jwt.validator.class": Class =
        "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator", ANY, medium;
        ""
    "sasl.oauthbearer.scope": String = none, ANY, medium;
        ""
    "sasl.oauthbearer.scope.claim.name": String = "scope", ANY, low;
        ""
    "sasl.oauthbearer.sub.claim.name": String = "sub", ANY, low;
        ""
    "sasl.oauthbearer.token.endpoint.url": String = none, ANY, medium;
        ""
    "sasl.server.callback.handler.class": Class = none, ANY, medium;
        ""
    "sasl.server.max.receive.size": Int = "524288", ANY, medium;
        ""
}
