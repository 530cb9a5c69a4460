//! SASL, ACLs, delegation tokens and SCRAM credentials on a broker without security; quotas.

use bytes::Bytes;
use highwater_testkit::{Wire, unique};
use highwater_wire::ErrorCode;
use highwater_wire::messages::alter_client_quotas_request::{EntityData, EntryData, OpData};
use highwater_wire::messages::alter_user_scram_credentials_request::{
    ScramCredentialDeletion, ScramCredentialUpsertion,
};
use highwater_wire::messages::create_acls_request::AclCreation;
use highwater_wire::messages::describe_user_scram_credentials_request::UserName;
use highwater_wire::messages::{
    AlterClientQuotasRequest, AlterUserScramCredentialsRequest, CreateAclsRequest,
    CreateDelegationTokenRequest, DescribeAclsRequest, DescribeDelegationTokenRequest,
    DescribeUserScramCredentialsRequest, ExpireDelegationTokenRequest, RenewDelegationTokenRequest,
    SaslAuthenticateRequest, SaslHandshakeRequest,
};

use super::case::{Bench, Case, Outcome, case, check, says};

/// A user without credentials.
pub struct State(String);

type Run = Bench<State>;

#[test]
fn security() {
    check(|_: &mut Wire| State(unique("nobody")), cases());
}

pub fn cases() -> Vec<Case<State>> {
    let mut all = connections();
    all.extend(acls_and_tokens());
    all.extend(credentials());
    all.extend(quotas());
    all
}

fn connections() -> Vec<Case<State>> {
    use ErrorCode as E;
    vec![
        case("sasl handshake on a PLAINTEXT listener", E::ILLEGAL_SASL_STATE, |b: &mut Run| {
            let request = SaslHandshakeRequest { mechanism: "PLAIN".into(), ..Default::default() };
            Ok(Outcome::code(b.call(1, &request)?.error_code))
        }),
        case(
            "sasl authenticate on a PLAINTEXT listener",
            says(E::ILLEGAL_SASL_STATE),
            |b: &mut Run| {
                let auth_bytes = Bytes::from_static(b"\0a\0b");
                let request = SaslAuthenticateRequest { auth_bytes, ..Default::default() };
                let answer = b.call(2, &request)?;
                Ok(Outcome::code(answer.error_code).saying(answer.error_message))
            },
        ),
    ]
}

fn acls_and_tokens() -> Vec<Case<State>> {
    use ErrorCode as E;
    vec![
        case("describe acls without an authorizer", says(E::SECURITY_DISABLED), |b: &mut Run| {
            let request = DescribeAclsRequest {
                resource_type_filter: 1,
                pattern_type_filter: 1,
                operation: 1,
                permission_type: 1,
                ..Default::default()
            };
            let answer = b.call(3, &request)?;
            Ok(Outcome::code(answer.error_code).saying(answer.error_message))
        }),
        case("create acls without an authorizer", says(E::SECURITY_DISABLED), |b: &mut Run| {
            let creation = AclCreation {
                resource_type: 2,
                resource_name: "t".into(),
                resource_pattern_type: 3,
                principal: "User:a".into(),
                host: "*".into(),
                operation: 3,
                permission_type: 3,
                ..Default::default()
            };
            let request = CreateAclsRequest { creations: vec![creation], ..Default::default() };
            let result = b.call(3, &request)?.results.remove(0);
            Ok(Outcome::code(result.error_code).saying(result.error_message))
        }),
        case(
            "create delegation token on a PLAINTEXT listener",
            E::DELEGATION_TOKEN_REQUEST_NOT_ALLOWED,
            |b: &mut Run| {
                let request =
                    CreateDelegationTokenRequest { max_lifetime_ms: -1, ..Default::default() };
                Ok(Outcome::code(b.call(3, &request)?.error_code))
            },
        ),
    ]
}

fn credentials() -> Vec<Case<State>> {
    use ErrorCode as E;
    let alter = |b: &mut Run, request: &AlterUserScramCredentialsRequest| {
        let result = b.call(0, request)?.results.remove(0);
        Ok(Outcome::code(result.error_code).saying(result.error_message))
    };
    vec![
        case("scram: describe an unknown user", says(E::RESOURCE_NOT_FOUND), |b: &mut Run| {
            let user = UserName { name: b.state.0.as_str().into(), ..Default::default() };
            let request = DescribeUserScramCredentialsRequest {
                users: Some(vec![user]),
                ..Default::default()
            };
            let result = b.call(0, &request)?.results.remove(0);
            Ok(Outcome::code(result.error_code).saying(result.error_message))
        }),
        case(
            "scram: delete an unknown credential",
            says(E::RESOURCE_NOT_FOUND),
            move |b: &mut Run| {
                let deletion = ScramCredentialDeletion {
                    name: b.state.0.as_str().into(),
                    mechanism: 1,
                    ..Default::default()
                };
                let deletions = vec![deletion];
                alter(b, &AlterUserScramCredentialsRequest { deletions, ..Default::default() })
            },
        ),
        case("scram: 100 iterations", says(E::UNACCEPTABLE_CREDENTIAL), move |b: &mut Run| {
            let upsertion = ScramCredentialUpsertion {
                name: "u".into(),
                mechanism: 1,
                iterations: 100,
                salt: Bytes::from_static(b"abcd"),
                salted_password: Bytes::from_static(b"efgh"),
                ..Default::default()
            };
            let upsertions = vec![upsertion];
            alter(b, &AlterUserScramCredentialsRequest { upsertions, ..Default::default() })
        }),
    ]
}

fn quotas() -> Vec<Case<State>> {
    let quota = |label: &str, entity_type: &'static str, key: &'static str, value: f64| {
        let send = move |b: &mut Run| {
            let entity = EntityData {
                entity_type: entity_type.into(),
                entity_name: Some("u".into()),
                ..Default::default()
            };
            let change = OpData { key: key.into(), value, remove: false, ..Default::default() };
            let (entity, ops) = (vec![entity], vec![change]);
            let entry = EntryData { entity, ops, ..Default::default() };
            let request = AlterClientQuotasRequest {
                entries: vec![entry],
                validate_only: true,
                ..Default::default()
            };
            let result = b.call(1, &request)?.entries.remove(0);
            Ok(Outcome::code(result.error_code).saying(result.error_message))
        };
        case(format!("quota: {label}"), says(ErrorCode::INVALID_REQUEST), send)
    };
    vec![
        quota("unknown key", "user", "no_such", 1.0),
        quota("entity type frog", "frog", "producer_byte_rate", 1.0),
        quota("rate 0", "user", "producer_byte_rate", 0.0),
    ]
}

/// Kafka too looks at the connection before it looks whether there are tokens at all.
#[test]
fn delegation_tokens_on_a_plain_connection() {
    let broker = crate::shared::broker();
    let mut wire = broker.connect();
    let create = CreateDelegationTokenRequest { max_lifetime_ms: -1, ..Default::default() };
    let renew = RenewDelegationTokenRequest { hmac: vec![1].into(), ..Default::default() };
    let expire = ExpireDelegationTokenRequest { hmac: vec![1].into(), ..Default::default() };
    let codes = [
        wire.call(3, &create).error_code,
        wire.call(2, &renew).error_code,
        wire.call(2, &expire).error_code,
        wire.call(3, &DescribeDelegationTokenRequest::default()).error_code,
    ];
    let code = ErrorCode::DELEGATION_TOKEN_REQUEST_NOT_ALLOWED;
    assert_eq!(codes.map(ErrorCode), [code; 4]);
}
