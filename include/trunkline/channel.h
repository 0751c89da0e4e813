// SPDX-License-Identifier: MIT
// Channel: calls to one server or to a fleet of them, over as many connections as they need.
#pragma once

#include <trunkline/channel_options.h>
#include <trunkline/channel_state.h>
#include <trunkline/client_stream.h>
#include <trunkline/detail/call_completion.h>
#include <trunkline/detail/call_window.h>
#include <trunkline/memory_usage.h>
#include <trunkline/method.h>

#include <asio/async_result.hpp>
#include <asio/use_future.hpp>

#include <future>
#include <memory>
#include <ranges>
#include <vector>

namespace trunkline {

/// The client side of Trunkline. All functions may be called from any thread. A channel connects when a call needs a
/// connection, and reconnects after a connection was lost. It calls one server, or all those that a name stands for:
/// see Target for its URI, and ChannelOptions::balancing for how it chooses among them.
///
/// A channel either has an event loop of its own or runs on a loop of the user's. On its own loop, a blocking call is
/// driven by the thread that waits for it. The first call that does not block starts a thread for the loop. If the
/// system refuses that thread, the call ends with resource_exhausted, possibly inside the function that began it. On a
/// user's loop, the channel never starts a thread: the loop must be running while other threads block in calls. A
/// blocking call on the loop's own thread runs the loop meanwhile; if another handler throws there, the exception
/// leaves the blocking call once that call has ended.
///
/// A completion handler runs on its associated executor, or on the loop's thread if it has none. It never runs inside
/// the function that began the call, except when the system refuses a thread, as above. It must not throw. Asio's
/// cancellation slots (all types) cancel the call.
///
/// Every call ends exactly once, with a response, with the status that the server sent, or with one of these:
/// deadline_exceeded; cancelled; unavailable (no connection, or it was lost; the message holds the last error);
/// resource_exhausted (a limit of this side, which the message names); invalid_argument (codec, compressor or method);
/// failed_precondition (the channel is closed). Status::may_have_run() is false only if certainly no handler has seen
/// the call.
class TRUNKLINE_API Channel {
 public:
  using executor_type = asio::any_io_executor;

  /// Throws StatusError (invalid_argument) for a malformed URI, and std::invalid_argument for an option out of its
  /// range. It opens no descriptors: if the system has none left, the calls fail.
  explicit Channel(std::string_view uri, ChannelOptions options = {});
  /// Makes a channel that runs on `loop`, which must outlive the channel. `options.loop` is ignored.
  Channel(EventLoop& loop, std::string_view uri, ChannelOptions options = {});
  /// Makes a channel for the tests and simulations of Trunkline itself.
  explicit Channel(std::shared_ptr<client::ChannelCore> core) noexcept;
  /// Ends every call with cancelled. A channel on a user's loop must be destroyed on the loop's thread, or while the
  /// loop does not run.
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Returns a handle for the method, which spares each call the lookup of the name.
  Method method(std::string_view name);

  template <class Response, class Request>
  Result<Response> call(const Method& method, const Request& request, const CallOptions& options = {}) {
    Response response{};
    Status status = run(method, MessageView::of(request), MutableMessageView::of(response), options);
    if (!status.is_ok()) return status;
    return response;
  }
  /// Makes the call without a heap allocation of its own. `response` is unspecified after an error.
  template <class Request, class Response>
  requires(!std::is_same_v<Response, CallOptions>) Status
      call(const Method& method, const Request& request, Response& response, const CallOptions& options = {}) {
    return run(method, MessageView::of(request), MutableMessageView::of(response), options);
  }

  /// Completes with the signature void(Result<Response>). The request must live until the call is initiated (with
  /// use_awaitable and deferred: until the co_await or the invocation).
  template <class Response, class Request, class Token>
  auto async_call(const Method& method, const Request& request, Token&& token) {
    return async_call<Response>(method, request, CallOptions{}, std::forward<Token>(token));
  }
  template <class Response, class Request, class Token>
  auto async_call(const Method& method, const Request& request, const CallOptions& options, Token&& token) {
    return asio::async_initiate<Token, void(Result<Response>)>(
        [this, view = MessageView::of(request)](auto handler, const Method& called, const CallOptions& wanted) {
          using Call = detail::ResultCall<Response, decltype(handler)>;
          this->begin_async(*detail::make_operation<Call>(std::move(handler)), called, view, wanted);
        },
        token, method, options);
  }
  /// Completes with the signature void(Status). `response` must live until completion.
  template <class Request, class Response, class Token>
  auto async_call(const Method& method, const Request& request, Response& response, const CallOptions& options,
                  Token&& token) {
    return asio::async_initiate<Token, void(Status)>(
        [this, view = MessageView::of(request), into = MutableMessageView::of(response)](
            auto handler, const Method& called, const CallOptions& wanted) {
          using Call = detail::StatusCall<decltype(handler)>;
          this->begin_async(*detail::make_operation<Call>(std::move(handler), into), called, view, wanted);
        },
        token, method, options);
  }
  template <class Response, class Request>
  std::future<Result<Response>> submit(const Method& method, const Request& request, const CallOptions& options = {}) {
    return async_call<Response>(method, request, options, asio::use_future);
  }

