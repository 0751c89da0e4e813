// SPDX-License-Identifier: MIT
// What is told on each stream's own loop, where its operations are given up.
#include "service/ending.h"

#include <asio/cancellation_type.hpp>
#include <asio/post.hpp>

namespace trunkline::service {

/// Kept by what is posted, too.
struct Ending::Told : std::enable_shared_from_this<Told> {
  explicit Told(const asio::any_io_executor& given) : loop(given), bell(std::make_shared<Bell>(given)) {}

  void give_up_later() {
    asio::post(loop, [self = shared_from_this()] {
      self->is_over = true;
      self->operation.emit(asio::cancellation_type::terminal);
    });
    bell->ring();
  }

  const asio::any_io_executor loop;
  const std::shared_ptr<Bell> bell;
  asio::cancellation_signal operation;  // the loop's, as is_over
  bool is_over = false;
};

Ending::Stream::Stream(Ending& ending, const asio::any_io_executor& loop)
    : ending_(ending), told_(std::make_shared<Told>(loop)) {
  std::lock_guard lock(ending_.mutex_);
  ending_.streams_.insert(told_);
  told_->is_over = ending_.has_begun_;
}

Ending::Stream::~Stream() {
  told_->operation.slot().clear();  // what was posted finds nothing to give up
  std::lock_guard lock(ending_.mutex_);
  ending_.streams_.erase(told_);
}

bool Ending::Stream::is_over() const noexcept { return told_->is_over; }

Bell& Ending::Stream::bell() noexcept { return *told_->bell; }

asio::cancellation_slot Ending::Stream::slot() {
  if (told_->is_over) told_->give_up_later();
  return told_->operation.slot();
}

void Ending::begin() {
  std::lock_guard lock(mutex_);
  has_begun_ = true;
  for (const std::shared_ptr<Told>& told : streams_) told->give_up_later();
}

}  // namespace trunkline::service
