// SPDX-License-Identifier: MIT
// Cost of HTTP/1.1: heads, and calls in a server's session, as bytes of a client in and responses out; no socket, no
// handler. BM_Http1Head, BM_Http1Call. "lengths": how many different lengths of content take turns.
#include "http/http1/request_reader.h"
#include "micro/echo_session.h"
#include "micro/measurement.h"
#include "session/http1/http1_server_session.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace trunkline::session::http1 {
namespace {

/// As a load generator sends it.
std::string short_head(std::size_t content_bytes) {
  return "POST /load.Sum/Json HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nContent-Type: application/octet-stream\r\n"
         "Content-Length: " +
         std::to_string(content_bytes) + "\r\n\r\n";
}

/// As a browser sends it.
std::string long_head(std::size_t content_bytes) {
  const std::string start = short_head(content_bytes);
  return start.substr(0, start.size() - 2) +
         "User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0\r\n"
         "Accept-Encoding: gzip, deflate, br, zstd\r\nAccept-Language: en-US,en;q=0.9,de;q=0.8\r\n"
         "Cache-Control: no-cache\r\nConnection: keep-alive\r\nReferer: http://127.0.0.1:8080/console/\r\n"
         "Sec-Fetch-Dest: empty\r\nSec-Fetch-Mode: cors\r\nSec-Fetch-Site: same-origin\r\n\r\n";
}

void BM_Http1Head(benchmark::State& state) {
  const std::string head = state.range(0) == 0 ? short_head(8) : long_head(8);
  http::http1::RequestReader reader({});
  if (reader.read(head) != http::http1::RequestReader::Outcome::head || reader.head().path != "/load.Sum/Json" ||
      reader.head().content_length != 8) {
    return state.SkipWithError("the head is not read");
  }

  bench::Measurement measurement(state);
  for (auto _ : state) benchmark::DoNotOptimize(reader.read(head));
  measurement.finish(1, head.size());
}
BENCHMARK(BM_Http1Head)->ArgName("long")->Arg(0)->Arg(1);

void BM_Http1Call(benchmark::State& state) {
  const auto lengths = static_cast<std::size_t>(state.range(0));
  const auto calls = static_cast<std::size_t>(state.range(1));
  std::string batch;
  std::size_t content_bytes = 0;
  for (std::size_t call = 0; call < calls; ++call) {
    const std::string content(8 + call % lengths, 'x');
    batch += short_head(content.size()) + content;
    content_bytes += content.size();
  }
  bench::EchoSession<Http1ServerSession> session;
  if (session.serve(as_bytes(batch)) != content_bytes) return state.SkipWithError("calls are not answered");

  bench::Measurement measurement(state);
  for (auto _ : state) benchmark::DoNotOptimize(session.serve(as_bytes(batch)));
  measurement.finish(calls, batch.size());
}
BENCHMARK(BM_Http1Call)->ArgNames({"lengths", "calls"})->Args({1, 1})->Args({1, 100})->Args({100, 100});

}  // namespace
}  // namespace trunkline::session::http1
