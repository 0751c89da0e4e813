// SPDX-License-Identifier: MIT
// TrailersText: the trailers of gRPC-Web, which stand in the body as text, at a client.
#pragma once

#include "session/web/metadata_reader.h"

#include <trunkline/metadata.h>
#include <trunkline/status.h>

#include <chrono>
#include <optional>
#include <string_view>

namespace trunkline::session::web {

struct TrailersText {
  /// The outcome says how the call has ended.
  Status outcome;
  Metadata metadata;
  /// This comes from grpc-retry-pushback-ms. If it is negative, the call must not be repeated.
  std::optional<std::chrono::milliseconds> pushback;
};

/// Reads lines like "grpc-status: 0\r\n". An error says what is wrong with the text, or with metadata beyond the limit
/// of `reader`.
Status read_trailers_text(std::string_view text, MetadataReader& reader, TrailersText& out);

}  // namespace trunkline::session::web
