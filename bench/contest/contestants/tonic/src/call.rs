// SPDX-License-Identifier: MIT
// The client: a task for each call in flight, all on one thread. Every response is compared with its request.
use crate::contest::contest_client::ContestClient;
use crate::contest::EchoMessage;
use crate::options::Options;
use crate::pace::Pace;
use crate::Failure;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;
use tonic::transport::Channel;

async fn keep_calling(
    mut client: ContestClient<Channel>,
    payload: Rc<Vec<u8>>,
    pace: Rc<RefCell<Pace>>,
) -> Result<(), Failure> {
    loop {
        let sent = Instant::now();
        let request = EchoMessage { payload: payload.as_ref().clone(), delay_us: 0 };
        if client.echo(request).await?.into_inner().payload != *payload {
            return Err("a response differs from its request".into());
        }
        if !pace.borrow_mut().finish(sent) {
            return Ok(());
        }
    }
}

pub async fn call(options: Options) -> Result<(), Failure> {
    let mut clients = Vec::new();
    for _ in 0..options.connections {
        let endpoint = Channel::from_shared(format!("http://{}", options.target))?.tcp_nodelay(true);
        clients.push(ContestClient::new(endpoint.connect().await?));
    }
    let payload = Rc::new(options.letters());
    let pace = Rc::new(RefCell::new(Pace::new(options.warmup, options.seconds)));
    let callers: Vec<_> = (0..options.outstanding)
        .map(|index| {
            let client = clients[index % clients.len()].clone();
            tokio::task::spawn_local(keep_calling(client, payload.clone(), pace.clone()))
        })
        .collect();
    for caller in callers {
        caller.await??;
    }
    Rc::into_inner(pace).ok_or("a caller is still there")?.into_inner().print();
    Ok(())
}
