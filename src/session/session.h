// SPDX-License-Identifier: MIT
// Session: what every wire protocol looks like to the layers above - bytes and time in, events and bytes out.
#pragma once

#include "base/clock.h"
#include "session/event.h"
#include "session/route_match.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/metadata.h>

#include <array>
#include <cstddef>
#include <span>

namespace trunkline::session {

/// A message to send, or no message if `codec` is null.
struct OutgoingMessage {
  const Codec* codec = nullptr;
  /// Null: the message is not compressed. Leading metadata that is sent without a message names the compressor of those
  /// that follow.
  const Compressor* compressor = nullptr;
  /// Encoded straight into the output if its type has a direct form.
  MessageView message{};
  /// Used if message.type is null: bytes already encoded by `codec`.
  Slice payload{};

  bool has_message() const noexcept { return codec != nullptr; }
};

/// Names a method.
struct MethodRef {
  /// A small number, from 1, that the caller gives to each name, the same on all of its sessions. 0: the session does
  /// not remember the name.
  std::uint32_t key = 0;
  std::string_view name;
};

/// The start of a client's call.
struct CallStart {
  MethodRef method;
  base::TimePoint deadline = base::never;
  /// May be null.
  const Metadata* metadata = nullptr;
  /// The client sends nothing after the first message, or no message at all.
  bool end = true;
  bool one_way = false;
  /// The call may have several messages in a direction. Connect writes such calls differently.
  bool is_stream = false;
  /// The call may run several times.
  bool is_idempotent = false;
  /// The codec of later messages, if there is no first one. Null: it is not known.
  const Codec* codec = nullptr;
  /// How often the call has been sent before.
  std::uint32_t previous_attempts = 0;
  /// Comes with every event of the call.
  void* context = nullptr;
  /// The loop's time, from which the remaining time is counted. Needed only with a deadline.
  base::TimePoint now{};
};

/// Receives notifications from inside a session. Must not call into it.
class SessionOwner {
 public:
  virtual ~SessionOwner() = default;
  /// The session has events or output that no call into it has caused, for instance because a timer fired: schedule a
  /// turn.
  virtual void on_session_wake() noexcept = 0;
  /// False while nothing is read or written because a handler runs on the loop. The peer's silence then means nothing.
  virtual bool is_listening() const noexcept { return true; }
  /// Server: so many of the open calls are those of the client's library, not of its application, so nobody may run the
  /// client's loop and answer pings.
  virtual std::size_t background_calls() const noexcept { return 0; }
  /// Server: a call whose first message comes in several frames has begun, and memory for the message is about to be
  /// taken. `event` is the `call` event that follows once the message is whole, but without the message. An error
  /// refuses the call; ok leaves the decision to the `call` event.
  virtual Status on_call_begun(Event& event) { return static_cast<void>(event), Status(); }
  /// Server: the call `id`, which on_call_begun() has let pass, ends without a `call` event.
  virtual void on_call_dropped(CallId id) noexcept { static_cast<void>(id); }
  /// Server: changes whenever its methods have changed; 0: it has no routes, so that find_route() finds none.
  virtual std::uint64_t routes_version() const noexcept { return 0; }
  /// Server: the route for a request of plain HTTP. `path` is decoded. Only within next().
  virtual RouteMatch find_route(std::string_view http_method, std::string_view path) {
    return static_cast<void>(http_method), static_cast<void>(path), RouteMatch();
  }
  /// Server: the methods of HTTP by which a method can be called, as in the field Allow; empty: there is no such
  /// method. Lives until the program ends. Only within next().
  virtual std::string_view http_methods_of(std::string_view method) {
    return static_cast<void>(method), std::string_view("GET, POST");
  }
  /// A codec or compressor threw an exception with the text `text` while it did what `operation` says. Returns the
  /// status with which the call ends, also for the peer. By default: internal, with the text.
  virtual Status on_codec_exception(std::string_view operation, std::string_view text) {
    return status_of_exception(operation, text);
  }
  /// Server: trailing metadata of a call whose handler has failed is not sent, and `why` says why. The call keeps the
  /// handler's status, which tells its client more.
  virtual void on_metadata_dropped(const Status& why) noexcept { static_cast<void>(why); }
  /// The default of on_codec_exception(). `text` may be empty.
  static Status status_of_exception(std::string_view operation, std::string_view text);
};

/// Sans-I/O: owns no socket and no thread. All calls come from one thread. Its timers are in the wheel given at
/// construction, which the caller advances. A session that has ended ignores everything but next(), gather() and
/// destruction.
class Session {
 public:
  virtual ~Session() = default;

  // --- bytes in ---

  /// Where the transport puts the next bytes: one or two spans, in order; returns how many. The spans are valid until
  /// received() or received_nothing(). 0, or spans without room: hand it nothing now. A session that had no room must
  /// call SessionOwner::on_session_wake() once it has some, because its owner does not ask again by itself.
  virtual std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) = 0;
  /// `size` bytes were put there. Call next() until it returns false.
  virtual void received(std::size_t size, base::TimePoint now) = 0;
  /// The transport had no bytes: releases the memory that prepare_receive() took.
  virtual void received_nothing() noexcept {}
  /// The next event. A `call` event must be finished or attached before the following next(). False: there is none.
  virtual bool next(Event& event) = 0;

  // --- bytes out ---

  /// Fills `out` with the bytes to write next, in order; returns how many spans. They are valid until wrote().
  virtual std::size_t gather(std::span<ByteSpan> out) = 0;
  virtual void wrote(std::size_t size) = 0;
  virtual bool has_output() const noexcept = 0;
  /// Bytes that are encoded and not yet written.
  virtual std::size_t unsent_bytes() const noexcept = 0;

  // --- calls, client side ---

