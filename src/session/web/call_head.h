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
  /// Of both directions.
  const Codec* codec = nullptr;
  /// What messages of the request that are compressed, or its body, are compressed with; null: nothing is.
  const Compressor* compressor = nullptr;
  /// What the client takes responses in.
  CompressorSet accepted;
  std::optional<base::Duration> timeout;
  /// The entry of SessionOptions::cors_origins whose pages may read the response; null: the request is of no such page.
  const std::string* cors_origin = nullptr;
};

}  // namespace trunkline::session::web
