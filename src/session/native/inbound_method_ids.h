// SPDX-License-Identifier: MIT
// InboundMethodIds: the method names that a client has numbered on one connection (docs/wire.md, section 6).
#pragma once

#include <trunkline/status.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session::native {

/// Names by id; ids are 1, 2, 3 and so on. The views that find() returns stay valid as long as the object.
class InboundMethodIds {
 public:
  /// Empty if the client has not defined the id.
  std::string_view find(std::uint32_t id) const noexcept {
    return id >= 1 && id <= names_.size() ? std::string_view(*names_[id - 1]) : std::string_view();
  }
  /// Errors: internal (not the next id), resource_exhausted (more than max_methods).
  Status define(std::uint32_t id, std::string_view name, std::uint32_t max_methods);

 private:
  std::vector<std::unique_ptr<const std::string>> names_;
};

}  // namespace trunkline::session::native
