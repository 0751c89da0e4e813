// SPDX-License-Identifier: MIT
// Session: what every wire protocol looks like to the layers above - bytes and time in, events and bytes out.
#pragma once

#include "base/clock.h"
#include "session/event.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/metadata.h>

#include <array>
#include <cstddef>
#include <span>

namespace trunkline::session {

/// One message on its way out. With neither `payload` nor a message it stands for no message at all.
struct Outgoing {
  const Codec* codec = nullptr;            ///< null: no message
  const Compressor* compressor = nullptr;  ///< null: not compressed
  MessageView message{};                   ///< encoded straight into the output where its type has the direct form
  Slice payload{};                         ///< or bytes already encoded by `codec`, used if message.type is null

  bool has_message() const noexcept { return codec != nullptr; }
};

/// Names a method. `key` is a small number the caller gives to each name it uses, from 1, the same on all of its
/// sessions; 0 means the name is not worth remembering.
struct MethodRef {
  std::uint32_t key = 0;
  std::string_view name;
};

/// What a client says when it begins a call.
struct CallStart {
  MethodRef method;
  base::TimePoint deadline = base::never;
  const Metadata* metadata = nullptr;  ///< may be null
  bool end = true;                     ///< the first message (or none) is all the client sends
  bool one_way = false;
  void* context = nullptr;  ///< comes back in every event of the call
  base::TimePoint now{};    ///< the loop's time, from which the time left is counted; needed only with a deadline
};

/// Told what happens inside a session. Must not call into it.
class SessionOwner {
 public:
  virtual ~SessionOwner() = default;
  /// The session has events or output that did not come from a call into it (a timer fired): schedule a turn.
  virtual void on_session_wake() noexcept = 0;
  /// False while nothing is read or written because a handler is at work: the peer's silence then says nothing of it.
  virtual bool is_listening() const noexcept { return true; }
  /// A codec or compressor threw `text` while it did what `doing` says for a message. Returns what becomes of the call,
  /// which finish(), and a message that cannot be read, also tell the peer. Here: internal, with the text.
  virtual Status on_codec_exception(std::string_view doing, std::string_view text) {
    return status_of_exception(doing, text);
  }
  /// `text` may be empty.
  static Status status_of_exception(std::string_view doing, std::string_view text);
};

/// Sans-I/O: owns no socket and no thread. All calls come from one thread. Timers live in the wheel given at
/// construction, which the caller advances. An ended session ignores everything but next(), gather() and destruction.
class Session {
 public:
  virtual ~Session() = default;

  // --- bytes in ---

  /// Where the next bytes from the transport go: one or two spans, in order; returns how many. Valid until received().
  virtual std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) = 0;
  /// `size` bytes were put there; call next() until it returns false.
  virtual void received(std::size_t size, base::TimePoint now) = 0;
  /// Nothing was: what prepare_receive() took for it is given back until the next time.
  virtual void received_nothing() noexcept {}
  /// The next event, decoded frame by frame. The event's views are valid until the following call; a `call` event must
  /// be finished or attached before that. False: nothing left.
  virtual bool next(Event& event) = 0;

  // --- bytes out ---

  /// Fills `out` with the bytes to be written next, in order; returns how many spans. Valid until wrote().
  virtual std::size_t gather(std::span<ByteSpan> out) = 0;
  virtual void wrote(std::size_t size) = 0;
  virtual bool has_output() const noexcept = 0;
  /// Bytes encoded and not yet written.
  virtual std::size_t unsent_bytes() const noexcept = 0;

  // --- calls, client side ---

  /// True if start() would be taken now: connected, not going away, below the peer's and our limits. When it turns true
  /// again after a refusal an event `writable` with id 0 says so.
  virtual bool can_start() const noexcept = 0;
  /// Begins a call; needs can_start(). Events for it carry start.context until `finished`. One-way calls have no
  /// events. Errors leave no trace: resource_exhausted (message over max_message_bytes, metadata over
  /// max_header_bytes), and the codec's.
  virtual Result<CallId> start(const CallStart& start, const Outgoing& message) = 0;
  /// Gives the call up: tells the peer; no further event comes for it. Ignored if the call is over.
  virtual void cancel(CallId id, StatusCode reason) = 0;

  // --- calls, server side ---

  /// Keeps the call of the event just returned by next() open beyond the following next().
  virtual void attach(CallId id, void* context) = 0;
  /// Ends the call. `trailing` may be null. `unprocessed` says that no handler has seen it. A message goes only with an
  /// ok status; one that cannot be encoded or is too long turns the status into internal or resource_exhausted, which
  /// is returned.
  virtual Status finish(CallId id, const Status& status, const Outgoing& message, const Metadata* trailing,
                        bool unprocessed) = 0;

  // --- calls, both sides ---

  /// Sends a further message, or only leading metadata (server, before any message), or only `end`. Queued if credit is
  /// lacking. Error: the call is over or its sending side is closed (failed_precondition; cancelled if the peer ended
  /// it), or encoding failed.
  virtual Status send(CallId id, const Outgoing& message, const Metadata* leading, bool end) = 0;
  /// True if a further message of the call would not queue up behind unsent ones. When it turns true again after
  /// having been false an event `writable` says so.
  virtual bool is_writable(CallId id) const noexcept = 0;
  /// Gives back the credit of an event whose `held` was set.
  virtual void release(CallId id, const HeldCredit& credit) = 0;

  // --- the connection ---

  /// Accepts no further calls (server: goaway; client: can_start() turns false); what is open goes on.
  virtual void drain() = 0;
  /// True once drain() was called or the peer said goaway, no call is open, and all that was said has been written.
  /// When it turns true with a write, the owner is woken.
  virtual bool is_drained() const noexcept = 0;
  /// Ends at once: says goodbye with `reason`, ends every call. Write what gather() still gives, then close.
  virtual void close(const Status& reason) = 0;
  /// The transport has ended (ok: orderly end of file). Ends every call with unavailable.
  virtual void transport_closed(const Status& reason) = 0;
  /// Nothing more will be said or heard; output may remain to be written.
  virtual bool is_closed() const noexcept = 0;
  /// Why it closed; ok after an orderly end.
  virtual const Status& close_reason() const noexcept = 0;
  /// The peer's hello has been read.
  virtual bool is_open() const noexcept = 0;
  virtual std::size_t open_calls() const noexcept = 0;
  /// Bytes of all messages that start(), send() and finish() have taken, as they go over the wire, without what is
  /// around them.
  virtual std::uint64_t payload_bytes_taken() const noexcept = 0;
  /// The client asked that calls run and are answered one after the other; the layer above keeps to it.
  virtual bool is_ordered() const noexcept = 0;
  /// True if codec or compressor may be used towards this peer (false for compressors while its hello has not come).
  virtual bool peer_accepts(const Codec& codec) const noexcept = 0;
  virtual bool peer_accepts(const Compressor& compressor) const noexcept = 0;
};

}  // namespace trunkline::session
