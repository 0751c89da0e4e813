// SPDX-License-Identifier: MIT
// Generates the messages and the service of contest.proto, which drivers/rust/build puts beside this file.
fn main() -> std::io::Result<()> {
    tonic_prost_build::compile_protos("contest.proto")
}
