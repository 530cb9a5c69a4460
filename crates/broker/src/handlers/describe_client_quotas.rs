//! DescribeClientQuotas: the quotas that were stored.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::describe;
use highwater_wire::messages::{DescribeClientQuotasRequest, DescribeClientQuotasResponse};

use super::{Answer, Api, Call};
use crate::Broker;

pub struct DescribeClientQuotas;

impl Api for DescribeClientQuotas {
    type Request = DescribeClientQuotasRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=1;

    fn handle(
        broker: &Arc<Broker>,
        _: Call,
        request: DescribeClientQuotasRequest,
    ) -> Answer<DescribeClientQuotasResponse> {
        let image = broker.image.load();
        Answer::Now(describe::describe_client_quotas(&image, &request))
    }
}
