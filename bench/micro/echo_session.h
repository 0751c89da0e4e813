// SPDX-License-Identifier: MIT
// EchoSession: a server's session of a protocol that answers each call with its request; no socket, no handler.
#pragma once

#include "base/timer_wheel.h"
#include "codec/bytes_codec.h"
#include "session/protocol.h"
#include "session/session.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>

namespace trunkline::bench {

/// `Session`: the session's class, which is made from SessionParameters.
template <class Session>
class EchoSession {
 public:
  EchoSession() {
    codecs_.add(std::make_shared<codec::BytesCodec>());
    codec_ = codecs_.find("bytes");
    options_.codecs = &codecs_;
    options_.compressors = &compressors_;
    session_ = std::make_unique<Session>(session::SessionParameters{
        .role = session::Role::server, .options = options_, .timers = timers_, .owner = owner_, .now = now_});
  }

  /// Takes what a client sends. How many bytes of messages it has echoed.
  std::size_t serve(ByteSpan bytes) {
    served_ = 0;
    while (!bytes.empty()) {
      std::array<MutableByteSpan, 2> room;
      if (session_->prepare_receive(room) == 0) return 0;
      const std::size_t size = std::min(room[0].size(), bytes.size());
      std::memcpy(room[0].data(), bytes.data(), size);
      bytes = bytes.subspan(size);
      session_->received(size, now_);
      while (session_->next(event_)) take_event();
      write();
    }
    return served_;
  }

 private:
  struct Owner final : session::SessionOwner {
    void on_session_wake() noexcept override {}
  };

  void take_event() {
    if (event_.type != session::EventType::call || !event_.end) return;
    request_.assign(as_text(event_.payload));
    const session::OutgoingMessage response{.codec = codec_, .message = MessageView::of(request_)};
    if (session_->finish(event_.id, {}, response, nullptr, false).is_ok()) served_ += request_.size();
  }
  void write() {
    std::array<ByteSpan, 64> out;
    while (session_->has_output()) {
      std::size_t size = 0;
      for (std::size_t i = session_->gather(out); i > 0; --i) size += out[i - 1].size();
      if (size == 0) return;
      session_->wrote(size);
    }
  }

  CodecRegistry codecs_;
  CompressorRegistry compressors_;
  const Codec* codec_ = nullptr;
  session::SessionOptions options_;
  Owner owner_;
  base::TimePoint now_ = base::TimePoint(std::chrono::hours(1));
  base::TimerWheel timers_{now_};
  std::unique_ptr<Session> session_;
  session::Event event_;
  std::string request_;
  std::size_t served_ = 0;
};

}  // namespace trunkline::bench
