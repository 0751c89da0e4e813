// SPDX-License-Identifier: MIT
// Reads the JSON of Connect at a client: errors, and the end of streams.
#pragma once

#include "session/web/metadata_reader.h"

#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

namespace trunkline::session::web {

/// Reads the error that the body of a response is. An error that names no known code has the code `otherwise`, which
/// follows from HTTP's status. Returns false and leaves `out` unchanged if the body is no such JSON.
bool read_connect_error(ByteSpan json, StatusCode otherwise, Status& out);

/// Reads the last message of a stream: how the call has ended, and its trailing metadata. An error says what is wrong
/// with the message, or with metadata beyond the limit of `reader`.
Status read_end_of_stream(ByteSpan json, MetadataReader& reader, Status& outcome, Metadata& trailing);

}  // namespace trunkline::session::web