  /// Sends a request to which the server sends neither response nor status. Ok: the request was handed to a connection.
  template <class Request>
  Status call_oneway(const Method& method, const Request& request, const CallOptions& options = {}) {
    return run_oneway(method, MessageView::of(request), options);
  }
  /// Sends a one-way request as call_oneway() does, and completes with the signature void(Status).
  template <class Request, class Token>
  auto async_call_oneway(const Method& method, const Request& request, const CallOptions& options, Token&& token) {
    return asio::async_initiate<Token, void(Status)>(
        [this, view = MessageView::of(request)](auto handler, const Method& called, const CallOptions& wanted) {
          using Call = detail::StatusCall<decltype(handler)>;
          auto& operation = *detail::make_operation<Call>(std::move(handler), no_response());
          operation.one_way = true;
          this->begin_async(operation, called, view, wanted);
        },
        token, method, options);
  }

  /// Calls the method with every element of `requests`, at most `window` (at least 1) calls at a time, and passes each
  /// response in order to `sink(index, Result<Response>)` on this thread. Blocks until the last response has been
  /// passed. Elements that the range produces on the fly are copied. If the sink or the range throws, the open calls
  /// are cancelled and the exception propagates. Throws std::invalid_argument if `options.response_info` is set.
  template <class Response, std::ranges::input_range Requests, class Sink>
  void call_many(const Method& method, Requests&& requests, std::size_t window, Sink&& sink,
                 const CallOptions& options = {}) {
    using Request = std::ranges::range_value_t<Requests>;
    Method handle = this->method(method.name());
    if (method.is_idempotent()) handle = handle.idempotent();
    detail::CallWindow<Response, Request> calls(*core_, handle, window, options);
    std::size_t next = 0, done = 0;
    for (auto&& request : requests) {
      if (next - done == calls.size()) sink(done, calls.take(done)), ++done;
      if constexpr (detail::StableRange<Requests>) {
        calls.begin(next++, request);
      } else {
        calls.begin_copy(next++, Request(std::forward<decltype(request)>(request)));
      }
    }
    for (; done < next; ++done) sink(done, calls.take(done));
  }

  /// Begins a streaming call at once, even if nothing is read or written. Errors are reported by its reads, its writes
  /// and finish().
  template <class Request, class Response>
  ClientStream<Request, Response> stream(const Method& method, const CallOptions& options = {}) {
    const MessageView later{&MessageTraits<Request>::type(), nullptr};
    return ClientStream<Request, Response>(open_stream(method, options, later, false));
  }
  template <class Request, class Response>
  ClientStream<Request, Response> client_stream(const Method& method, const CallOptions& options = {}) {
    return stream<Request, Response>(method, options);
  }
  template <class Response, class Request>
  ClientStream<Request, Response> server_stream(const Method& method, const Request& request,
                                                const CallOptions& options = {}) {
    return ClientStream<Request, Response>(open_stream(method, options, MessageView::of(request), true));
  }

  ChannelState state() const noexcept;
  /// Returns how much memory the channel uses. May be called from any thread.
  MemoryUsage memory_usage() const noexcept;
  /// Returns what the channel knows of each server: those that its name stands for, or the one that it was made for.
  /// The list is empty until the first call resolves the name. Waits for the channel's loop, as a blocking call does.
  std::vector<ServerState> servers() const;
  /// Connects if necessary, and waits for the server's hello. Does not end the pause between attempts to connect at
  /// once. A wait of a second or more shortens it as a call with wait_for_ready does: the next attempt comes when half
  /// of `timeout` is over, and 500 ms after the last one at the earliest. Error: deadline_exceeded, with the last error
  /// of connecting.
  Status wait_for_ready(std::chrono::nanoseconds timeout);
  /// Closes the channel: further calls fail, calls that wait for a connection end with cancelled, and running calls may
  /// finish. After `timeout` the calls that still run are cancelled, and the result is deadline_exceeded with their
  /// number. Their handlers may run after this function has returned; the destructor waits for them.
  Status close(std::chrono::nanoseconds timeout);
  /// Returns the executor of the channel's loop, for coroutines and timers beside the calls. On the channel's own loop
  /// this starts the loop's thread; throws StatusError (resource_exhausted) if the system refuses it. The executor of
  /// an own loop must not be used after the channel is destroyed; work that still waits there is destroyed with it.
  asio::any_io_executor executor();
  /// Returns executor(), under the name that Asio expects of I/O objects.
  executor_type get_executor() { return executor(); }

 private:
  template <class Call>
  void begin_async(Call& operation, const Method& method, MessageView request, const CallOptions& options) {
    try {
      auto slot = asio::get_associated_cancellation_slot(operation.handler());
      if (slot.is_connected()) {
        operation.cancel_number = next_cancel_number();
        slot.assign([core = std::weak_ptr(core_), number = operation.cancel_number](asio::cancellation_type) {
          detail::cancel_call(core, number);
        });
      }
      begin(operation, method, request, options);
    } catch (...) {
      detail::destroy_operation(&operation);
      throw;
    }
  }
  static MutableMessageView no_response() noexcept;
  std::uint64_t next_cancel_number() noexcept;
  void begin(detail::CallOperation& operation, const Method& method, MessageView request, const CallOptions& options);
  Status run(const Method& method, MessageView request, MutableMessageView response, const CallOptions& options);
  Status run_oneway(const Method& method, MessageView request, const CallOptions& options);
  /// Opens a stream. If `first` has no object, there is no first message, and later messages have its type.
  std::shared_ptr<detail::StreamPort> open_stream(const Method& method, const CallOptions& options, MessageView first,
                                                  bool ends);

  std::shared_ptr<client::ChannelCore> core_;
};

}  // namespace trunkline
