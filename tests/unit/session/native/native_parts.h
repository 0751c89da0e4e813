// SPDX-License-Identifier: MIT
// NativeParts: the parts of a native session that others work on, put together for a test, with a peer whose hello has
// been read.
#pragma once

#include "kit/frames.h"
#include "kit/session_end.h"
#include "session/native/open_calls.h"
#include "session/native/receive_credit.h"
#include "session/native/send_path.h"

#include <array>
#include <string>
#include <vector>

namespace trunkline::session::native {

struct NativeParts : FrameSource {
  explicit NativeParts(Role for_role = Role::server, SessionOptions with = kit::plain_options())
      : role(for_role), options(std::move(with)) {
    wire::Hello hello;
    hello.codecs = {"bytes"};
    negotiation.apply(hello);
  }

  void write_block(const QueuedFrame&, bool, BufferWriter&, std::uint32_t&) override {}
  void on_frame_sent(CallState& call, const QueuedFrame&) override { sent.push_back(call.id); }
  static void on_deadline(base::Timer&, void*, base::TimePoint) {}

  /// Queues a message of `size` bytes.
  void queue(CallState& call, std::size_t size) {
    QueuedFrame* frame = QueuedFramePool::make();
    frame->type = wire::FrameType::message;
    frame->flags = wire::flag::message;
    frame->codec = 1;
    frame->payload = Slice::copy_of(std::string(size, 'x'));
    path.push(call, frame);
  }
  /// All frames in the output, taken.
  std::vector<kit::SeenFrame> take_output() {
    std::string bytes;
    std::array<ByteSpan, 16> spans;
    while (!path.output().empty()) {
      const std::size_t count = path.output().gather(spans);
      std::size_t size = 0;
      for (std::size_t i = 0; i < count; ++i) bytes += as_text(spans[i]), size += spans[i].size();
      path.output().consume(size);
    }
    return kit::FrameReader(false).read(bytes);
  }

  const Role role;
  const SessionOptions options;
  base::TimePoint now{std::chrono::hours(1)};
  base::TimerWheel timers{now};
  std::vector<CallId> sent;
  Negotiation negotiation{role, options};
  SendPath path{options.limits, negotiation, *this};
  ReceiveCredit credit{options.limits, path};
  MemoryShare share{nullptr};
  struct Owner final : SessionOwner {
    void on_session_wake() noexcept override {}
  } quiet_owner;
  OpenCalls calls{role, options.limits, negotiation, path, credit, share, {timers, &on_deadline, this}, quiet_owner};
};

}  // namespace trunkline::session::native
