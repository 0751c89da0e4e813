// SPDX-License-Identifier: MIT
// CallHead: what the head of a request says of its call, whatever the protocol and the version of HTTP.
#pragma once

#include "base/clock.h"
#include "session/compressor_set.h"
#include "session/web/format.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>

#include <optional>
#include <string>

namespace trunkline::session::web {

struct CallHead {
  Format format = Format::connect_unary;
  /// The request was a GET: only a method without side effects may serve it. Its message is in the query.
  bool is_get = false;
  /// Both directions use this codec.
  const Codec* codec = nullptr;
  /// Messages of the request, or its body, may be compressed with this; it is null if nothing is compressed.
  const Compressor* compressor = nullptr;
  /// The client takes responses that are compressed with these.
  CompressorSet accepted;
  std::optional<base::Duration> timeout;
  /// Pages of this entry of SessionOptions::cors_origins may read the response; it is null for requests of other pages.
  const std::string* cors_origin = nullptr;
};

}  // namespace trunkline::session::web
