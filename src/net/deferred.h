// SPDX-License-Identifier: MIT
// Deferred: something to be done at the end of the loop's turn, once however often it is asked for.
#pragma once

#include <utility>

namespace trunkline::net {

/// A node that its owner embeds; destroying it takes it out of the list. One thread.
class Deferred {
 public:
  using Callback = void (*)(void* owner);

  Deferred(Callback callback, void* owner) noexcept : callback_(callback), owner_(owner) {}
  ~Deferred() { cancel(); }
  Deferred(const Deferred&) = delete;
  Deferred& operator=(const Deferred&) = delete;

  bool is_scheduled() const noexcept { return previous_ != nullptr; }
  void cancel() noexcept {
    if (previous_ == nullptr) return;
    previous_->next_ = next_;
    next_->previous_ = previous_;
    previous_ = next_ = nullptr;
  }

 private:
  friend class DeferredList;
  Deferred() noexcept = default;

  Deferred* previous_ = nullptr;
  Deferred* next_ = nullptr;
  Callback callback_ = nullptr;
  void* owner_ = nullptr;
};

class DeferredList {
 public:
  DeferredList() noexcept { make_empty(); }
  /// What is still in it is taken out, not called.
  ~DeferredList() {
    while (!empty()) head_.next_->cancel();
    head_.previous_ = head_.next_ = nullptr;
  }

  bool empty() const noexcept { return head_.next_ == &head_; }
  /// No effect on one that is in a list already.
  void add(Deferred& deferred) noexcept {
    if (deferred.is_scheduled()) return;
    deferred.previous_ = std::exchange(head_.previous_, &deferred);
    deferred.next_ = &head_;
    deferred.previous_->next_ = &deferred;
  }
  /// Takes the oldest out and calls it; there must be one.
  void call_first() {
    Deferred& first = *head_.next_;
    first.cancel();
    first.callback_(first.owner_);
  }
  /// Moves everything from `other` to the end of this list.
  void take(DeferredList& other) noexcept {
    if (other.empty()) return;
    head_.previous_->next_ = other.head_.next_;
    other.head_.next_->previous_ = head_.previous_;
    head_.previous_ = other.head_.previous_;
    head_.previous_->next_ = &head_;
    other.make_empty();
  }

 private:
  void make_empty() noexcept { head_.previous_ = head_.next_ = &head_; }

  Deferred head_;
};

}  // namespace trunkline::net
