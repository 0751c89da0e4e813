// SPDX-License-Identifier: MIT
// Event: one thing that a session reports to the layer above, the same for every protocol.
#pragma once

#include "base/clock.h"
#include "session/compressor_set.h"

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
  /// Server: a new call, with its first message if `has_message`. On an ordered connection a `status` that is not ok
  /// means that the session refuses the call: finish() it with that status in its turn, as unprocessed.
  call,
  /// A further message, or leading metadata (client; of gRPC also if it is empty), or only the peer's `end`.
  message,
  /// Client: the call is over, ended by the peer, its deadline or the connection. `status` says how; the last message
  /// comes with it if `has_message`.
  finished,
  /// Server: the client has ended the call; `status` says how. finish() is not needed and is ignored, unless
  /// `needs_finish`. Without a context: the call was only seen by SessionOwner::on_call_begun().
  cancelled,
  /// The call may send again. Id 0: the connection accepts new calls again.
  writable,
  /// The peer accepts no further calls. Calls that it will not look at have been finished as not run.
  going_away,
  /// Much has been received that needed no event, and there may be more: the layer above may end its turn here.
  pause,
  /// The last event: the session is over. `status` says why; ok after an orderly end.
  closed,
};

/// The flow-control credit that a message has used up; see Session::release().
struct MessageCredit {
  std::uint32_t connection_bytes = 0;
  std::uint32_t call_bytes = 0;
  /// The size of the message beyond call_bytes: the chunks before its last one, and what decompression added.
  std::uint32_t further_bytes = 0;
};

/// One Event is reused for every next(). Its views (`payload`, `method_name`) are valid until the following next().
struct Event {
  EventType type = EventType::closed;
  bool has_message = false;
  /// The peer sends nothing more on this call.
  bool end = false;
  /// call: the client wants no response; finish() sends nothing.
  bool one_way = false;
  /// call: a GET of HTTP, which may be repeated by anybody on its way: only a method without side effects may serve
  /// it. Refuse it otherwise with failed_precondition, as unprocessed.
  bool is_get = false;
  /// call: a request of HTTP to a route (SessionOwner::find_route()), which the method of that name serves. Its
  /// metadata is what src/session/web/route_fields.h says.
  bool is_route = false;
  /// cancelled, on an ordered connection: the session has broken off the call, but responses keep their order.
  /// finish() the call with `status` in its turn.
  bool needs_finish = false;
  /// Set by the receiver of the event if it retains the message for the application. It then returns the credit with
  /// release(); otherwise the following next() returns it.
  bool is_retained = false;
  /// The payload is still compressed with `compressor`, to be decompressed once it is known that somebody takes the
  /// message: by Session::decompress(), or by session::decompress() or session::decompress_unsized() later.
  bool is_compressed = false;
  /// With is_compressed: the payload has the compressor's unsized form.
  bool is_unsized = false;
  CallId id = 0;
  /// As given to start() or attach().
  void* context = nullptr;
  const Codec* codec = nullptr;
  /// call: the codec that the client wants for responses; null: that of the request.
  const Codec* response_codec = nullptr;
  /// call: what the client compresses the messages of this call with, if it says so when the call begins.
  const Compressor* call_compressor = nullptr;
  /// call: the compressors that the client accepts responses in.
  CompressorSet accepted_compressors;
  /// What the message was compressed with; null: it was not compressed.
  const Compressor* compressor = nullptr;
  /// The message, decompressed unless `is_compressed`.
  ByteSpan payload;
  /// With has_message: the size of the message as received, before decompression.
  std::size_t wire_bytes = 0;
  /// With is_compressed: what the payload decompresses to, at most max_message_bytes. With is_unsized: the most that it
  /// may decompress to.
  std::size_t decompressed_bytes = 0;
  /// Owns the payload; null if nothing does.
  Block* block = nullptr;
  /// call: the peer's number for the method; 0 if it has none. The name is always set.
  std::uint32_t method_number = 0;
  /// call: rises when the peer gives a number to another name, so that what is known of its numbers is out of date. A
  /// session that takes the place of another one begins anew.
  std::uint32_t method_epoch = 0;
  std::string_view method_name;
  base::TimePoint deadline = base::never;
  MessageCredit credit;
  /// call: the client's metadata; message: leading; finished: trailing.
  Metadata metadata;
  Status status;
  /// finished: when the server wants the call to be repeated, if it is; negative: never. Empty: it does not say.
  std::optional<std::chrono::milliseconds> pushback;

  /// Resets everything but `type` and `id`, and except `wire_bytes`, `decompressed_bytes` and `method_epoch`, which
  /// mean nothing without a field that is reset.
  void clear() {
    has_message = end = one_way = is_get = is_route = needs_finish = is_retained = is_compressed = is_unsized = false;
    context = nullptr;
    codec = response_codec = nullptr;
    accepted_compressors = {};
    compressor = call_compressor = nullptr;
    payload = {};
    block = nullptr;
    method_number = 0;
    method_name = {};
    deadline = base::never;
    credit = {};
    if (!metadata.empty()) metadata.clear();
    if (!status.is_ok()) status = {};
    pushback.reset();
  }

  const Codec* codec_of_response() const noexcept { return response_codec != nullptr ? response_codec : codec; }
  /// What responses that are compressed as the request are compressed with.
  const Compressor* compressor_of_request() const noexcept {
    return call_compressor != nullptr ? call_compressor : compressor;
  }

  /// The payload as a slice that owns it. The bytes are copied if nothing owns them, or if their block is far larger.
  Slice payload_slice() const {
    const bool share = block != nullptr && block->capacity() / 4 <= payload.size();
    return share ? Slice::share(block, payload.data(), payload.size()) : Slice::copy_of(payload);
  }
};

}  // namespace trunkline::session
