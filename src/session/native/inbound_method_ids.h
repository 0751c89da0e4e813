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

/// Holds names by id; ids are 1, 2, 3 and so on. A client may give an id to another name.
class InboundMethodIds {
 public:
  /// Returns an empty name if the client has not defined the id. The view is valid until the id is defined again.
  std::string_view find(std::uint32_t id) const noexcept {
    return id >= 1 && id <= names_.size() ? std::string_view(*names_[id - 1]) : std::string_view();
  }
  /// Returns the name of a defined id, and lets the caller keep it for longer than the id has it.
  const std::shared_ptr<const std::string>& share(std::uint32_t id) const noexcept { return names_[id - 1]; }
  /// `id` means `name` from now on. `id` is 1 or more, and the caller limits it. Error: internal (it is after the next
  /// id).
  Status define(std::uint32_t id, std::string_view name);
  /// Returns how many times an id was given to another name.
  std::uint32_t epoch() const noexcept { return epoch_; }

 private:
  std::vector<std::shared_ptr<const std::string>> names_;
  std::uint32_t epoch_ = 0;
};

}  // namespace trunkline::session::native
