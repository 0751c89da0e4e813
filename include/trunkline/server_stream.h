// SPDX-License-Identifier: MIT
// ServerReader, ServerWriter, ServerStream: a streaming call's messages as its handler sees them.
#pragma once

#include <trunkline/stream_completion.h>
#include <trunkline/stream_range.h>

namespace trunkline {

/// The three are valid while the handler runs. One read and one write may be under way at once, a further one fails
/// with failed_precondition. The async functions take any Asio completion token; they complete on the handler's
/// associated executor, or on the connection's loop if it has none; asio's cancellation slots (all types) end that one
/// operation with cancelled, not the call. The blocking ones are for handlers that run on the
/// worker pool, and fail on a loop. Once the caller has gone, all fail with cancelled or deadline_exceeded.
template <class Request>
class ServerReader {
 public:
  explicit ServerReader(call::ServerStreamCore& stream) : port_(call::port_of(stream)) {}

  /// void(Result<std::optional<Request>>): nullopt once the client has ended its side.
  template <class Token>
  auto async_read(Token&& token) {
    return call::async_read<Request>(port_, std::forward<Token>(token));
  }
  Result<std::optional<Request>> read() { return call::read<Request>(port_); }
  /// Blocking; see StreamRange.
  StreamRange<Request> messages(Status& status) { return {port_, status}; }

 private:
  call::StreamPort& port_;
};

template <class Response>
class ServerWriter {
 public:
  explicit ServerWriter(call::ServerStreamCore& stream) : port_(call::port_of(stream)) {}

  /// void(Status), once there is room for more. The message must live until the operation has been initiated (for
  /// use_awaitable: until the co_await).
  template <class Token>
  auto async_write(const Response& message, Token&& token) {
    return call::async_act(port_, call::StreamAction::write, MessageView::of(message), std::forward<Token>(token));
  }
  Status write(const Response& message) {
    return call::act(port_, call::StreamAction::write, MessageView::of(message));
  }

 private:
  call::StreamPort& port_;
};

template <class Request, class Response>
class ServerStream : public ServerReader<Request>, public ServerWriter<Response> {
 public:
  explicit ServerStream(call::ServerStreamCore& stream)
      : ServerReader<Request>(stream), ServerWriter<Response>(stream) {}
};

}  // namespace trunkline
