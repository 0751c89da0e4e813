// SPDX-License-Identifier: MIT
// Session: what every wire protocol looks like to the layers above - bytes and time in, events and bytes out.
#pragma once

#include "base/clock.h"
#include "session/awaited_limit.h"
#include "session/event.h"
#include "session/route_match.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/metadata.h>

#include <array>
#include <cstddef>
#include <span>

namespace trunkline::session {

/// Describes a message to send, or no message if `codec` is null.
struct OutgoingMessage {
  const Codec* codec = nullptr;
  /// A null compressor leaves the message uncompressed. Leading metadata that is sent without a message names the
  /// compressor of the messages that follow.
  const Compressor* compressor = nullptr;
  /// The message is encoded straight into the output if its type has a direct form.
  MessageView message{};
  /// If message.type is null, these bytes are the message, already encoded by `codec`.
  Slice payload{};

  bool has_message() const noexcept { return codec != nullptr; }
};

/// Names a method.
struct MethodRef {
  /// The caller gives each name a small number, from 1, which is the same on all of its sessions. With 0 the session
  /// does not remember the name.
  std::uint32_t key = 0;
  std::string_view name;
};

/// Describes the call that a client starts.
struct CallStart {
  MethodRef method;
  base::TimePoint deadline = base::never;
  /// The metadata may be null.
  const Metadata* metadata = nullptr;
  /// The client sends nothing after the first message, or no message at all.
  bool end = true;
  bool one_way = false;
  /// The call may have several messages in a direction. Connect writes such calls differently.
  bool is_stream = false;
  /// The call may run several times.
  bool is_idempotent = false;
  /// If there is no first message, later messages use this codec; it is null if that is not known.
  const Codec* codec = nullptr;
  /// The call has been sent this many times before.
  std::uint32_t previous_attempts = 0;
  /// The context comes with every event of the call.
  void* context = nullptr;
  /// This is the loop's time, from which the remaining time is counted. It is needed only with a deadline.
  base::TimePoint now{};
};

/// Receives notifications from inside a session, and must not call into it.
class SessionOwner {
 public:
  virtual ~SessionOwner() = default;
  /// The session has events or output that no call into it has caused, for instance because a timer fired: schedule a
  /// turn.
  virtual void on_session_wake() noexcept = 0;
  /// Returns false while a handler keeps the loop from reading and writing, so the peer's silence means nothing.
  virtual bool is_listening() const noexcept { return true; }
  /// Returns how many of a server's open calls belong to the client's library, not to its application. While no others
  /// are open, nobody may run the client's loop and answer pings.
  virtual std::size_t background_calls() const noexcept { return 0; }
  /// At a server a call whose first message comes in several frames has begun, and memory for the message is about to
  /// be taken. `event` is the `call` event that follows once the message is whole, but without the message. An error
  /// refuses the call; ok leaves the decision to the `call` event.
  virtual Status on_call_begun(Event& event) { return static_cast<void>(event), Status(); }
  /// The call `id` of a server, which on_call_begun() has let pass, ends without a `call` event.
  virtual void on_call_dropped(CallId id) noexcept { static_cast<void>(id); }
  /// Returns a number that changes with the server's methods. It is 0 if there are no routes for find_route() to find.
  virtual std::uint64_t routes_version() const noexcept { return 0; }
  /// Finds a server's route for a request of plain HTTP. `path` is decoded. It is called only within next().
  virtual RouteMatch find_route(std::string_view http_method, std::string_view path) {
    return static_cast<void>(http_method), static_cast<void>(path), RouteMatch();
  }
  /// Returns the methods of HTTP by which a server's method can be called, as in the field Allow. The text is empty if
  /// there is no such method, and lives until the program ends. It is called only within next().
  virtual std::string_view http_methods_of(std::string_view method) {
    return static_cast<void>(method), std::string_view("GET, POST");
  }
  /// A codec or compressor threw an exception with the text `text` while it did what `operation` says. Returns the
  /// status with which the call ends, also for the peer. By default: internal, with the text.
  virtual Status on_codec_exception(std::string_view operation, std::string_view text) {
    return status_of_exception(operation, text);
  }
  /// A server does not send trailing metadata of a call whose handler has failed, and `why` says why. The call keeps
  /// the handler's status, which tells its client more.
  virtual void on_metadata_dropped(const Status& why) noexcept { static_cast<void>(why); }
  /// Makes the status that on_codec_exception() returns by default. `text` may be empty.
  static Status status_of_exception(std::string_view operation, std::string_view text);
};

/// A session is sans-I/O: it owns no socket and no thread. All calls come from one thread. Its timers are in the wheel
/// given at construction, which the caller advances. A session that has ended ignores everything but next(), gather()
/// and destruction.
class Session {
 public:
  virtual ~Session() = default;

