//! The security APIs, as a broker answers them that has neither authorizer nor SASL listener nor
//! token key. Each says which part is absent.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_wire::ErrorCode;
use highwater_wire::messages::create_acls_response::AclCreationResult;
use highwater_wire::messages::delete_acls_response::DeleteAclsFilterResult;
use highwater_wire::messages::{
    CreateAclsRequest, CreateAclsResponse, CreateDelegationTokenRequest,
    CreateDelegationTokenResponse, DeleteAclsRequest, DeleteAclsResponse, DescribeAclsRequest,
    DescribeAclsResponse, DescribeDelegationTokenRequest, DescribeDelegationTokenResponse,
    ExpireDelegationTokenRequest, ExpireDelegationTokenResponse, RenewDelegationTokenRequest,
    RenewDelegationTokenResponse, SaslAuthenticateRequest, SaslAuthenticateResponse,
    SaslHandshakeRequest, SaslHandshakeResponse,
};

use super::{Answer, Api, Call};
use crate::Broker;

const NO_AUTHORIZER: &str = "this broker has no authorizer: everyone may do everything";
const NO_SASL: &str = "this listener does not use SASL: the connection needs no authentication";

/// Of a token that does not exist.
const NO_TIME: i64 = -1;

/// An API whose answer depends on nothing but the request.
macro_rules! refused {
    ($name:ident, $request:ty => $response:ty, $versions:expr, $answer:expr) => {
        pub struct $name;

        impl Api for $name {
            type Request = $request;
            const VERSIONS: RangeInclusive<i16> = $versions;

            fn handle(_: &Arc<Broker>, _: Call, request: $request) -> Answer<$response> {
                let answer: fn($request) -> $response = $answer;
                Answer::Now(answer(request))
            }
        }
    };
}

refused!(SaslHandshake, SaslHandshakeRequest => SaslHandshakeResponse, 0..=1, |_| {
    SaslHandshakeResponse {
        error_code: ErrorCode::ILLEGAL_SASL_STATE.0,
        ..SaslHandshakeResponse::default()
    }
});

refused!(SaslAuthenticate, SaslAuthenticateRequest => SaslAuthenticateResponse, 0..=2, |_| {
    SaslAuthenticateResponse {
        error_code: ErrorCode::ILLEGAL_SASL_STATE.0,
        error_message: Some(NO_SASL.into()),
        ..SaslAuthenticateResponse::default()
    }
});

refused!(DescribeAcls, DescribeAclsRequest => DescribeAclsResponse, 1..=3, |_| {
    DescribeAclsResponse {
        error_code: ErrorCode::SECURITY_DISABLED.0,
        error_message: Some(NO_AUTHORIZER.into()),
        ..DescribeAclsResponse::default()
    }
});

refused!(CreateAcls, CreateAclsRequest => CreateAclsResponse, 1..=3, |request| {
    let refused = || AclCreationResult {
        error_code: ErrorCode::SECURITY_DISABLED.0,
        error_message: Some(NO_AUTHORIZER.into()),
        ..AclCreationResult::default()
    };
    let results = request.creations.iter().map(|_| refused());
    CreateAclsResponse { results: results.collect(), ..CreateAclsResponse::default() }
});

refused!(DeleteAcls, DeleteAclsRequest => DeleteAclsResponse, 1..=3, |request| {
    let refused = || DeleteAclsFilterResult {
        error_code: ErrorCode::SECURITY_DISABLED.0,
        error_message: Some(NO_AUTHORIZER.into()),
        ..DeleteAclsFilterResult::default()
    };
    let filter_results = request.filters.iter().map(|_| refused()).collect();
    DeleteAclsResponse { filter_results, ..DeleteAclsResponse::default() }
});

// Tokens are only handed out on authenticated connections; Kafka checks that before it looks
// whether tokens are enabled at all.

refused!(
    CreateDelegationToken,
    CreateDelegationTokenRequest => CreateDelegationTokenResponse,
    1..=3,
    |_| CreateDelegationTokenResponse {
        error_code: ErrorCode::DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.0,
        issue_timestamp_ms: NO_TIME,
        expiry_timestamp_ms: NO_TIME,
        max_timestamp_ms: NO_TIME,
        ..CreateDelegationTokenResponse::default()
    }
);

refused!(
    RenewDelegationToken,
    RenewDelegationTokenRequest => RenewDelegationTokenResponse,
    1..=2,
    |_| RenewDelegationTokenResponse {
        error_code: ErrorCode::DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.0,
        expiry_timestamp_ms: NO_TIME,
        ..RenewDelegationTokenResponse::default()
    }
);

refused!(
    ExpireDelegationToken,
    ExpireDelegationTokenRequest => ExpireDelegationTokenResponse,
    1..=2,
    |_| ExpireDelegationTokenResponse {
        error_code: ErrorCode::DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.0,
        expiry_timestamp_ms: NO_TIME,
        ..ExpireDelegationTokenResponse::default()
    }
);

refused!(
    DescribeDelegationToken,
    DescribeDelegationTokenRequest => DescribeDelegationTokenResponse,
    1..=3,
    |_| DescribeDelegationTokenResponse {
        error_code: ErrorCode::DELEGATION_TOKEN_REQUEST_NOT_ALLOWED.0,
        ..DescribeDelegationTokenResponse::default()
    }
);
