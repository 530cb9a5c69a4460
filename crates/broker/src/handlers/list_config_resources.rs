//! ListConfigResources: the resources that settings can be attached to.

use std::ops::RangeInclusive;
use std::sync::Arc;

use highwater_controller::describe;
use highwater_wire::messages::{ListConfigResourcesRequest, ListConfigResourcesResponse};

use super::{Answer, Api, Call};
use crate::Broker;

pub struct ListConfigResources;

impl Api for ListConfigResources {
    type Request = ListConfigResourcesRequest;
    const VERSIONS: RangeInclusive<i16> = 0..=1;

    fn handle(
        broker: &Arc<Broker>,
        call: Call,
        request: ListConfigResourcesRequest,
    ) -> Answer<ListConfigResourcesResponse> {
        let image = broker.image.load();
        Answer::Now(describe::list_config_resources(&image, &request, call.version))
    }
}