  // --- bytes in ---

  /// Sets `out` to one or two spans where the transport puts the next bytes, in order, and returns how many. They are
  /// valid until received() or received_nothing(). If it returns 0, or spans without room, hand it nothing now. A
  /// session that had no room must call SessionOwner::on_session_wake() once it has some: its owner does not ask again.
  virtual std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) = 0;
  /// The transport has put `size` bytes into the spans of prepare_receive(). Call next() until it returns false.
  virtual void received(std::size_t size, base::TimePoint now) = 0;
  /// The transport had no bytes: releases the memory that prepare_receive() took.
  virtual void received_nothing() noexcept {}
  /// Takes the next event, or returns false. A `call` event must be finished or attached before the following next().
  virtual bool next(Event& event) = 0;

  // --- bytes out ---

  /// Fills `out` with the bytes to write next, in order; returns how many spans. They are valid until wrote().
  virtual std::size_t gather(std::span<ByteSpan> out) = 0;
  virtual void wrote(std::size_t size) = 0;
  virtual bool has_output() const noexcept = 0;
  /// Returns how many bytes are encoded and not yet written.
  virtual std::size_t unsent_bytes() const noexcept = 0;

  // --- calls, client side ---

  /// Returns true if start() is allowed now: the session is connected, not going away, and below the peer's and its own
  /// limits. After false, an event `writable` with id 0 reports when it is true again.
  virtual bool can_start() const noexcept = 0;
  /// Returns the limit that keeps can_start() from being true. There is none if it is true, or if the session is closed
  /// or going away.
  virtual AwaitedLimit awaited_limit() const noexcept { return {}; }
  /// Begins a call; needs can_start(). The call's events carry start.context, up to and including `finished`. One-way
  /// calls have no events. Errors: resource_exhausted (message over max_message_bytes, metadata over max_header_bytes),
  /// or the codec's. Neither an error nor an exception, such as std::bad_alloc, leaves a trace of the call.
  virtual Result<CallId> start(const CallStart& start, const OutgoingMessage& message) = 0;
  /// Cancels the call and notifies the peer. No further event comes for it. Ignored if the call is over.
  virtual void cancel(CallId id, StatusCode reason) = 0;

  // --- calls, server side ---

  /// Keeps the call of the event that next() has just returned open beyond the following next().
  virtual void attach(CallId id, void* context) = 0;
  /// Ends the call. `trailing` may be null. `unprocessed` says that no handler has seen the call. A message is sent
  /// only with an ok status. If it cannot be encoded or is too long, the status becomes internal or resource_exhausted.
  /// Returns the status that was sent, or that of a deadline whose event waits. If it throws for want of memory, the
  /// call has ended with resource_exhausted, or the session is closed.
  virtual Status finish(CallId id, const Status& status, const OutgoingMessage& message, const Metadata* trailing,
                        bool unprocessed) = 0;

  // --- calls, both sides ---

