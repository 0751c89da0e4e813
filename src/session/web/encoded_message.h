// SPDX-License-Identifier: MIT
// EncodedMessage: a message in the bytes of its codec, and compressed where that is wanted and makes sense.
#pragma once

#include "session/session.h"
#include "session/session_options.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

namespace trunkline::session::web {

struct EncodedMessage {
  Slice payload;
  bool is_compressed = false;

  struct Wish {
    const Codec& codec;
    /// The message is not compressed if this is null.
    const Compressor* compressor = nullptr;
    /// The message is compressed even if that makes it longer.
    bool in_any_case = false;
  };
  /// Encodes the message. Errors: internal (another codec than that of the call), resource_exhausted (4 GiB), the
  /// codec's, and what SessionOwner::on_codec_exception() makes of an exception. The codec may run the loop.
  Status encode(const OutgoingMessage& message, const Wish& wish, const SessionOptions& options, SessionOwner& owner);
};

}  // namespace trunkline::session::web
