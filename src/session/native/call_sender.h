// SPDX-License-Identifier: MIT
// CallSender: turns calls, messages and responses into frames (docs/wire.md, sections 4, 6 and 7).
#pragma once

#include "session/native/connection_phase.h"
#include "session/native/current_event.h"
#include "session/native/direct_form.h"
#include "session/native/message_encoding.h"
#include "session/native/open_calls.h"
#include "session/native/outbound_method_ids.h"
#include "session/native/send_path.h"

#include <cstdint>
#include <memory>

namespace trunkline::session::native {

/// Encodes a message straight into the output where nothing is in its way, and queues it otherwise. Owns what depends
/// on the frames sent so far: the method ids assigned, the last kind of message, the bytes taken. If start(), send() or
/// finish() throws, for instance std::bad_alloc, everything is as before: all that needs memory comes first.
class CallSender {
 public:
  /// All references outlive the object. `phase` is the phase of the connection.
  CallSender(Role role, const SessionOptions& options, const ConnectionPhase& phase, const Negotiation& negotiation,
             SendPath& path, OpenCalls& calls, SessionOwner& owner) noexcept
      : role_(role),
        options_(options),
        phase_(phase),
        negotiation_(negotiation),
        path_(path),
        calls_(calls),
        owner_(owner) {}

  /// Starts a client's call, as Session::start() does on a session that is not closed. The time left until a deadline
  /// is counted from `now`.
  Result<CallId> start(const CallStart& start, const OutgoingMessage& message, base::TimePoint now);
  /// Sends as Session::send() does, on a call that is neither over nor refused. `leading` is null except for a server's
  /// first message.
  Status send(CallState& call, const OutgoingMessage& message, const Metadata* leading, bool end);
  /// Writes the frame of a server's ok response without trailing metadata at once. Returns false and changes nothing if
  /// the response needs finish().
  bool finish_directly(CallId id, const OutgoingMessage& message, std::int64_t call_credit);
  /// Finishes a server's call. `call` is null for the call in hand, which gets an entry if its response must wait.
  Status finish(CallId id, CallState* call, const CurrentEvent& current, const Status& status,
                const OutgoingMessage& message, const Metadata* trailing, bool unprocessed);

  /// Writes the header block of a queued frame's next chunk, as FrameSource::write_block() says.
  void write_block(const QueuedFrame& frame, bool last, BufferWriter& out, std::uint32_t& number, base::TimePoint now);
  std::uint64_t payload_bytes_accepted() const noexcept { return payload_bytes_accepted_; }

 private:
  template <class Prepare>
  bool try_write_in_place(wire::FrameHeader header, const OutgoingMessage& message, std::int64_t call_credit,
                          std::size_t& size, Prepare prepare);
  template <class Prepare>
  void write_frame(wire::FrameHeader header, ByteSpan block, const OutgoingMessage& message, std::size_t size,
                   Prepare prepare);
  bool measure(const OutgoingMessage& message, std::uint8_t& codec, std::size_t& size) noexcept;
  Status check_start(const CallStart& start) const;
  void start_directly(CallId id, const CallStart& start, const OutgoingMessage& message, std::uint8_t codec,
                      std::size_t size, base::TimePoint now);
  CallId queue_start(const CallStart& start, EncodedMessage encoded);
  static QueuedFramePtr make_frame(wire::FrameType type, std::uint8_t flags, EncodedMessage encoded, Slice fields);
  void push(CallState& call, QueuedFramePtr frame) noexcept;
  Status encode(const OutgoingMessage& message, EncodedMessage& encoded);
  void queue_finish(CallState& call, QueuedFramePtr frame) noexcept;

  const Role role_;
  const SessionOptions& options_;
  const ConnectionPhase& phase_;
  const Negotiation& negotiation_;
  SendPath& path_;
  OpenCalls& calls_;
  SessionOwner& owner_;
  OutboundMethodIds methods_;
  DirectForm direct_form_;
  BufferWriter scratch_;
  std::uint64_t payload_bytes_accepted_ = 0;
};

}  // namespace trunkline::session::native
