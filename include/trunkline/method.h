// SPDX-License-Identifier: MIT
// Method: the name of a method, or a handle that a channel has looked up.
#pragma once

#include <string>
#include <string_view>

namespace trunkline {

namespace client {
class MethodTable;
struct MethodEntry;
}  // namespace client

/// A Method that was constructed from text refers to that text, which must outlive it. One that Channel::method()
/// returned stays valid as long as its channel and spares each call the lookup of the name; another channel uses only
/// its name.
class Method {
 public:
  Method(const char* name) : name_(name) {}                  // NOLINT: implicit by design
  Method(std::string_view name) noexcept : name_(name) {}    // NOLINT: implicit by design
  Method(const std::string& name) noexcept : name_(name) {}  // NOLINT: implicit by design

  std::string_view name() const noexcept { return name_; }

  /// Returns a handle for this method that marks every call as CallOptions::idempotent.
  Method idempotent() const noexcept {
    Method same = *this;
    same.is_idempotent_ = true;
    return same;
  }
  bool is_idempotent() const noexcept { return is_idempotent_; }

 private:
  friend class client::MethodTable;
  std::string_view name_;
  const client::MethodEntry* entry_ = nullptr;
  bool is_idempotent_ = false;
};

}  // namespace trunkline
