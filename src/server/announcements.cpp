// SPDX-License-Identifier: MIT
// Announcements: waits for the last one to be withdrawn.
#include "server/announcements.h"

#include <algorithm>
#include <utility>

namespace trunkline::server {

Status Announcements::add(std::unique_ptr<Announcement> announcement) {
  if (is_over_) return {StatusCode::failed_precondition, "announce server: it shuts down or has been stopped"};
  announcement->start();
  all_.push_back(std::move(announcement));
  any_.store(true, std::memory_order_release);
  return {};
}

void Announcements::withdraw(base::TimePoint deadline, std::function<void()> done) {
  is_over_ = true;
  done_ = std::move(done);
  deadline_ = std::min(deadline_, deadline);
  // The count has one more, for this function: none of the others can be the last one before it ends.
  left_ = all_.size() + 1;
  for (const auto& announcement : all_) announcement->withdraw(deadline_, [this] { withdrawn(); });
  withdrawn();
}

/// The announcements themselves know of the first deadline only.
void Announcements::withdraw_by(base::TimePoint deadline) {
  deadline_ = std::min(deadline_, deadline);
  if (done_ && deadline_ != base::never) loop_.timers().schedule(timer_, deadline_);
}

void Announcements::on_deadline(base::Timer&, void* self, base::TimePoint) { static_cast<Announcements*>(self)->end(); }

void Announcements::withdrawn() {
  if (--left_ == 0) end();
}

void Announcements::end() {
  timer_.cancel();
  // The callback may close this object.
  const std::function<void()> done = std::exchange(done_, nullptr);
  if (done) done();
}

void Announcements::close() {
  is_over_ = true;
  timer_.cancel();
  done_ = nullptr;
  all_.clear();
}

}  // namespace trunkline::server
