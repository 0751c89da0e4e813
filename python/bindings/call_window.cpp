// SPDX-License-Identifier: MIT
// CallWindow: sends requests and takes outcomes in lists.
#include "call_window.h"

#include "client_channel.h"

#include <utility>

namespace trunkline::python {

CallWindow::CallWindow(std::shared_ptr<ClientChannel> channel, std::string_view method, std::string_view codec,
                       std::shared_ptr<CallSettings> settings, std::size_t size, Expects expects)
    : channel_(std::move(channel)),
      method_(channel_->method(method)),
      codec_(codec_name(codec)),
      settings_(std::move(settings)),
      size_(size),
      expects_(expects) {}

py::list CallWindow::exchange(const py::list& requests, bool wait) {
  if (!calls_.empty()) calls_.front()->pump().fork_guard().require("channel");
  drop_left_references();
  py::list outcomes;
  for (const py::handle& request : requests) {
    while (calls_.size() >= size_) {
      calls_.front()->wait();
      take_done(outcomes);
    }
    calls_.push_back(channel_->begin(method_, request, codec_, settings_.get(), expects_, nullptr, py::none()));
  }
  if (!calls_.empty() && !calls_.front()->is_done()) {
    if (outcomes.empty() && (wait || calls_.size() >= size_)) {
      calls_.front()->wait();
    }
    // This takes everything that has arrived; otherwise small batches would stay small.
    const ReleasedGil released;
    calls_.front()->pump().lead_once([] {});
  }
  take_done(outcomes);
  return outcomes;
}

void CallWindow::take_done(py::list& outcomes) {
  while (!calls_.empty() && calls_.front()->is_done()) {
    outcomes.append(calls_.front()->outcome_or_error());
    calls_.pop_front();
  }
}

void CallWindow::cancel() {
  Completion::cancel_all({calls_.begin(), calls_.end()});
  calls_.clear();
}

}  // namespace trunkline::python
