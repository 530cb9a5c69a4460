//! DescribeUserScramCredentials: which SCRAM credentials were stored, never their secrets.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::describe;
use highwater_wire::messages::{
    DescribeUserScramCredentialsRequest, DescribeUserScramCredentialsResponse,
};

use super::{Answer, Api, Call};
use crate::Broker;

pub struct DescribeUserScramCredentials;

impl Api for DescribeUserScramCredentials {
    type Request = DescribeUserScramCredentialsRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=0;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: DescribeUserScramCredentialsRequest,
    ) -> Answer<DescribeUserScramCredentialsResponse> {
        let image = broker.image.load();
        Answer::Now(describe::describe_user_scram_credentials(&image, &request))
    }
}
