// SPDX-License-Identifier: MIT
// The server: Echo on one thread, until standard input ends.
use crate::contest::contest_server::{Contest, ContestServer};
use crate::contest::{EchoMessage, Factors, Person, PersonName, Product, TextMessage};
use crate::Failure;
use std::pin::Pin;
use tokio::io::AsyncReadExt;
use tokio_stream::wrappers::TcpListenerStream;
use tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming};

struct Service;

type Messages<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

fn unimplemented<T>() -> Result<T, Status> {
    Err(Status::unimplemented("this contestant has Echo alone"))
}

#[tonic::async_trait]
impl Contest for Service {
    type TalkStream = Messages<TextMessage>;
    type PourStream = Messages<EchoMessage>;

    async fn echo(&self, request: Request<EchoMessage>) -> Result<Response<EchoMessage>, Status> {
        Ok(Response::new(EchoMessage { payload: request.into_inner().payload, delay_us: 0 }))
    }

    async fn say(&self, _: Request<TextMessage>) -> Result<Response<TextMessage>, Status> {
        unimplemented()
    }

    async fn multiply(&self, _: Request<Factors>) -> Result<Response<Product>, Status> {
        unimplemented()
    }

    async fn find_one(&self, _: Request<PersonName>) -> Result<Response<Person>, Status> {
        unimplemented()
    }

    async fn fan_out(&self, _: Request<EchoMessage>) -> Result<Response<EchoMessage>, Status> {
        unimplemented()
    }

    async fn talk(&self, _: Request<Streaming<TextMessage>>) -> Result<Response<Self::TalkStream>, Status> {
        unimplemented()
    }

    async fn pour(&self, _: Request<EchoMessage>) -> Result<Response<Self::PourStream>, Status> {
        unimplemented()
    }
}

pub async fn serve() -> Result<(), Failure> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("listening on {}", listener.local_addr()?);
    let input_ended = async {
        let mut rest = Vec::new();
        let _ = tokio::io::stdin().read_to_end(&mut rest).await;
    };
    let server = tonic::transport::Server::builder()
        .tcp_nodelay(true)
        .add_service(ContestServer::new(Service))
        .serve_with_incoming(TcpListenerStream::new(listener));
    tokio::select! {
        done = server => Ok(done?),
        () = input_ended => Ok(()),
    }
}
