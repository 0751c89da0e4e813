// SPDX-License-Identifier: MIT
// LoopOwned: an operation that only its loop owns while it is under way, such as a TLS handshake.
#pragma once

#include <memory>
#include <utility>

namespace trunkline::net {

/// An operation that Loop::adopt() takes.
class LoopOwned {
 public:
  LoopOwned() noexcept = default;
  virtual ~LoopOwned() = default;
  LoopOwned(const LoopOwned&) = delete;
  LoopOwned& operator=(const LoopOwned&) = delete;

 private:
  friend class LoopOwnedList;
  LoopOwned* previous_ = nullptr;
  LoopOwned* next_ = nullptr;
};

/// Owns its entries. One thread may use it.
class LoopOwnedList {
 public:
  LoopOwnedList() = default;
  ~LoopOwnedList() { clear(); }
  LoopOwnedList(const LoopOwnedList&) = delete;
  LoopOwnedList& operator=(const LoopOwnedList&) = delete;

  void add(std::unique_ptr<LoopOwned> operation) noexcept {
    LoopOwned* const added = operation.release();
    added->next_ = std::exchange(first_, added);
    if (added->next_ != nullptr) added->next_->previous_ = added;
  }
  /// Removes and returns `operation`, which must be in this list.
  std::unique_ptr<LoopOwned> remove(LoopOwned& operation) noexcept {
    (operation.previous_ != nullptr ? operation.previous_->next_ : first_) = operation.next_;
    if (operation.next_ != nullptr) operation.next_->previous_ = operation.previous_;
    operation.previous_ = operation.next_ = nullptr;
    return std::unique_ptr<LoopOwned>(&operation);
  }
  /// Destroys one operation after the other. Their destructors may add to the list and remove from it.
  void clear() noexcept {
    while (first_ != nullptr) remove(*first_);
  }

 private:
  LoopOwned* first_ = nullptr;
};

}  // namespace trunkline::net
