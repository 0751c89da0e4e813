// SPDX-License-Identifier: MIT
// Event: one thing a session has to say, the same for every protocol.
#pragma once

#include "base/clock.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <cstdint>
#include <string_view>

namespace trunkline::session {

using CallId = std::uint32_t;

enum class EventType : std::uint8_t {
  opened,      ///< the peer's hello has come; codecs, compressors and limits are known
  call,        ///< server: a new call, with its first message if `has_message`; ordered: with a `status` that is not ok
               ///< it is only to be finished with that when its turn comes, as one that no handler has seen
  message,     ///< a further message, leading metadata (client), or just the peer's `end`
  finished,    ///< client: the call is over, by the peer, its deadline or the connection; `status`; a last message if
               ///< `has_message`
  cancelled,   ///< server: the caller has gone (`status` says how); finish() is no longer needed and ignored, unless
               ///< the call is `unanswered`
  writable,    ///< the call may send again; id 0: the connection takes new calls again
  going_away,  ///< the peer takes no further calls; those it will not look at have been finished as not run
  closed,      ///< the last event: the session is over, `status` says why (ok: orderly)
};

/// What a held event owes its peer; see Session::release.
struct HeldCredit {
  std::uint32_t connection_bytes = 0;
  std::uint32_t call_bytes = 0;
  /// What the message takes beyond call_bytes: the pieces before its last one, and what decompression added.
  std::uint32_t further_bytes = 0;
};

/// Reused from one next() to the following: views (`payload`, `method_name`) are valid until then.
struct Event {
  EventType type = EventType::closed;
  bool has_message = false;
  bool end = false;      ///< the peer sends nothing more on this call
  bool one_way = false;  ///< call: no answer is wanted, finish() sends nothing
  /// cancelled, ordered: the session has broken the call off, but answers keep their order: finish() it with `status`
  /// when its turn comes.
  bool unanswered = false;
  /// Set by the receiver of a message that it keeps for the application: its credit is given back by release().
  bool held = false;
  CallId id = 0;
  void* context = nullptr;  ///< as given to start() or attach()
  const Codec* codec = nullptr;
  const Compressor* compressor = nullptr;  ///< what the message came compressed with; null: not
  ByteSpan payload;                        ///< already decompressed
  std::size_t wire_bytes = 0;              ///< with has_message: the payload's size as it came
  Block* block = nullptr;                  ///< what keeps payload alive; null: nothing does
  /// call: the peer's number for the method, 0 if it has none; the name is always there.
  std::uint32_t method_number = 0;
  std::string_view method_name;
  base::TimePoint deadline = base::never;
  HeldCredit credit;
  Metadata metadata;  ///< call: the client's; message: leading; finished: trailing
  Status status;

  /// The payload, kept alive; copied if nothing else keeps it, or what does is much larger.
  Slice payload_slice() const {
    const bool share = block != nullptr && block->capacity() / 4 <= payload.size();
    return share ? Slice::share(block, payload.data(), payload.size()) : Slice::copy_of(payload);
  }
};

}  // namespace trunkline::session
