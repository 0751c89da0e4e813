// SPDX-License-Identifier: MIT
// Writes what bodies of responses are made of: messages, and the end of a stream behind them.
#pragma once

#include "session/web/format.h"

#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

namespace trunkline::session::web {

/// Appends a message as the body of a response has it. In a format that responds once, the message is the body.
void append_message(Format format, ByteSpan payload, bool is_compressed, BufferWriter& out);

/// Appends what stands behind the messages of a stream: the status and the trailing metadata, as far as the format can
/// carry them. `trailing` may be null. In a format that responds once, appends the body of an error.
void append_end(Format format, const Status& status, const Metadata* trailing, BufferWriter& out);

}  // namespace trunkline::session::web
