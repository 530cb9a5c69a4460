//! Broker settings of SASL, Kerberos and OAuth. Data only.

use super::settings;
use crate::check::{ANY, ITEMS, between, one_of_any_case};

settings! { Broker
    "sasl.client.callback.handler.class": Class = none, ANY, medium;
        "Class that answers questions of the SASL client."
    "sasl.enabled.mechanisms": List = "GSSAPI", ITEMS, medium per_broker;
        "SASL mechanisms that clients may use."
    "sasl.jaas.config": Password = none, ANY, medium per_broker;
        "Login of SASL in JAAS form."
    "sasl.kerberos.kinit.cmd": String = "/usr/bin/kinit", ANY, medium per_broker;
        "Path of the kinit command."
    "sasl.kerberos.min.time.before.relogin": Long = "60000", ANY, medium per_broker;
        "Milliseconds between two Kerberos logins at least."
    "sasl.kerberos.principal.to.local.rules": List = "DEFAULT", ITEMS, medium per_broker;
        "Rules that turn Kerberos principals to short names."
    "sasl.kerberos.service.name": String = none, ANY, medium per_broker;
        "Kerberos service name of the brokers."
    "sasl.kerberos.ticket.renew.jitter": Double = "0.05", ANY, medium per_broker;
        "Random share added to the renewal time of a ticket."
    "sasl.kerberos.ticket.renew.window.factor": Double = "0.8", ANY, medium per_broker;
        "Share of a ticket's life after which it is renewed."
    "sasl.login.callback.handler.class": Class = none, ANY, medium;
        "Class that answers questions of the SASL login."
    "sasl.login.class": Class = none, ANY, medium;
        "Class that performs the SASL login."
    "sasl.login.connect.timeout.ms": Int = none, ANY, low;
        "Milliseconds to connect to an external identity provider."
    "sasl.login.read.timeout.ms": Int = none, ANY, low;
        "Milliseconds to wait for an external identity provider."
    "sasl.login.refresh.buffer.seconds": Short = "300", ANY, medium per_broker;
        "Seconds before a credential ends in which it is not refreshed any more."
    "sasl.login.refresh.min.period.seconds": Short = "60", ANY, medium per_broker;
        "Seconds between two refreshes of a credential at least."
    "sasl.login.refresh.window.factor": Double = "0.8", ANY, medium per_broker;
        "Share of a credential's life after which it is refreshed."
    "sasl.login.refresh.window.jitter": Double = "0.05", ANY, medium per_broker;
        "Random share added to the refresh time of a credential."
    "sasl.login.retry.backoff.max.ms": Long = "10000", ANY, low;
        "Longest wait in milliseconds before a login is tried again."
    "sasl.login.retry.backoff.ms": Long = "100", ANY, low;
        "First wait in milliseconds before a login is tried again."
    "sasl.mechanism.controller.protocol": String = "GSSAPI", ANY, high;
        "SASL mechanism towards controllers."
    "sasl.mechanism.inter.broker.protocol": String = "GSSAPI", ANY, medium per_broker;
        "SASL mechanism among brokers."
    "sasl.oauthbearer.allow.unverified.audience": Bool = "false", ANY, medium;
        "Accept OAuth tokens of any audience where none is expected."
    "sasl.oauthbearer.allow.unverified.issuer": Bool = "false", ANY, medium;
        "Accept OAuth tokens of any issuer where none is expected."
    "sasl.oauthbearer.assertion.algorithm": String =
        "RS256", one_of_any_case(&["ES256", "RS256"]), medium;
        "Algorithm that signs OAuth assertions: RS256 or ES256."
    "sasl.oauthbearer.assertion.claim.aud": String = none, ANY, medium;
        "Audience claim of OAuth assertions."
    "sasl.oauthbearer.assertion.claim.exp.seconds": Int = "300", between(0, 86_400), low;
        "Seconds an OAuth assertion is valid."
    "sasl.oauthbearer.assertion.claim.iss": String = none, ANY, medium;
        "Issuer claim of OAuth assertions."
    "sasl.oauthbearer.assertion.claim.jti.include": Bool = "false", ANY, medium;
        "Give each OAuth assertion a unique id."
    "sasl.oauthbearer.assertion.claim.nbf.seconds": Int = "60", between(0, 3_600), low;
        "Seconds by which the start of an OAuth assertion is set back."
    "sasl.oauthbearer.assertion.claim.sub": String = none, ANY, medium;
        "Subject claim of OAuth assertions."
    "sasl.oauthbearer.assertion.file": String = none, ANY, medium;
        "File that holds a ready OAuth assertion."
    "sasl.oauthbearer.assertion.private.key.file": String = none, ANY, medium;
        "File of the key that signs OAuth assertions."
    "sasl.oauthbearer.assertion.private.key.passphrase": Password = none, ANY, medium;
        "Passphrase of the key that signs OAuth assertions."
    "sasl.oauthbearer.assertion.template.file": String = none, ANY, medium;
        "File with fixed headers and claims of OAuth assertions."
    "sasl.oauthbearer.client.credentials.client.id": String = none, ANY, medium;
        "OAuth client id."
    "sasl.oauthbearer.client.credentials.client.secret": Password = none, ANY, medium;
        "OAuth client secret."
    "sasl.oauthbearer.clock.skew.seconds": Int = "30", ANY, low;
        "Seconds that the clocks of issuer and broker may differ."
    "sasl.oauthbearer.expected.audience": List = "", ITEMS, high;
        "Audiences of which a token must name one."
    "sasl.oauthbearer.expected.issuer": String = none, ANY, high;
        "Issuer that a token must name."
    "sasl.oauthbearer.jwks.endpoint.refresh.ms": Long = "3600000", ANY, low;
        "Milliseconds between refreshes of the issuer's keys."
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms": Long = "10000", ANY, low;
        "Longest wait in milliseconds before the issuer's keys are fetched again."
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms": Long = "100", ANY, low;
        "First wait in milliseconds before the issuer's keys are fetched again."
    "sasl.oauthbearer.jwks.endpoint.url": String = none, ANY, medium;
        "Where the issuer's keys are fetched."
    "sasl.oauthbearer.jwt.retriever.class": Class =
        "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever", ANY, medium;
        "Class that obtains OAuth tokens."
    "sasl.oauthbearer.jwt.validator.class": Class =
        "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator", ANY, medium;
        "Class that checks OAuth tokens."
    "sasl.oauthbearer.scope": String = none, ANY, medium;
        "Scope asked for when a token is obtained."
    "sasl.oauthbearer.scope.claim.name": String = "scope", ANY, low;
        "Claim that holds a token's scope."
    "sasl.oauthbearer.sub.claim.name": String = "sub", ANY, low;
        "Claim that holds a token's subject."
    "sasl.oauthbearer.token.endpoint.url": String = none, ANY, medium;
        "Where tokens are obtained."
    "sasl.server.callback.handler.class": Class = none, ANY, medium;
        "Class that answers questions of the SASL server."
    "sasl.server.max.receive.size": Int = "524288", ANY, medium;
        "Most bytes of a SASL message."
}
