// SPDX-License-Identifier: MIT
// Channel: the client's side - calls to one endpoint, over as many connections as they need.
#pragma once

#include <trunkline/call_completion.h>
#include <trunkline/call_window.h>
#include <trunkline/channel_options.h>
#include <trunkline/channel_state.h>
#include <trunkline/client_stream.h>
#include <trunkline/method.h>

#include <asio/async_result.hpp>
#include <asio/use_future.hpp>

#include <future>
#include <memory>
#include <ranges>

namespace trunkline {

/// All functions may be called from any thread. Connections are made when calls need them, and again after they are
/// lost.
///
/// On a loop of its own: blocking calls are driven by the threads that wait for them; the first call that does not
/// block starts a thread for the loop; if the system refuses one, such a call ends with resource_exhausted, from inside
/// the function that begins it unless the handler has an executor. On a user's loop nothing is ever started: it must be
/// running while other threads block in calls; a blocking call on the loop's own thread runs the loop meanwhile, and
/// lets an exception out that another handler throws there, once it is done itself.
///
/// Completion handlers run on their associated executor, or on the loop's thread if they have none, and never inside
/// the function that began the call. A refused thread is the one exception, as said. They must not throw. Asio's
/// cancellation slots (all types) cancel the call.
///
/// Every call ends once: with a response or the status of its server; deadline_exceeded; cancelled; unavailable (no
/// connection, or it was lost; the text has the last error); resource_exhausted (a limit of this side, named);
/// invalid_argument (codec, compressor, method); failed_precondition (the channel is closed). Status::may_have_run() is
/// false if it is certain that no handler has seen it.
class TRUNKLINE_API Channel {
 public:
  using executor_type = asio::any_io_executor;

  /// Throws StatusError (invalid_argument) for a bad URI, std::invalid_argument for an option out of its range.
  explicit Channel(std::string_view uri, ChannelOptions options = {});
  /// `options.loop` is ignored. The loop must outlive the channel.
  Channel(EventLoop& loop, std::string_view uri, ChannelOptions options = {});
  /// For the runtime's own tests and simulations.
  explicit Channel(std::shared_ptr<client::ChannelCore> core) noexcept;
  /// Ends every call with cancelled. On a user's loop: on its thread, or while it does not run.
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// A handle that saves calls the search for the name.
  Method method(std::string_view name);

  template <class Response, class Request>
  Result<Response> call(const Method& method, const Request& request, const CallOptions& options = {}) {
    Response response{};
    Status status = run(method, MessageView::of(request), MutableMessageView::of(response), options);
    if (!status.is_ok()) return status;
    return response;
  }
  /// The form that allocates nothing of ours; `response` is unspecified after an error.
  template <class Request, class Response>
  requires(!std::is_same_v<Response, CallOptions>) Status
      call(const Method& method, const Request& request, Response& response, const CallOptions& options = {}) {
    return run(method, MessageView::of(request), MutableMessageView::of(response), options);
  }

  /// void(Result<Response>). The request must live until the call is initiated (for use_awaitable and deferred: until
  /// the co_await or invocation), and is not needed afterwards.
  template <class Response, class Request, class Token>
  auto async_call(const Method& method, const Request& request, Token&& token) {
    return async_call<Response>(method, request, CallOptions{}, std::forward<Token>(token));
  }
  template <class Response, class Request, class Token>
  auto async_call(const Method& method, const Request& request, const CallOptions& options, Token&& token) {
    return asio::async_initiate<Token, void(Result<Response>)>(
        [this, view = MessageView::of(request)](auto handler, const Method& called, const CallOptions& wanted) {
          using Call = client::ResultCall<Response, decltype(handler)>;
          this->begin_async(*call::make_operation<Call>(std::move(handler)), called, view, wanted);
        },
        token, method, options);
  }
  /// void(Status). `response` must live until completion.
  template <class Request, class Response, class Token>
  auto async_call(const Method& method, const Request& request, Response& response, const CallOptions& options,
                  Token&& token) {
    return asio::async_initiate<Token, void(Status)>(
        [this, view = MessageView::of(request), into = MutableMessageView::of(response)](
            auto handler, const Method& called, const CallOptions& wanted) {
          using Call = client::StatusCall<decltype(handler)>;
          this->begin_async(*call::make_operation<Call>(std::move(handler), into), called, view, wanted);
        },
        token, method, options);
  }
  template <class Response, class Request>
  std::future<Result<Response>> submit(const Method& method, const Request& request, const CallOptions& options = {}) {
    return async_call<Response>(method, request, options, asio::use_future);
  }

