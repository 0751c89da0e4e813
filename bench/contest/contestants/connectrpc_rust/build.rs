// SPDX-License-Identifier: MIT
// Generates the messages and two methods of contest.proto, which drivers/rust/build puts beside this file.
use std::{env, fs, path::PathBuf};

fn main() {
    let contest = fs::read_to_string("contest.proto").unwrap();
    let is_left_out = |line: &str| line.trim_start().starts_with("rpc ") && !["Echo(", "Multiply("].iter().any(|name| line.contains(&format!("rpc {name}")));
    let kept: Vec<&str> = contest.lines().filter(|line| !is_left_out(line)).collect();
    let folder = PathBuf::from(env::var("OUT_DIR").unwrap());
    let definition = folder.join("contest.proto");
    fs::write(&definition, kept.join("\n")).unwrap();
    connectrpc_build::Config::new()
        .files(&[definition])
        .includes(&[folder])
        .include_file("_connectrpc.rs")
        .compile()
        .unwrap();
}
