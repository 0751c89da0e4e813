// SPDX-License-Identifier: MIT
// ChannelWaiter and WaiterList: finish a wait, and keep a singly linked list.
#include "client/channel_waiter.h"

namespace trunkline::client {

ChannelWaiter::~ChannelWaiter() {
  if (list_ != nullptr) list_->remove(*this);
}

void ChannelWaiter::finish(Status status) {
  status_ = std::move(status);
  timer_.cancel();
  if (list_ != nullptr) list_->remove(*this);
  driver_.finish(blocked_);
}

void WaiterList::add(ChannelWaiter& waiter) noexcept {
  ChannelWaiter** end = &first_;
  while (*end != nullptr) end = &(*end)->next_;
  *end = &waiter;
  waiter.list_ = this;
}

void WaiterList::remove(ChannelWaiter& waiter) noexcept {
  if (waiter.list_ != this) return;
  ChannelWaiter** place = &first_;
  while (*place != &waiter) place = &(*place)->next_;
  *place = std::exchange(waiter.next_, nullptr);
  waiter.list_ = nullptr;
}

void WaiterList::finish_all(const Status& status) {
  while (first_ != nullptr) first_->finish(status);
}

}  // namespace trunkline::client