  /// Nothing is answered, not even errors: ok says that it was given to a connection.
  template <class Request>
  Status call_oneway(const Method& method, const Request& request, const CallOptions& options = {}) {
    return run_oneway(method, MessageView::of(request), options);
  }
  /// void(Status)
  template <class Request, class Token>
  auto async_call_oneway(const Method& method, const Request& request, const CallOptions& options, Token&& token) {
    return asio::async_initiate<Token, void(Status)>(
        [this, view = MessageView::of(request)](auto handler, const Method& called, const CallOptions& wanted) {
          using Call = client::StatusCall<decltype(handler)>;
          auto& operation = *call::make_operation<Call>(std::move(handler), no_response());
          operation.one_way = true;
          this->begin_async(operation, called, view, wanted);
        },
        token, method, options);
  }

  /// Calls with every element of `requests`, up to `window` (at least 1) at once, and gives `sink(index,
  /// Result<Response>)` the answers in order, on this thread, until all are in. Blocks. Elements a range makes as it
  /// goes are copied. What the sink or the range throws comes through, once the calls still open are cancelled. Throws
  /// std::invalid_argument if `options.reply` is set.
  template <class Response, std::ranges::input_range Requests, class Sink>
  void call_many(const Method& method, Requests&& requests, std::size_t window, Sink&& sink,
                 const CallOptions& options = {}) {
    using Request = std::ranges::range_value_t<Requests>;
    Method handle = this->method(method.name());
    if (method.is_idempotent()) handle = handle.idempotent();
    client::CallWindow<Response, Request> calls(*core_, handle, window, options);
    std::size_t next = 0, done = 0;
    for (auto&& request : requests) {
      if (next - done == calls.size()) sink(done, calls.take(done)), ++done;
      if constexpr (client::StableRange<Requests>) {
        calls.begin(next++, request);
      } else {
        calls.begin_copy(next++, Request(std::forward<decltype(request)>(request)));
      }
    }
    for (; done < next; ++done) sink(done, calls.take(done));
  }

  /// Streaming calls begin at once, also if nothing is read or written; errors are told by their reads, writes and
  /// finish().
  template <class Request, class Response>
  ClientStream<Request, Response> stream(const Method& method, const CallOptions& options = {}) {
    return ClientStream<Request, Response>(open_stream(method, options, {}, false));
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
  /// Connects if need be, and waits for the server's hello. Error: deadline_exceeded with the last error of connecting.
  Status wait_for_ready(std::chrono::nanoseconds timeout);
  /// Ends calls that wait for a connection with cancelled, lets those that run end, then closes. Those that still run
  /// after `timeout` are cancelled: deadline_exceeded, with how many. Their handlers may run after this has returned;
  /// the destructor waits for them. Further calls fail.
  Status close(std::chrono::nanoseconds timeout);
  /// The loop's, for coroutines and timers beside the calls. Starts the thread of the channel's own loop; throws
  /// StatusError (resource_exhausted) if the system has none. That of an own loop must not be used once the channel is
  /// gone, and what still waits there then is destroyed with it.
  asio::any_io_executor executor();
  executor_type get_executor() { return executor(); }  ///< the same, in the words of Asio's I/O objects

 private:
  template <class Call>
  void begin_async(Call& operation, const Method& method, MessageView request, const CallOptions& options) {
    try {
      auto slot = asio::get_associated_cancellation_slot(operation.handler());
      if (slot.is_connected()) {
        operation.cancel_number = next_cancel_number();
        slot.assign([core = std::weak_ptr(core_), number = operation.cancel_number](asio::cancellation_type) {
          client::cancel_call(core, number);
        });
      }
      begin(operation, method, request, options);
    } catch (...) {
      call::destroy_operation(&operation);
      throw;
    }
  }
  static MutableMessageView no_response() noexcept;
  std::uint64_t next_cancel_number() noexcept;
  void begin(client::CallOperation& operation, const Method& method, MessageView request, const CallOptions& options);
  Status run(const Method& method, MessageView request, MutableMessageView response, const CallOptions& options);
  Status run_oneway(const Method& method, MessageView request, const CallOptions& options);
  std::shared_ptr<call::StreamPort> open_stream(const Method& method, const CallOptions& options, MessageView first,
                                                bool ends);

  std::shared_ptr<client::ChannelCore> core_;
};

}  // namespace trunkline
