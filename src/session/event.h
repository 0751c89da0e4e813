// SPDX-License-Identifier: MIT
// Event: one thing that a session reports to the layer above, the same for every protocol.
#pragma once

#include "base/clock.h"
#include "session/compressor_set.h"
#include "session/user_agent.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trunkline::session {

using CallId = std::uint32_t;

enum class EventType : std::uint8_t {
  /// The peer's hello has been read; its codecs, compressors and limits are known.
  opened,
  /// A server has received a new call, with its first message if `has_message`. On an ordered connection a `status`
  /// that is not ok means that the session refuses the call: finish() it with that status in its turn, as unprocessed.
  call,
  /// A further message has come, or leading metadata (at a client; with gRPC even if empty), or only the peer's `end`.
  message,
  /// At a client the call is over, ended by the peer, its deadline or the connection. `status` says how it ended. The
  /// last message comes with the event if `has_message`.
  finished,
  /// At a server the call is over, ended by the client, its deadline or the connection, and `status` says how. finish()
  /// is ignored unless `needs_finish`. A null context means a call that is not attached, or is finished.
  cancelled,
  /// The call may send again. With the id 0, the connection accepts new calls again.
  writable,
  /// The peer accepts no further calls. Calls that it will not look at have been finished as not run.
  going_away,
  /// Much has been received that needed no event, and there may be more: the layer above may end its turn here.
  pause,
  /// The session is over, and no event follows. `status` says why, and is ok after an orderly end.
  closed,
};

/// Counts the flow-control credit that a message has used up, and that goes back to the peer.
struct MessageCredit {
  /// That of the connection. The session returns it with the next next(), unless the event is_queued.
  std::uint32_t connection_bytes = 0;
  /// That of the call. Who retains the message returns it with Session::release().
  std::uint32_t call_bytes = 0;
  /// Counts memory beyond call_bytes: earlier chunks, growth by decompression and, over HTTP, a fixed overhead.
  std::uint32_t further_bytes = 0;

  /// Short messages are packed while they wait for the application (UnreadMessages), each behind a record. Empty ones
  /// that follow one of the same kind are only counted.
  static constexpr std::uint32_t short_bytes = 256;
  static constexpr std::uint32_t short_record_bytes = 16;
  /// Returns how much memory a retained message takes at most, beside its bytes.
  std::size_t record_bytes() const noexcept {
    if (call_bytes + further_bytes == 0) return 0;
    return call_bytes <= short_bytes && further_bytes <= short_bytes ? short_record_bytes : 96;
  }
};

/// One Event is reused for every next(). Its views (`payload`, `method_name`) are valid until the following next().
struct Event {
  EventType type = EventType::closed;
  bool has_message = false;
  /// The peer sends nothing more on this call.
  bool end = false;
  /// The client of the `call` wants no response, and finish() sends nothing.
  bool one_way = false;
  /// The `call` is a GET of HTTP, which anybody on its way may repeat, so only a method without side effects may serve
  /// it. Refuse it otherwise with failed_precondition, as unprocessed.
  bool is_get = false;
  /// The `call` is a request of HTTP to a route (SessionOwner::find_route()), which the method `method_name` serves.
  /// Its metadata has the form that src/session/web/route_fields.h describes.
  bool is_route = false;
  /// On an ordered connection the session has broken off the `cancelled` call, but responses keep their order. The
  /// layer above finishes the call with `status` in its turn.
  bool needs_finish = false;
  /// The receiver of the event sets this if it retains the message for the application. It then returns the call's
  /// credit with release(). Otherwise the following next() returns it. The credit of the connection returns with the
  /// following next() in either case, so that a stream that nobody reads delays no other call.
  bool is_retained = false;
  /// The receiver sets this instead of is_retained for a request that waits for its turn: the client is not to send
  /// many others meanwhile. The receiver then returns all of the credit with release_queued().
  bool is_queued = false;
  /// The payload is still compressed with `compressor`. It is decompressed once somebody is known to take the message:
  /// by Session::decompress(), or later by session::decompress() or session::decompress_unsized().
  bool is_compressed = false;
  /// A payload that is_compressed has the compressor's unsized form.
  bool is_unsized = false;
  CallId id = 0;
  /// This is the context that the layer above has given to start() or attach(); it is null if there is none.
  void* context = nullptr;
  const Codec* codec = nullptr;
  /// The client of the `call` wants responses in this codec. If it is null, responses use the codec of the request.
  const Codec* response_codec = nullptr;
  /// The client of the `call` compresses its messages with this; it is null if the client does not say so at the start.
  const Compressor* call_compressor = nullptr;
  /// The client of the `call` accepts responses that are compressed with these.
  CompressorSet accepted_compressors;
  /// The message was compressed with this compressor; it is null if the message was not compressed.
  const Compressor* compressor = nullptr;
  /// These are the bytes of the message, which are decompressed unless `is_compressed`.
  ByteSpan payload;
  /// With has_message, this is the size of the message as it was received, before decompression.
  std::size_t wire_bytes = 0;
  /// With is_compressed, the payload decompresses to this many bytes, at most max_message_bytes. With is_unsized, it
  /// decompresses to no more than this.
  std::size_t decompressed_bytes = 0;
  /// The block owns the payload; it is null if nothing does.
  Block* block = nullptr;
  /// This is the peer's number for the method of the `call`, or 0 if the peer has none. The name is always set.
  std::uint32_t method_number = 0;
  /// The epoch of a `call` rises when the peer gives a number to another name, so that whatever is known by its numbers
  /// is out of date. A session that takes the place of another one begins to count anew.
  std::uint32_t method_epoch = 0;
  std::string_view method_name;
  base::TimePoint deadline = base::never;
  /// The client of the `call` says that it is this; it is null if the protocol has no such field. It is valid until the
  /// following next(), and may be copied.
  const UserAgent* user_agent = nullptr;
  MessageCredit credit;
  /// The metadata is the client's in a `call`, the leading one in a `message`, and the trailing one in `finished`.
  Metadata metadata;
  Status status;
  /// With `finished`, the server asks to repeat the call after this time, or never if it is negative; empty if unsaid.
  std::optional<std::chrono::milliseconds> pushback;

  /// Resets everything but `type` and `id`, and except `wire_bytes`, `decompressed_bytes` and `method_epoch`, which
  /// mean nothing without a field that is reset.
  void clear() {
    has_message = end = one_way = is_get = is_route = needs_finish = is_compressed = is_unsized = false;
    is_retained = is_queued = false;
    context = nullptr;
    codec = response_codec = nullptr;
    accepted_compressors = {};
    compressor = call_compressor = nullptr;
    payload = {};
    block = nullptr;
    method_number = 0;
    method_name = {};
    deadline = base::never;
    user_agent = nullptr;
    credit = {};
    if (!metadata.empty()) metadata.clear();
    if (!status.is_ok()) status = {};
    pushback.reset();
  }

  const Codec* codec_of_response() const noexcept { return response_codec != nullptr ? response_codec : codec; }
  /// Returns the compressor for responses that are compressed like the request; it is null if the request is not.
  const Compressor* compressor_of_request() const noexcept {
    return call_compressor != nullptr ? call_compressor : compressor;
  }

  /// Returns the payload as a slice that owns it: a copy if nothing owns the bytes, or if their block is far larger.
  Slice payload_slice() const {
    const bool share = block != nullptr && block->capacity() / 4 <= payload.size();
    return share ? Slice::share(block, payload.data(), payload.size()) : Slice::copy_of(payload);
  }
};

}  // namespace trunkline::session
