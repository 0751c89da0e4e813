// SPDX-License-Identifier: MIT
// MessageEncodings: the compressors of a registry that the protocols over HTTP can use, by their names in fields.
#pragma once

#include "session/compressor_set.h"

#include <trunkline/compressor.h>

#include <string>
#include <string_view>

namespace trunkline::session::web {

/// These protocols do not transmit the size of a message, so they use only the compressors with an unsized form.
class MessageEncodings {
 public:
  /// `registry` may be null, and outlives the object.
  explicit MessageEncodings(const CompressorRegistry* registry);

  /// Returns null if no such compressor has that name.
  const Compressor* find(std::string_view name) const noexcept;
  /// Returns true if `compressor` is one of them and in `set`, which has positions in the registry.
  bool contains(CompressorSet set, const Compressor& compressor) const noexcept;
  /// Returns the compressors that the value of a field grpc-accept-encoding names.
  CompressorSet read_list(std::string_view value) const noexcept;
  /// Returns those that HTTP's accept-encoding names, with or without weights; those of weight 0 are not accepted.
  CompressorSet read_http_list(std::string_view value) const noexcept;
  /// Returns the value of grpc-accept-encoding for this side.
  const std::string& names() const noexcept { return names_; }

 private:
  const CompressorRegistry* const registry_;
  std::string names_ = "identity";
};

}  // namespace trunkline::session::web
