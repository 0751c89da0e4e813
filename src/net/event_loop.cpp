// SPDX-License-Identifier: MIT
// EventLoop: the public interface of a Loop.
#include <trunkline/event_loop.h>

#include "net/loop.h"

namespace trunkline {

EventLoop::EventLoop(EventLoopOptions options) : loop_(std::make_unique<net::Loop>(options)) {}
EventLoop::~EventLoop() = default;

void EventLoop::run() { loop_->run(); }
void EventLoop::run_for(std::chrono::nanoseconds duration) { loop_->run_for(duration); }
bool EventLoop::poll() { return loop_->poll(); }
void EventLoop::stop() { loop_->stop(); }
void EventLoop::post(std::function<void()> task) { loop_->post(std::move(task)); }
bool EventLoop::is_current() const noexcept { return loop_->is_current(); }
asio::any_io_executor EventLoop::executor() noexcept { return loop_->context().get_executor(); }

}  // namespace trunkline
