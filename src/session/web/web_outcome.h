// SPDX-License-Identifier: MIT
// WebOutcome: what a client knows of the end of a call over Connect or gRPC-Web before its response ends.
#pragma once

#include "session/web/format.h"
#include "session/web/metadata_reader.h"

#include <trunkline/metadata.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstdint>
#include <optional>

namespace trunkline::session::web {

struct WebOutcome {
  /// What the last message of the body says, or grpc-status in the headers.
  std::optional<Status> status;
  /// `status`, `metadata` and `pushback` are those of the headers, and count only if no body follows.
  bool is_of_headers = false;
  /// Trailing.
  Metadata metadata;
  std::optional<std::chrono::milliseconds> pushback;
  /// HTTP's, of an error whose body says more. 0: the body is no error.
  std::uint32_t http_status = 0;

  /// Takes the last message of a stream, which is not compressed any more. An error says what is wrong with it.
  Status take_end(Format format, ByteSpan payload, MetadataReader& reader);
  /// How a stream has ended, whose response is over: moves `status`. `is_amid_message`: a message is incomplete.
  Status take_status(bool is_amid_message);
  /// What the body of an error says. Needs an http_status. Empty: it could not be decompressed.
  Status read_error(std::optional<ByteSpan> body) const;
};

}  // namespace trunkline::session::web
