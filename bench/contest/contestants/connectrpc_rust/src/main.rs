// SPDX-License-Identifier: MIT
// contest_connectrpc: Echo and Multiply by Connect, over HTTP/1.1 and HTTP/2, on one thread. It only serves.
// The generated trait returns futures, which are written as async functions here.
#![allow(refining_impl_trait)]

use connectrpc::{RequestContext, Response, Router, Server, ServiceRequest, ServiceResult};
use std::sync::Arc;

/// The generated messages and the trait of the service.
pub mod proto {
    connectrpc::include_generated!();
}

use proto::contest::{Contest, EchoMessage, Factors, Product};

struct Service;

impl Contest for Service {
    async fn echo(&self, _: RequestContext, request: ServiceRequest<'_, EchoMessage>) -> ServiceResult<EchoMessage> {
        Response::ok(EchoMessage { payload: request.payload.to_vec(), ..Default::default() })
    }

    async fn multiply(&self, _: RequestContext, request: ServiceRequest<'_, Factors>) -> ServiceResult<Product> {
        Response::ok(Product { pro: request.a * request.b, ..Default::default() })
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let bound = Server::bind("127.0.0.1:0").await?.with_max_concurrent_streams(1000);
    println!("listening on {}", bound.local_addr()?);
    bound.serve(Router::new().add_service(Arc::new(Service))).await
}
