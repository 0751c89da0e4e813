// SPDX-License-Identifier: MIT
// contest_tonic: tonic by its generated code, on one thread each side.
mod call;
mod options;
mod pace;
mod serve;

/// The generated messages and stubs.
pub mod contest {
    tonic::include_proto!("contest");
}

pub type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let options = options::Options::from_arguments(std::env::args().skip(1))?;
    if options.serves {
        serve::serve().await
    } else {
        tokio::task::LocalSet::new().run_until(call::call(options)).await
    }
}
