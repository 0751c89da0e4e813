// SPDX-License-Identifier: MIT
// CallWindow: a bounded number of calls under way at once, their answers taken in order. Behind Channel::call_many().
#pragma once

#include <trunkline/call_operation.h>
#include <trunkline/method.h>
#include <trunkline/result.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <ranges>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace trunkline::client {

/// A call of a window; its request stays where it is until it is done, and it must not be destroyed before.
class WindowCall final : public CallOperation {
 public:
  WindowCall(MessageView request, MutableMessageView into) noexcept
      : CallOperation(&on_complete, into), request_(request) {
    request_stays = true;
  }
  /// It was given to the channel; so it ends.
  bool is_begun() const noexcept { return begun_; }
  bool is_done() const noexcept { return state_.load(std::memory_order_acquire) == State::done; }

 private:
  friend class ChannelCore;
  enum class State : std::uint8_t { running, awaited, done };
  static TRUNKLINE_API void on_complete(CallOperation& operation);

  MessageView request_;
  bool begun_ = false;
  std::atomic<State> state_{State::running};
};

/// Begins `calls` and waits until `awaited`, one of them or begun before, is done.
TRUNKLINE_API void begin_and_wait(ChannelCore& core, const std::vector<WindowCall*>& calls, WindowCall& awaited,
                                  const Method& method, const CallOptions& options);
/// Cancels those of `calls`, all begun, that are not done, and waits until all are.
TRUNKLINE_API void abandon_calls(ChannelCore& core, const std::vector<WindowCall*>& calls);

/// A range whose elements stay where they are, so that calls may refer to them. Others' are copied.
template <class Range>
concept StableRange =
    std::ranges::forward_range<Range> && std::is_lvalue_reference_v<std::ranges::range_reference_t<Range>>;

/// One thread. Calls that are not taken are cancelled, and waited for, by the destructor.
template <class Response, class Request>
class CallWindow {
 public:
  /// Throws std::invalid_argument if `options` has a reply, which one call alone could fill in.
  CallWindow(ChannelCore& core, Method method, std::size_t size, const CallOptions& options)
      : core_(core), method_(method), options_(options), slots_(std::max<std::size_t>(size, 1)) {
    if (options.reply != nullptr) {
      throw std::invalid_argument("call many: CallOptions::reply is set, but there are many replies");
    }
    waiting_.reserve(slots_.size());
  }
  CallWindow(const CallWindow&) = delete;
  CallWindow& operator=(const CallWindow&) = delete;
  ~CallWindow() {
    waiting_.clear();
    for (const Slot& slot : slots_) {
      if (slot == nullptr || !slot->call || !slot->call->is_begun() || slot->call->is_done()) continue;
      waiting_.push_back(&*slot->call);
    }
    if (!waiting_.empty()) abandon_calls(core_, waiting_);
  }

  std::size_t size() const noexcept { return slots_.size(); }
  /// At most size() calls may be begun and not taken. The request must not change until the answer is taken.
  void begin(std::size_t index, const Request& request) { begin_in(slot_of(index), request); }
  /// The same with a request of the window's own.
  void begin_copy(std::size_t index, Request request) {
    Entry& entry = slot_of(index);
    begin_in(entry, entry.request.emplace(std::move(request)));
  }
  /// Waits until the call is done.
  Result<Response> take(std::size_t index) {
    Entry& entry = *slots_[index % slots_.size()];
    if (!entry.call->is_done()) {
      begin_and_wait(core_, waiting_, *entry.call, method_, options_);
      waiting_.clear();
    }
    if (!entry.call->status.is_ok()) return std::move(entry.call->status);
    return std::move(entry.response);
  }

 private:
  struct Entry {
    Response response{};
    std::optional<Request> request;
    std::optional<WindowCall> call;
  };
  using Slot = std::unique_ptr<Entry>;

  Entry& slot_of(std::size_t index) {
    Slot& slot = slots_[index % slots_.size()];
    if (slot == nullptr) slot = std::make_unique<Entry>();
    return *slot;
  }
  void begin_in(Entry& entry, const Request& request) {
    entry.response = Response{};
    entry.call.emplace(MessageView::of(request), MutableMessageView::of(entry.response));
    waiting_.push_back(&*entry.call);
  }

  ChannelCore& core_;
  const Method method_;
  const CallOptions& options_;
  std::vector<Slot> slots_;
  std::vector<WindowCall*> waiting_;  // to be sent with the next take(), all at once
};

}  // namespace trunkline::client
