// SPDX-License-Identifier: MIT
// Cost of the frames of a client as a server reads them: header and mask removed, the content at one place. Beside
// wslay where that is found, which is also asked what it does with bad frames (stderr). BM_FrameRead, BM_Wslay,
// BM_Mask.
#include "http/websocket/frame_reader.h"
#include "micro/measurement.h"

#include <benchmark/benchmark.h>
#ifdef TRUNKLINE_HAS_WSLAY
#include <wslay/wslay.h>

#include <iostream>
#endif

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace trunkline::http::websocket {
namespace {

using Bytes = std::vector<std::byte>;

constexpr std::size_t frames_per_read = 16;

Bytes content_of(std::size_t size) {
  Bytes content(size);
  for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<std::byte>(i * 7 + 1);
  return content;
}

/// What one read from the socket brings: frames with `size` bytes each.
Bytes frames_of(std::size_t size) {
  constexpr std::array key{std::byte{0x37}, std::byte{0xfa}, std::byte{0x21}, std::byte{0x3d}};
  const FrameHeader header{.length = size, .is_masked = true, .mask = Mask(key.data())};
  const Bytes content = content_of(size);
  Bytes frames(frames_per_read * (header.size() + size));
  std::byte* at = frames.data();
  for (std::size_t i = 0; i < frames_per_read; ++i) {
    at += header.write(at);
    header.mask.apply(at, content.data(), size);
    at += size;
  }
  return frames;
}

/// True if `read` is the content of all frames.
bool is_content(ByteSpan read, std::size_t size) {
  const Bytes content = content_of(size);
  if (read.size() != frames_per_read * size) return false;
  for (std::size_t i = 0; i < frames_per_read; ++i) {
    if (!std::ranges::equal(read.subspan(i * size, size), content)) return false;
  }
  return true;
}

/// In place, as a session does. Returns the bytes of content.
std::size_t read_frames(FrameReader& reader, Bytes& bytes) {
  std::size_t taken = 0;
  ByteSpan input(bytes);
  while (reader.next(input) == FrameReader::Outcome::data) {
    const FrameReader::Data& data = reader.data();
    data.mask.apply(bytes.data() + taken, data.bytes.data(), data.bytes.size());
    taken += data.bytes.size();
  }
  return taken;
}

void BM_FrameRead(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const Bytes frames = frames_of(size);
  Bytes bytes = frames;
  FrameReader reader(true);
  const std::size_t taken = read_frames(reader, bytes);
  if (!is_content(ByteSpan(bytes).first(taken), size)) return state.SkipWithError("the content differs");
  bench::Measurement measurement(state);
  for (auto _ : state) {
    // Stands for the read from the socket; the other contestant does the same.
    std::memcpy(bytes.data(), frames.data(), frames.size());
    benchmark::DoNotOptimize(read_frames(reader, bytes));
  }
  measurement.finish(frames_per_read, frames_per_read * size);
}
BENCHMARK(BM_FrameRead)->ArgName("bytes")->Arg(24)->Arg(1024)->Arg(65536);

void BM_Mask(benchmark::State& state) {
  const Bytes from = content_of(static_cast<std::size_t>(state.range(0)));
  Bytes to(from.size());
  const Mask mask(from.data());
  bench::Measurement measurement(state);
  for (auto _ : state) {
    mask.apply(to.data(), from.data(), from.size());
    benchmark::ClobberMemory();
  }
  measurement.finish(1, from.size());
}
BENCHMARK(BM_Mask)->ArgName("bytes")->Arg(24)->Arg(1024)->Arg(65536);

#ifdef TRUNKLINE_HAS_WSLAY
/// Frames through wslay_event, without its buffers for whole messages.
class Wslay {
 public:
  Wslay() {
    wslay_event_callbacks callbacks{};
    callbacks.recv_callback = &receive;
    callbacks.send_callback = [](wslay_event_context_ptr, const uint8_t*, size_t size, int, void*) {
      return static_cast<ssize_t>(size);
    };
    callbacks.on_frame_recv_chunk_callback = &take;
    wslay_event_context_server_init(&context_, &callbacks, this);
    wslay_event_config_set_no_buffering(context_, 1);
  }
  ~Wslay() { wslay_event_context_free(context_); }
  Wslay(const Wslay&) = delete;
  Wslay& operator=(const Wslay&) = delete;

  std::size_t read(ByteSpan input, Bytes& out) {
    input_ = input;
    out_ = &out;
    taken_ = 0;
    wslay_event_recv(context_);
    return taken_;
  }
  /// Of the close frame that it sends; 0: none.
  unsigned sent_code() {
    pongs = wslay_event_get_queued_msg_count(context_);
    while (wslay_event_want_write(context_) != 0 && wslay_event_send(context_) == 0) continue;
    return wslay_event_get_close_sent(context_) != 0 ? wslay_event_get_status_code_sent(context_) : 0;
  }

  /// Messages that waited to be sent.
  std::size_t pongs = 0;

 private:
  static ssize_t receive(wslay_event_context_ptr context, uint8_t* into, size_t size, int, void* self) {
    ByteSpan& input = static_cast<Wslay*>(self)->input_;
    if (input.empty()) {
      wslay_event_set_error(context, WSLAY_ERR_WOULDBLOCK);
      return -1;
    }
    const std::size_t part = std::min(size, input.size());
    std::memcpy(into, input.data(), part);
    input = input.subspan(part);
    return static_cast<ssize_t>(part);
  }
  static void take(wslay_event_context_ptr, const wslay_event_on_frame_recv_chunk_arg* chunk, void* self) {
    auto& wslay = *static_cast<Wslay*>(self);
    std::memcpy(wslay.out_->data() + wslay.taken_, chunk->data, chunk->data_length);
    wslay.taken_ += chunk->data_length;
  }

  wslay_event_context_ptr context_ = nullptr;
  ByteSpan input_;
  Bytes* out_ = nullptr;
  std::size_t taken_ = 0;
};

void BM_Wslay(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const Bytes frames = frames_of(size);
  Bytes bytes = frames;
  Bytes out(frames.size());
  Wslay wslay;
  const std::size_t taken = wslay.read(bytes, out);
  if (!is_content(ByteSpan(out).first(taken), size)) return state.SkipWithError("the content differs");
  bench::Measurement measurement(state);
  for (auto _ : state) {
    std::memcpy(bytes.data(), frames.data(), frames.size());
    benchmark::DoNotOptimize(wslay.read(bytes, out));
  }
  measurement.finish(frames_per_read, frames_per_read * size);
}
BENCHMARK(BM_Wslay)->ArgName("bytes")->Arg(24)->Arg(1024)->Arg(65536);

/// What each does with a client that breaks a rule: the code with which it closes, or that it goes on.
const bool shown = [] {
  struct Case {
    std::string_view name;
    std::string bytes;
  };
  const std::string key(4, '\0');
  const std::vector<Case> cases = {
      {"no mask", std::string("\x82\x01x", 3)},
      {"reserved bit", "\xc2\x81" + key + "x"},
      {"reserved opcode", "\x83\x81" + key + "x"},
      {"text", "\x81\x81" + key + "x"},
      {"text that is not utf-8", "\x81\x81" + key + "\xff"},
      {"continuation of nothing", std::string("\x80\x81") + key + "x"},
      {"message in a message", std::string("\x02\x80") + key + "\x82\x80" + key},
      {"fragmented ping", std::string("\x09\x80") + key},
      {"ping of 126 bytes", std::string("\x89\xfe\x00\x7e", 4) + key + std::string(126, 'x')},
      {"length in 2 bytes for 1", std::string("\x82\xfe\x00\x01", 4) + key + "x"},
      {"length in 8 bytes for 1", std::string("\x82\xff\0\0\0\0\0\0\0\x01", 10) + key + "x"},
      {"length of 2^63", std::string("\x82\xff\x80\0\0\0\0\0\0\0", 10) + key + "x"},
      {"close with half a code", "\x88\x81" + key + "x"},
      {"close with 1005", std::string("\x88\x82") + key + "\x03\xed"},
      {"close with 2999", std::string("\x88\x82") + key + "\x0b\xb7"},
      {"close that is not utf-8", std::string("\x88\x83") + key + "\x03\xe8\xff"},
      {"1000 pings",
       [&] {
         std::string pings;
         for (int i = 0; i < 1000; ++i) pings += std::string("\x89\x80") + key;
         return pings;
       }()},
  };
  for (const Case& tried : cases) {
    Wslay wslay;
    Bytes out(1000);
    wslay.read(as_bytes(tried.bytes), out);
    FrameReader reader(true);
    ByteSpan input = as_bytes(tried.bytes);
    auto outcome = reader.next(input);
    while (outcome == FrameReader::Outcome::data || outcome == FrameReader::Outcome::control) {
      const bool is_bad_close = outcome == FrameReader::Outcome::control && reader.control().opcode == Opcode::close &&
                                read_close(reader.control().payload).error != CloseCode::normal;
      if (is_bad_close) break;
      outcome = reader.next(input);
    }
    unsigned own = outcome == FrameReader::Outcome::failed ? static_cast<unsigned>(reader.error().code) : 0;
    if (outcome == FrameReader::Outcome::control) {
      own = static_cast<unsigned>(read_close(reader.control().payload).error);
    }
    const unsigned others = wslay.sent_code();
    std::cerr << tried.name << ": own " << own << ", wslay " << others << ", which had " << wslay.pongs
              << " messages to send\n";
  }
  return true;
}();
#endif

}  // namespace
}  // namespace trunkline::http::websocket
