// SPDX-License-Identifier: MIT
// A call through two native sessions over memory: start, bytes, serve, bytes, finished - no socket, no handler.
#include "base/timer_wheel.h"
#include "codec/bytes_codec.h"
#include "micro/measurement.h"
#include "session/native/native_session.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>

namespace trunkline::session::native {
namespace {

struct Owner final : SessionOwner {
  void on_session_wake() noexcept override {}
};

class Pair {
 public:
  Pair() {
    codecs_.add(std::make_shared<codec::BytesCodec>());
    codec_ = codecs_.find("bytes");
    options_.codecs = &codecs_;
    options_.compressors = &compressors_;
    client_ = std::make_unique<NativeSession>(Role::client, options_, timers_, owner_, now_, nullptr);
    server_ = std::make_unique<NativeSession>(Role::server, options_, timers_, owner_, now_, nullptr);
    for (int i = 0; i < 3; ++i) move(*client_, *server_), serve(), move(*server_, *client_), finish();
  }

  /// Makes `batch` calls and takes their responses. False if one was wrong.
  bool round(const std::string& message, int batch) {
    finished_ = 0;
    const CallStart start{.method = {1, "bench/Echo"}, .context = this};
    for (int i = 0; i < batch; ++i) {
      if (!client_->can_start()) deliver();
      benchmark::DoNotOptimize(client_->start(start, {.codec = codec_, .message = MessageView::of(message)}));
    }
    while (finished_ < batch) deliver();
    return finished_ == batch && bytes_ == message.size() * static_cast<std::size_t>(batch);
  }

 private:
  void deliver() {
    move(*client_, *server_);
    serve();
    move(*server_, *client_);
    finish();
  }
  /// As a connection does it: one read after each write, and the batch is served after each read. The "kernel" is
  /// memcpy.
  void move(NativeSession& from, NativeSession& to) {
    std::array<ByteSpan, 64> out;
    while (from.has_output()) {
      const std::size_t count = from.gather(out);
      std::size_t moved = 0;
      for (std::size_t i = 0; i < count; ++i) {
        std::size_t part = 0;
        for (std::size_t size = 1; size > 0 && part < out[i].size(); part += size) size = put(to, out[i].subspan(part));
        moved += part;
        // The server waits until its responses have been taken.
        if (part < out[i].size()) break;
      }
      if (moved == 0) return;
      from.wrote(moved);
      &to == server_.get() ? serve() : finish();
    }
  }
  std::size_t put(NativeSession& to, ByteSpan bytes) {
    std::array<MutableByteSpan, 2> room;
    if (to.prepare_receive(room) == 0) return 0;
    const std::size_t size = std::min(room[0].size(), bytes.size());
    std::memcpy(room[0].data(), bytes.data(), size);
    to.received(size, now_);
    if (size < bytes.size()) &to == server_.get() ? serve() : finish();
    return size;
  }
  void serve() {
    while (server_->next(server_event_)) {
      if (server_event_.type != EventType::call) continue;
      request_.assign(as_text(server_event_.payload));
      static_cast<void>(server_->finish(server_event_.id, {}, {.codec = codec_, .message = MessageView::of(request_)},
                                        nullptr, false));
    }
  }
  void finish() {
    while (client_->next(client_event_)) {
      if (client_event_.type != EventType::finished) continue;
      if (finished_ == 0) bytes_ = 0;
      ++finished_;
      bytes_ += client_event_.payload.size();
    }
  }

  CodecRegistry codecs_;
  CompressorRegistry compressors_;
  const Codec* codec_ = nullptr;
  SessionOptions options_;
  Owner owner_;
  base::TimePoint now_ = base::TimePoint(std::chrono::hours(1));
  base::TimerWheel timers_{now_};
  std::unique_ptr<NativeSession> client_;
  std::unique_ptr<NativeSession> server_;
  Event client_event_;
  Event server_event_;
  std::string request_;
  int finished_ = 0;
  std::size_t bytes_ = 0;
};

void BM_SessionCall(benchmark::State& state) {
  const auto batch = static_cast<int>(state.range(0));
  const std::string message(static_cast<std::size_t>(state.range(1)), 'x');
  Pair pair;
  for (int i = 0; i < 20; ++i) {
    if (!pair.round(message, batch)) return state.SkipWithError("a wrong response");
  }
  bench::Measurement measurement(state);
  for (auto _ : state) pair.round(message, batch);
  measurement.finish(static_cast<std::size_t>(batch), static_cast<std::size_t>(batch) * message.size() * 2);
}
BENCHMARK(BM_SessionCall)->ArgsProduct({{1, 50, 500}, {8, 1024, 65536}})->ArgNames({"batch", "bytes"});

}  // namespace
}  // namespace trunkline::session::native