  /// True if start() is allowed now: the session is connected, not going away, and below the peer's and its own
  /// limits. After false, an event `writable` with id 0 reports when it is true again.
  virtual bool can_start() const noexcept = 0;
  /// Begins a call; needs can_start(). The call's events carry start.context, up to and including `finished`. One-way
  /// calls have no events. An error leaves no trace of the call: resource_exhausted (message over max_message_bytes,
  /// metadata over max_header_bytes), or the codec's. Nor does an exception, such as std::bad_alloc.
  virtual Result<CallId> start(const CallStart& start, const OutgoingMessage& message) = 0;
  /// Cancels the call and notifies the peer. No further event comes for it. Ignored if the call is over.
  virtual void cancel(CallId id, StatusCode reason) = 0;

  // --- calls, server side ---

  /// Keeps the call of the event that next() has just returned open beyond the following next().
  virtual void attach(CallId id, void* context) = 0;
  /// Ends the call. `trailing` may be null. `unprocessed`: no handler has seen the call. A message is sent only with an
  /// ok status. If it cannot be encoded or is too long, the status becomes internal or resource_exhausted. Returns the
  /// status that was sent, be it one of a deadline whose event waits. What it throws, for want of memory, leaves the
  /// call ended with resource_exhausted, or the session closed.
  virtual Status finish(CallId id, const Status& status, const OutgoingMessage& message, const Metadata* trailing,
                        bool unprocessed) = 0;

  // --- calls, both sides ---

  /// Sends a further message, or only leading metadata (server, before any message), or only `end`. The message is
  /// queued if there is no credit for it. Errors: the call is over (cancelled), its sending side is closed
  /// (failed_precondition), encoding failed, or the metadata is refused (see is_refusal_of_metadata()). After an error
  /// or an exception nothing has been sent.
  virtual Status send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool end) = 0;
  /// True if a further message of the call would not be queued behind unsent ones. After false, an event `writable`
  /// reports when it is true again.
  virtual bool is_writable(CallId id) const noexcept = 0;
  /// Decompresses the message of the event that next() has just returned; no effect unless event.is_compressed. The
  /// layer above first decides whether anybody takes the message, because a short one may decompress to a long one. Who
  /// retains the message for later keeps it as it is, and uses session::decompress(). After an error, finish() or
  /// cancel() the call with it. Error: internal (corrupt).
  virtual Status decompress(Event& event) { return static_cast<void>(event), Status(); }
  /// Servers: how much has come of the call's message whose end has not come. A client that goes on with it can thus be
  /// told from one that does not. 0: nothing, or the session does not know.
  virtual std::uint64_t received_of_message(CallId id) const noexcept { return static_cast<void>(id), 0; }
  /// Returns the credit of an event whose `is_retained` was set.
  virtual void release(CallId id, const MessageCredit& credit) = 0;

  // --- the connection ---

  /// Accepts no further calls (server: sends goaway; client: can_start() turns false). Open calls continue.
  virtual void drain() = 0;
  /// True once drain() was called or the peer has sent goaway, no call is open, and all output has been written. The
  /// owner is woken when a write makes it true.
  virtual bool is_drained() const noexcept = 0;
  /// Ends at once: sends goaway with `reason` and ends every call. Write what gather() still returns, then close.
  virtual void close(const Status& reason) = 0;
  /// The peer sends nothing more, but may still read. What owes_response() says next decides whether transport_closed()
  /// follows.
  virtual void input_ended() {}
  /// Then, some time later: sends what a peer that waits for a response skips, and what one that is gone refuses.
  virtual void ask_peer() {}
  /// Servers: after input_ended(), a response is due all the same, or becomes due by what has come already.
  virtual bool owes_response() const noexcept { return false; }
  /// The transport has ended (ok: orderly end of file). Ends every call with unavailable.
  virtual void transport_closed(const Status& reason) = 0;
  /// Nothing more is sent or received; output may still have to be written.
  virtual bool is_closed() const noexcept = 0;
  /// Once it is closed: a call has been broken off, and the peer can learn that from the end of the connection alone.
  /// Nothing that is still to be written or read matters.
  virtual bool wants_reset() const noexcept { return false; }
  /// Why it closed; ok after an orderly end.
  virtual const Status& close_reason() const noexcept = 0;
  /// The peer's hello has been read.
  virtual bool is_open() const noexcept = 0;
  /// Client, once it is closed: the server has answered the hello in HTTP/1, which the session does not speak. It has
  /// run no call.
  virtual bool was_answered_in_http1() const noexcept { return false; }
  /// Client: no call uses the connection, and from then on the server may end it. A call that begins too late could be
  /// lost.
  virtual base::TimePoint rests_until() const noexcept { return base::never; }
  virtual std::size_t open_calls() const noexcept = 0;
  /// The name of the protocol that the peer speaks, for statistics; it lives until the program ends. Known once
  /// is_open().
  virtual std::string_view protocol_name() const noexcept { return "other"; }
  /// What the session holds for its peer, in bytes, by its own account: input that is incomplete or unread, output,
  /// metadata, the state of calls. Exact after next() has returned false. 0 if the session keeps no account.
  virtual std::size_t held_bytes() const noexcept { return 0; }
  /// Bytes of all messages that start(), send() and finish() have accepted, as they are sent, without their frames.
  virtual std::uint64_t payload_bytes_accepted() const noexcept = 0;
  /// The client asked that calls run and get their responses one after the other. The layer above ensures it.
  virtual bool is_ordered() const noexcept = 0;
};

/// Whether Session::send() has refused metadata: it is too large, or the protocol cannot carry it.
inline bool is_refusal_of_metadata(const Status& sent) noexcept {
  return sent.code() == StatusCode::resource_exhausted || sent.code() == StatusCode::internal;
}

}  // namespace trunkline::session