  /// Sends a further message, or only leading metadata (server, before any message), or only `end`. The message is
  /// queued if there is no credit for it. Errors: the call is over (cancelled), its sending side is closed
  /// (failed_precondition), encoding failed, or the metadata is refused (see is_refusal_of_metadata()). After an error
  /// or an exception nothing has been sent.
  virtual Status send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool end) = 0;
  /// Returns true if a further message of the call would not be queued behind unsent ones. After false, an event
  /// `writable` reports when it is true again.
  virtual bool is_writable(CallId id) const noexcept = 0;
  /// Decompresses the message of the event that next() has just returned; it has no effect unless event.is_compressed.
  /// The layer above first decides whether anybody takes the message, because a short one may decompress to a long one.
  /// It keeps a message for later as it is, and uses session::decompress(). After an error, finish() or cancel() the
  /// call with it. Errors: internal or invalid_argument (it is corrupt), resource_exhausted (it is too long).
  virtual Status decompress(Event& event) { return static_cast<void>(event), Status(); }
  /// Returns how much has come of the call's message whose end has not come, so that a server can tell a client that
  /// goes on with it from one that does not. It is 0 if nothing has come, or if the session does not know.
  virtual std::uint64_t received_of_message(CallId id) const noexcept { return static_cast<void>(id), 0; }
  /// Returns the credit of an event whose `is_retained` was set.
  virtual void release(CallId id, const MessageCredit& credit) = 0;
  /// Returns the credit of an event whose `is_queued` was set.
  virtual void release_queued(CallId id, const MessageCredit& credit) { release(id, credit); }

  // --- the connection ---

  /// Accepts no further calls (server: sends goaway; client: can_start() turns false). Open calls continue.
  virtual void drain() = 0;
  /// Returns true once drain() was called or the peer has sent goaway, no call is open, and all output has been
  /// written. The owner is woken when a write makes it true.
  virtual bool is_drained() const noexcept = 0;
  /// Ends at once: sends goaway with `reason` and ends every call. Write what gather() still returns, then close.
  virtual void close(const Status& reason) = 0;
  /// The peer sends nothing more, but may still read. owes_response() then decides whether transport_closed()
  /// follows.
  virtual void input_ended() {}
  /// Some time after input_ended(), sends bytes that a waiting peer skips, and that a peer that is gone refuses.
  virtual void ask_peer() {}
  /// After input_ended() a server still owes a response, or will owe one for what has come already.
  virtual bool owes_response() const noexcept { return false; }
  /// The transport has ended (ok: orderly end of file). Ends every call with unavailable.
  virtual void transport_closed(const Status& reason) = 0;
  /// Nothing more is sent or received; output may still have to be written.
  virtual bool is_closed() const noexcept = 0;
  /// A session that is closed has broken off a call, and the peer can learn that from the end of the connection alone.
  /// Nothing that is still to be written or read matters.
  virtual bool wants_reset() const noexcept { return false; }
  /// Returns why the session closed. The status is ok after an orderly end.
  virtual const Status& close_reason() const noexcept = 0;
  /// The peer's hello has been read.
  virtual bool is_open() const noexcept = 0;
  /// The server has answered the hello of a client's session, which is closed, in HTTP/1, which the session does not
  /// speak. The server has run no call.
  virtual bool was_answered_in_http1() const noexcept { return false; }
  /// Returns the time from which on the server may end a client's connection that no call uses. A call that begins too
  /// late could be lost.
  virtual base::TimePoint rests_until() const noexcept { return base::never; }
  virtual std::size_t open_calls() const noexcept = 0;
  /// Returns the name of the protocol that the peer speaks, for statistics. The text lives until the program ends. The
  /// name is known once is_open().
  virtual std::string_view protocol_name() const noexcept { return "other"; }
  /// Returns how many bytes the session holds for its peer, by its own account: input that is incomplete or unread,
  /// output, metadata, calls. It is exact after next() has returned false, and 0 if the session keeps no account.
  virtual std::size_t held_bytes() const noexcept { return 0; }
  /// Returns the bytes of all messages that start(), send() and finish() have accepted, as sent, without their frames.
  virtual std::uint64_t payload_bytes_accepted() const noexcept = 0;
  /// The client asked that calls run and get their responses one after the other. The layer above ensures it.
  virtual bool is_ordered() const noexcept = 0;
};

/// Returns whether Session::send() has refused metadata, because it is too large or the protocol cannot carry it.
inline bool is_refusal_of_metadata(const Status& sent) noexcept {
  return sent.code() == StatusCode::resource_exhausted || sent.code() == StatusCode::internal;
}

}  // namespace trunkline::session
