// SPDX-License-Identifier: MIT
// FieldSink: takes the header fields of a request or response, to write them as the version of HTTP wants it.
#pragma once

#include <string_view>

namespace trunkline::session::web {

class FieldSink {
 public:
  virtual ~FieldSink() = default;
  /// Takes a field. `name` is in lower case. `repeats` says that most requests or responses of the connection have the
  /// same field, so HPACK should keep it.
  virtual void field(std::string_view name, std::string_view value, bool repeats) = 0;
};

}  // namespace trunkline::session::web
