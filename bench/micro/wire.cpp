// SPDX-License-Identifier: MIT
// Cost of frames and header blocks: BM_FrameEncode, BM_FrameDecode, BM_HeaderBlockEncode, BM_HeaderBlockDecode.
#include "micro/measurement.h"
#include "wire/body.h"
#include "wire/control.h"
#include "wire/header_block.h"

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace trunkline::wire {
namespace {

constexpr std::size_t frames_per_batch = 64;

/// A call by method id with a message of `bytes`, like pipelined small calls.
void write_call(std::uint32_t id, ByteSpan message, BufferWriter& out) {
  append_header({.length = static_cast<std::uint32_t>(message.size()),
                 .type = FrameType::call,
                 .flags = flag::message | flag::end,
                 .codec = 1,
                 .call = id,
                 .number = 1},
                out);
  out.append(message);
}

void write_batch(ByteSpan message, BufferWriter& out) {
  for (std::uint32_t id = 1; id <= frames_per_batch; ++id) write_call(id, message, out);
}

/// The message bytes of all calls in `stream`, or 0 if a frame is invalid.
std::size_t read_batch(ByteSpan stream) {
  std::size_t total = 0;
  while (stream.size() >= header_bytes) {
    const FrameHeader header = read_header(stream.data());
    Status why;
    FrameBody parts;
    if (!check_length(header, 65536, why) || check_header(header, Sender::client, why) != FrameVerdict::accept)
      return 0;
    if (!split_body(header, stream.subspan(header_bytes, header.length), 8192, parts)) return 0;
    total += parts.message.size();
    stream = stream.subspan(header_bytes + header.length);
  }
  return total;
}

/// Method, timeout and `entries` metadata entries.
std::size_t write_block(std::size_t entries, BufferWriter& out) {
  HeaderBlockWriter writer(out);
  writer.begin();
  writer.method("example.Echo/Say");
  writer.timeout(1500000);
  for (std::size_t i = 0; i < entries; ++i) writer.metadata("x-request-id", "0123456789abcdef0123456789abcdef");
  return writer.finish();
}

void finish_frames(bench::Measurement& measurement, const benchmark::State& state) {
  measurement.finish(frames_per_batch, frames_per_batch * (header_bytes + static_cast<std::size_t>(state.range(0))));
}

void BM_FrameEncode(benchmark::State& state) {
  const std::vector<std::byte> message(static_cast<std::size_t>(state.range(0)), std::byte{7});
  BufferWriter out(1 << 20);
  write_batch(message, out);
  if (read_batch(out.bytes()) != frames_per_batch * message.size()) return state.SkipWithError("frames do not decode");

  bench::Measurement measurement(state);
  for (auto _ : state) {
    out.clear();
    write_batch(message, out);
    benchmark::DoNotOptimize(out.bytes().data());
    benchmark::ClobberMemory();
  }
  finish_frames(measurement, state);
}

void BM_FrameDecode(benchmark::State& state) {
  const std::vector<std::byte> message(static_cast<std::size_t>(state.range(0)), std::byte{7});
  BufferWriter out(1 << 20);
  write_batch(message, out);
  if (read_batch(out.bytes()) != frames_per_batch * message.size()) return state.SkipWithError("frames do not decode");

  bench::Measurement measurement(state);
  for (auto _ : state) benchmark::DoNotOptimize(read_batch(out.bytes()));
  finish_frames(measurement, state);
}

void BM_HeaderBlockEncode(benchmark::State& state) {
  const auto entries = static_cast<std::size_t>(state.range(0));
  BufferWriter out(1 << 16);

  bench::Measurement measurement(state);
  for (auto _ : state) {
    out.clear();
    benchmark::DoNotOptimize(write_block(entries, out));
    benchmark::ClobberMemory();
  }
  measurement.finish(1, out.size());

  HeaderBlock block;
  const bool right = read_header_block(out.bytes().subspan(block_size_bytes), FrameType::call, block).is_ok();
  if (!right || block.metadata_count != entries) state.SkipWithError("block does not decode");
}

void BM_HeaderBlockDecode(benchmark::State& state) {
  const auto entries = static_cast<std::size_t>(state.range(0));
  BufferWriter out;
  write_block(entries, out);
  const ByteSpan fields = out.bytes().subspan(block_size_bytes);
  HeaderBlock block;
  const bool right = read_header_block(fields, FrameType::call, block).is_ok();
  if (!right || block.metadata_count != entries) return state.SkipWithError("block does not decode");

  bench::Measurement measurement(state);
  for (auto _ : state) {
    benchmark::DoNotOptimize(read_header_block(fields, FrameType::call, block).is_ok());
    benchmark::DoNotOptimize(block);
  }
  measurement.finish(1, out.size());
}

BENCHMARK(BM_FrameEncode)->ArgName("bytes")->Arg(0)->Arg(64)->Arg(1024)->Arg(8192);
BENCHMARK(BM_FrameDecode)->ArgName("bytes")->Arg(0)->Arg(64)->Arg(1024)->Arg(8192);
BENCHMARK(BM_HeaderBlockEncode)->ArgName("metadata")->Arg(0)->Arg(4)->Arg(32);
BENCHMARK(BM_HeaderBlockDecode)->ArgName("metadata")->Arg(0)->Arg(4)->Arg(32);

}  // namespace
}  // namespace trunkline::wire
