// SPDX-License-Identifier: MIT
// Pace: how long calls are made, how many are counted, and what they took.
use std::time::{Duration, Instant};

/// Most latencies that are kept; with more calls, every second one is dropped, then every fourth and so on.
const MOST_KEPT: usize = 1 << 20;

pub struct Pace {
    begin: Instant,
    end: Instant,
    all_calls: u64,
    calls: u64,
    stride: u64,
    latencies: Vec<u32>,
}

impl Pace {
    pub fn new(warmup: f64, seconds: f64) -> Self {
        let begin = Instant::now() + Duration::from_secs_f64(warmup);
        let end = begin + Duration::from_secs_f64(seconds);
        Pace { begin, end, all_calls: 0, calls: 0, stride: 1, latencies: Vec::new() }
    }

    /// False: no further call is to be made.
    pub fn finish(&mut self, sent: Instant) -> bool {
        let now = Instant::now();
        self.all_calls += 1;
        if now >= self.begin && now < self.end {
            if self.calls % self.stride == 0 {
                self.latencies.push((now - sent).as_nanos().min(u32::MAX as u128) as u32);
            }
            self.calls += 1;
            if self.latencies.len() == MOST_KEPT {
                let mut at = 0;
                self.latencies.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                self.stride *= 2;
            }
        }
        now < self.end
    }

    pub fn print(mut self) {
        self.latencies.sort_unstable();
        let seconds = (self.end - self.begin).as_secs_f64();
        let at = |share: f64| match self.latencies.len() {
            0 => 0.0,
            count => f64::from(self.latencies[((count - 1) as f64 * share) as usize]) / 1e3,
        };
        println!(
            "{{\"calls\": {}, \"all_calls\": {}, \"seconds\": {seconds}, \"p50_us\": {}, \"p95_us\": {}, \
             \"p99_us\": {}, \"max_us\": {}}}",
            self.calls,
            self.all_calls,
            at(0.5),
            at(0.95),
            at(0.99),
            at(1.0)
        );
    }
}
