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
  /// This is what the last message of the body says, or grpc-status in the headers.
  std::optional<Status> status;
  /// `status`, `metadata` and `pushback` are those of the headers, and count only if no body follows.
  bool is_of_headers = false;
  /// This is the trailing metadata.
  Metadata metadata;
  std::optional<std::chrono::milliseconds> pushback;
  /// This is the HTTP status of an error whose body says more. It is 0 if the body is no error.
  std::uint32_t http_status = 0;

  /// Takes the last message of a stream, which is not compressed any more. An error says what is wrong with it.
  Status take_end(Format format, ByteSpan payload, MetadataReader& reader);
  /// Moves out how a stream whose response is over has ended. `is_amid_message` says that a message is incomplete.
  Status take_status(bool is_amid_message);
  /// Returns what the body of an error says. Needs an http_status. An empty `body` could not be decompressed.
  Status read_error(std::optional<ByteSpan> body) const;
};

}  // namespace trunkline::session::web
