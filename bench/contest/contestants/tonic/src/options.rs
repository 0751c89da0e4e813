// SPDX-License-Identifier: MIT
// Options: the command line of a contestant's program.
use crate::Failure;

#[derive(Clone)]
pub struct Options {
    pub serves: bool,
    pub target: String,
    pub bytes: usize,
    pub connections: usize,
    pub outstanding: usize,
    pub seconds: f64,
    pub warmup: f64,
}

impl Options {
    pub fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let role = arguments.next().unwrap_or_default();
        if role != "serve" && role != "call" {
            return Err("first argument is neither serve nor call".into());
        }
        let mut options = Options {
            serves: role == "serve",
            target: String::new(),
            bytes: 8,
            connections: 1,
            outstanding: 1,
            seconds: 1.0,
            warmup: 0.2,
        };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("option {name} lacks its value"))?;
            match name.as_str() {
                "--work" if value == "echo" => {}
                "--work" => return Err(format!("work {value} is not known here").into()),
                "--target" => options.target = value,
                "--bytes" => options.bytes = value.parse()?,
                "--connections" => options.connections = value.parse()?,
                "--outstanding" => options.outstanding = value.parse()?,
                "--seconds" => options.seconds = value.parse()?,
                "--warmup" => options.warmup = value.parse()?,
                _ => return Err(format!("option {name} is unknown").into()),
            }
        }
        if !options.serves && options.target.is_empty() {
            return Err("option --target is missing".into());
        }
        if options.connections < 1 || options.outstanding < options.connections {
            return Err("needs connections >= 1, outstanding >= connections".into());
        }
        Ok(options)
    }

    /// Random letters, the same for every contestant and run.
    pub fn letters(&self) -> Vec<u8> {
        let mut state: u32 = 2463534242;
        (0..self.bytes)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                b'a' + (state % 26) as u8
            })
            .collect()
    }
}
