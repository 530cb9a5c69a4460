//! Quotas and SCRAM credentials, case by case as Kafka 4.4.0 answers them.

mod support;

use highwater_controller::{ControllerReply, ControllerRequest, describe};
use highwater_wire::messages::{
    AlterClientQuotasRequest, AlterUserScramCredentialsRequest, DescribeClientQuotasRequest,
    DescribeUserScramCredentialsRequest, alter_client_quotas_request,
    alter_user_scram_credentials_request, describe_client_quotas_request,
    describe_user_scram_credentials_request,
};
use highwater_wire::{ErrorCode, Str};
use support::Cluster;

type Entity<'a> = &'a [(&'a str, Option<&'a str>)];
type Ops<'a> = &'a [(&'a str, f64, bool)];

fn alter(
    cluster: &mut Cluster,
    entries: &[(Entity<'_>, Ops<'_>)],
    validate_only: bool,
) -> Vec<(i16, String)> {
    use alter_client_quotas_request::{EntityData, EntryData, OpData};
    let entries = entries.iter().map(|(entity, ops)| EntryData {
        entity: entity
            .iter()
            .map(|(kind, name)| EntityData {
                entity_type: Str::from(*kind),
                entity_name: name.map(Str::from),
                ..EntityData::default()
            })
            .collect(),
        ops: ops
            .iter()
            .map(|(key, value, remove)| OpData {
                key: Str::from(*key),
                value: *value,
                remove: *remove,
                ..OpData::default()
            })
            .collect(),
        ..EntryData::default()
    });
    let request = AlterClientQuotasRequest {
        entries: entries.collect(),
        validate_only,
        ..AlterClientQuotasRequest::default()
    };
    match cluster.ask(ControllerRequest::AlterClientQuotas(request)) {
        ControllerReply::AlterClientQuotas(reply) => {
            let entries = reply.entries.iter();
            entries
                .map(|e| (e.error_code, e.error_message.as_deref().unwrap_or_default().into()))
                .collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn quotas_are_checked() {
    let mut cluster = Cluster::single();
    let mut check = |entity: Entity<'_>, ops: Ops<'_>, code: ErrorCode, says: &str| {
        let (got, message) = alter(&mut cluster, &[(entity, ops)], true).remove(0);
        assert_eq!(got, code.0, "{entity:?} {ops:?}: {message}");
        assert!(message.contains(says), "{entity:?} {ops:?}: {message:?} lacks {says:?}");
    };
    let (ok, bad) = (ErrorCode::NONE, ErrorCode::INVALID_REQUEST);
    let user: Entity<'_> = &[("user", Some("u"))];
    let ip: Entity<'_> = &[("ip", Some("1.2.3.4"))];
    let rate = |value| [("producer_byte_rate", value, false)];
    check(user, &[("no_such", 1.0, false)], bad, "no_such");
    check(&[("frog", Some("u"))], &rate(1.0), bad, "frog");
    check(user, &rate(0.0), bad, "above 0");
    check(user, &rate(1.0), ok, "");
    check(user, &rate(1.5), bad, "whole");
    check(user, &rate(1e30), bad, "at most");
    check(user, &rate(f64::NAN), bad, "above 0");
    check(user, &[("request_percentage", 1.5, false)], ok, "");
    check(user, &[("controller_mutation_rate", 1.5, false)], ok, "");
    check(user, &[("producer_byte_rate", 0.0, true)], ok, "");
    check(user, &[("nosuch", 0.0, true)], ok, "");
    let twice = [rate(1.0)[0], rate(2.0)[0]];
    check(user, &twice, bad, "more than once");
    check(&[], &rate(1.0), bad, "none is given");
    check(&[("user", Some(""))], &rate(1.0), bad, "empty");
    check(&[("user", Some("a")), ("user", Some("b"))], &rate(1.0), ok, "");
    check(&[("user", Some("a")), ("ip", Some("1.2.3.4"))], &rate(1.0), bad, "not for both");
    check(ip, &[("connection_creation_rate", 1.0, false)], ok, "");
    check(ip, &[("connection_creation_rate", 1.5, false)], bad, "whole");
    check(ip, &rate(1.0), bad, "producer_byte_rate");
    let blank: Entity<'_> = &[("ip", Some("no such host"))];
    check(blank, &[("connection_creation_rate", 1.0, false)], bad, "no such host");
    let same = alter(&mut cluster, &[(user, &rate(1.0)), (user, &rate(1.0))], true);
    assert_eq!(same.len(), 1);
    assert_eq!(same[0].0, bad.0);
}

#[test]
fn quotas_are_described() {
    let mut cluster = Cluster::single();
    let entity: Entity<'_> = &[("user", Some("u")), ("client-id", None)];
    alter(&mut cluster, &[(entity, &[("producer_byte_rate", 10.0, false)])], false);
    let describe = |components: &[(&str, i8, Option<&str>)], strict| {
        let components = components.iter().map(|(kind, match_type, name)| {
            describe_client_quotas_request::ComponentData {
                entity_type: Str::from(*kind),
                match_type: *match_type,
                r#match: name.map(Str::from),
                ..describe_client_quotas_request::ComponentData::default()
            }
        });
        let request = DescribeClientQuotasRequest {
            components: components.collect(),
            strict,
            ..DescribeClientQuotasRequest::default()
        };
        let reply = describe::describe_client_quotas(cluster.image(), &request);
        (reply.error_code, reply.entries.map(|entries| entries.len()))
    };
    assert_eq!(describe(&[], false), (0, Some(1)));
    assert_eq!(describe(&[("user", 0, Some("u"))], false), (0, Some(1)));
    assert_eq!(describe(&[("user", 0, Some("x"))], false), (0, Some(0)));
    assert_eq!(describe(&[("user", 2, None)], false), (0, Some(1)));
    assert_eq!(describe(&[("user", 2, None)], true), (0, Some(0)));
    assert_eq!(describe(&[("client-id", 1, None)], false), (0, Some(1)));
    assert_eq!(describe(&[("frog", 0, Some("x"))], false), (35, None));
    for wrong in
        [("", 0, Some("x")), ("user", 7, Some("x")), ("user", 0, None), ("user", 1, Some("x"))]
    {
        assert_eq!(describe(&[wrong], false), (42, None), "{wrong:?}");
    }
    assert_eq!(describe(&[("user", 0, Some("x")), ("user", 0, Some("y"))], false), (42, None));
    assert_eq!(describe(&[("user", 2, None), ("ip", 2, None)], false), (42, None));
    alter(&mut cluster, &[(entity, &[("producer_byte_rate", 0.0, true)])], false);
    assert_eq!(cluster.image().quotas.iter().count(), 0);
}

fn scram(
    cluster: &mut Cluster,
    deletions: &[(&str, i8)],
    upsertions: &[(&str, i8, i32)],
) -> Vec<(i16, String)> {
    use alter_user_scram_credentials_request::{ScramCredentialDeletion, ScramCredentialUpsertion};
    let deletions = deletions.iter().map(|(name, mechanism)| ScramCredentialDeletion {
        name: Str::from(*name),
        mechanism: *mechanism,
        ..ScramCredentialDeletion::default()
    });
    let upsertions =
        upsertions.iter().map(|(name, mechanism, iterations)| ScramCredentialUpsertion {
            name: Str::from(*name),
            mechanism: *mechanism,
            iterations: *iterations,
            salt: b"abcd"[..].into(),
            salted_password: b"efgh"[..].into(),
            ..ScramCredentialUpsertion::default()
        });
    let request = AlterUserScramCredentialsRequest {
        deletions: deletions.collect(),
        upsertions: upsertions.collect(),
        ..AlterUserScramCredentialsRequest::default()
    };
    match cluster.ask(ControllerRequest::AlterUserScramCredentials(request)) {
        ControllerReply::AlterUserScramCredentials(reply) => {
            let results = reply.results.iter();
            results
                .map(|r| (r.error_code, r.error_message.as_deref().unwrap_or_default().into()))
                .collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn credentials_are_checked_and_described() {
    use ErrorCode as E;
    let mut cluster = Cluster::single();
    assert_eq!(scram(&mut cluster, &[], &[("alice", 1, 4096)]), [(0, String::new())]);
    let mut check = |deletions: &[(&str, i8)], upsertions: &[(&str, i8, i32)], code: ErrorCode| {
        let got = scram(&mut cluster, deletions, upsertions);
        assert_eq!(got.len(), 1);
        assert_eq!(got[0].0, code.0, "{deletions:?} {upsertions:?}: {}", got[0].1);
        assert!(!got[0].1.is_empty());
    };
    check(&[("nobody", 1)], &[], E::RESOURCE_NOT_FOUND);
    check(&[("alice", 2)], &[], E::RESOURCE_NOT_FOUND);
    check(&[], &[("u", 1, 100)], E::UNACCEPTABLE_CREDENTIAL);
    check(&[], &[("u", 1, 16_385)], E::UNACCEPTABLE_CREDENTIAL);
    check(&[], &[("", 1, 4096)], E::UNACCEPTABLE_CREDENTIAL);
    check(&[], &[("u", 0, 4096)], E::UNSUPPORTED_SASL_MECHANISM);
    check(&[], &[("u", 9, 4096)], E::UNSUPPORTED_SASL_MECHANISM);
    check(&[], &[("u", 1, 4096), ("u", 2, 4096)], E::DUPLICATE_RESOURCE);
    check(&[("u", 1)], &[("u", 1, 4096)], E::RESOURCE_NOT_FOUND);
    check(&[("alice", 1), ("alice", 2)], &[], E::DUPLICATE_RESOURCE);
    check(&[("alice", 9)], &[], E::UNSUPPORTED_SASL_MECHANISM);
    check(&[("", 1)], &[], E::UNACCEPTABLE_CREDENTIAL);
    assert_eq!(scram(&mut cluster, &[], &[]), []);

    let describe = |users: Option<&[&str]>| {
        let name = |user: &&str| describe_user_scram_credentials_request::UserName {
            name: Str::from(*user),
            ..describe_user_scram_credentials_request::UserName::default()
        };
        let request = DescribeUserScramCredentialsRequest {
            users: users.map(|users| users.iter().map(name).collect()),
            ..DescribeUserScramCredentialsRequest::default()
        };
        let reply = describe::describe_user_scram_credentials(cluster.image(), &request);
        assert_eq!(reply.error_code, 0);
        let results = reply.results.iter();
        results
            .map(|r| (r.user.to_string(), r.error_code, r.credential_infos.len()))
            .collect::<Vec<_>>()
    };
    let alice = |code: ErrorCode, count| vec![("alice".to_owned(), code.0, count)];
    assert_eq!(describe(None), alice(E::NONE, 1));
    assert_eq!(describe(Some(&[])), alice(E::NONE, 1));
    assert_eq!(describe(Some(&["alice"])), alice(E::NONE, 1));
    assert_eq!(describe(Some(&["alice", "alice"])), alice(E::DUPLICATE_RESOURCE, 0));
    assert_eq!(describe(Some(&["bob"])), [("bob".to_owned(), E::RESOURCE_NOT_FOUND.0, 0)]);
}

/// The keys that Kafka 4.4.0 wrote for salted password `efgh` with SCRAM-SHA-512.
#[test]
fn keys_are_those_of_rfc_5802() {
    let mut cluster = Cluster::single();
    scram(&mut cluster, &[], &[("u", 2, 4096)]);
    let mechanism = highwater_controller::image::ScramMechanism::Sha512;
    let held = cluster.image().scram.get("u", mechanism).unwrap();
    assert_eq!(&held.salt[..], b"abcd");
    // Fa/7FnTLbOKRaTsw4I2oq6S32bkZlUNw...
    let stored = [0x15, 0xaf, 0xfb, 0x16, 0x74, 0xcb, 0x6c, 0xe2, 0x91, 0x69, 0x3b, 0x30];
    // TU0/qG/PWQ4SGcT5pTtBtICrkVgitG9f...
    let server = [0x4d, 0x4d, 0x3f, 0xa8, 0x6f, 0xcf, 0x59, 0x0e, 0x12, 0x19, 0xc4, 0xf9];
    assert_eq!(held.stored_key[..12], stored);
    assert_eq!(held.server_key[..12], server);
    assert_eq!((held.stored_key.len(), held.server_key.len()), (64, 64));
    assert!(!format!("{held:?}").contains("key"));
}
