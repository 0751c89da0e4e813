// SPDX-License-Identifier: MIT
// CallWindow: a bounded number of calls in progress, whose responses are taken in order. Implements
// Channel::call_many().
#pragma once

#include <trunkline/detail/call_operation.h>
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

namespace trunkline::detail {

/// One call of a window. Its request must not move until the call is done, and the object must not be destroyed before.
class WindowCall final : public CallOperation {
 public:
  WindowCall(MessageView request, MutableMessageView into) noexcept
      : CallOperation(&on_complete, into), request_(request) {
    request_stays = true;
  }
  /// Returns true once the call was handed to the channel, so it will end.
  bool is_begun() const noexcept { return begun_; }
  bool is_done() const noexcept { return state_.load(std::memory_order_acquire) == State::done; }

 private:
  friend class client::WindowCalls;
  enum class State : std::uint8_t { running, awaited, done };
  static TRUNKLINE_API void on_complete(CallOperation& operation);

  MessageView request_;
  bool begun_ = false;
  std::atomic<State> state_{State::running};
};

/// Begins `calls` and waits until `awaited` is done, which is one of them or was begun before.
TRUNKLINE_API void begin_and_wait(client::ChannelCore& core, const std::vector<WindowCall*>& calls, WindowCall& awaited,
                                  const Method& method, const CallOptions& options);
/// Cancels those of `calls` that are not done, and waits until all are done. All must have begun. Throws nothing.
TRUNKLINE_API void abandon_calls(client::ChannelCore& core, const std::vector<WindowCall*>& calls);

/// A range whose elements do not move, so that calls may refer to them. The elements of other ranges are copied.
template <class Range>
concept StableRange =
    std::ranges::forward_range<Range> && std::is_lvalue_reference_v<std::ranges::range_reference_t<Range>>;

/// A window that one thread uses. The destructor cancels the calls that were not taken and waits for them.
template <class Response, class Request>
class CallWindow {
 public:
  /// Throws std::invalid_argument if `options` sets response_info, which only a single call can fill in.
  CallWindow(client::ChannelCore& core, Method method, std::size_t size, const CallOptions& options)
      : core_(core), method_(method), options_(options), slots_(std::max<std::size_t>(size, 1)) {
    if (options.response_info != nullptr) {
      throw std::invalid_argument("call many: CallOptions::response_info is set, but there are many responses");
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
  /// Begins a call. At most size() may be begun and not taken. The request must not change until take() has returned.
  void begin(std::size_t index, const Request& request) { begin_in(slot_of(index), request); }
  /// Begins a call whose request the window copies.
  void begin_copy(std::size_t index, Request request) {
    Entry& entry = slot_of(index);
    begin_in(entry, entry.request.emplace(std::move(request)));
  }
  /// Waits until the call is done and returns its response.
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

  client::ChannelCore& core_;
  const Method method_;
  const CallOptions& options_;
  std::vector<Slot> slots_;
  // The calls that the next take() sends together.
  std::vector<WindowCall*> waiting_;
};

}  // namespace trunkline::detail
