// SPDX-License-Identifier: MIT
// ServerReader, ServerWriter, ServerStream: the handler's end of a streaming call.
#pragma once

#include <trunkline/detail/stream_completion.h>
#include <trunkline/stream_range.h>

namespace trunkline {

/// Reads the client's messages. ServerReader, ServerWriter and ServerStream are valid while the handler runs. One read
/// and one write may be in progress at a time; a second one fails with failed_precondition. The async functions take
/// any Asio completion token. They complete on the handler's associated executor, or on the connection's loop if it has
/// none. Asio's cancellation slots (all types) end that one operation with cancelled, not the call. The blocking
/// functions are for handlers on the worker pool and fail on a loop. Once the caller has gone, all functions fail with
/// cancelled or deadline_exceeded.
template <class Request>
class ServerReader {
 public:
  explicit ServerReader(call::ServerStreamCore& stream) : port_(detail::port_of(stream)) {}

  /// Completes with the signature void(Result<std::optional<Request>>); nullopt once the client has closed its side.
  template <class Token>
  auto async_read(Token&& token) {
    return detail::async_read<Request>(port_, std::forward<Token>(token));
  }
  Result<std::optional<Request>> read() { return detail::read<Request>(port_); }
  /// Returns the messages as a range, which blocks while it is iterated; see StreamRange.
  StreamRange<Request> messages(Status& status) { return {port_, status}; }

 private:
  detail::StreamPort& port_;
};

/// Writes messages to the client. The rules for threads, operations and errors are those of ServerReader.
template <class Response>
class ServerWriter {
 public:
  explicit ServerWriter(call::ServerStreamCore& stream) : port_(detail::port_of(stream)) {}

  /// Writes a message. Completes with the signature void(Status) once there is room for more. The message must live
  /// until the operation is initiated (with use_awaitable: until the co_await).
  template <class Token>
  auto async_write(const Response& message, Token&& token) {
    return detail::async_act(port_, detail::StreamAction::write, MessageView::of(message), std::forward<Token>(token));
  }
  Status write(const Response& message) {
    return detail::act(port_, detail::StreamAction::write, MessageView::of(message));
  }

 private:
  detail::StreamPort& port_;
};

/// Reads the client's messages and writes to it, as ServerReader and ServerWriter say.
template <class Request, class Response>
class ServerStream : public ServerReader<Request>, public ServerWriter<Response> {
 public:
  explicit ServerStream(call::ServerStreamCore& stream)
      : ServerReader<Request>(stream), ServerWriter<Response>(stream) {}
};

}  // namespace trunkline
