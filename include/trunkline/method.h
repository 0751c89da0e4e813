// SPDX-License-Identifier: MIT
// Method: the name of what is called, or a handle that a channel has looked up once.
#pragma once

#include <string>
#include <string_view>

namespace trunkline {

namespace client {
class MethodTable;
struct MethodEntry;
}  // namespace client

/// Made from any text; then it views it, and is as short-lived. One that Channel::method() returned is valid as long as
/// that channel, and saves it the search for the name; with another channel it is just the name.
class Method {
 public:
  Method(const char* name) : name_(name) {}                  // NOLINT: implicit by design
  Method(std::string_view name) noexcept : name_(name) {}    // NOLINT: implicit by design
  Method(const std::string& name) noexcept : name_(name) {}  // NOLINT: implicit by design

  std::string_view name() const noexcept { return name_; }

  /// The same method, whose calls may all run more than once without harm: as if each said CallOptions::idempotent.
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
