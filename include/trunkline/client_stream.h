// SPDX-License-Identifier: MIT
// ClientStream: the caller's end of a streaming call.
#pragma once

#include <trunkline/detail/stream_completion.h>
#include <trunkline/stream_range.h>

#include <memory>
#include <utility>

namespace trunkline {

/// A stream that a Channel creates. Destroying it cancels the call, unless the call has ended. It may outlive its
/// channel: the call has ended then. All functions may be called from any thread. One read and one write may be in
/// progress at a time; a second one fails with failed_precondition.
///
/// The async functions take any Asio completion token. They complete on the handler's associated executor, or on the
/// channel's loop if the handler has none; after the channel was destroyed, on the thread that begins them. Asio's
/// cancellation slots (all types) end that one operation with cancelled, not the call: a read that is given up leaves
/// its message for the next one. cancel() ends the call. Reads and writes may begin before there is a connection. Once
/// the call has ended with an error, writes fail with that error, and so do reads after the messages that arrived
/// before it. A write that fails because its message cannot be encoded or is too long ends the call with that error.
template <class Request, class Response>
class ClientStream {
 public:
  /// Makes the stream of a call that Channel has begun.
  explicit ClientStream(std::shared_ptr<detail::StreamPort> port) noexcept : port_(std::move(port)) {}
  ClientStream(ClientStream&&) noexcept = default;
  /// Cancels the call that it held before, unless that has ended.
  ClientStream& operator=(ClientStream&& other) noexcept {
    ClientStream old(std::exchange(port_, std::exchange(other.port_, nullptr)));
    return *this;
  }
  ~ClientStream() {
    if (port_ != nullptr) port_->release();
  }

  /// Completes with void(Result<std::optional<Response>>); nullopt once the server has ended the call with ok.
  template <class Token>
  auto async_read(Token&& token) {
    return detail::async_read<Response>(*port_, std::forward<Token>(token));
  }
  Result<std::optional<Response>> read() { return detail::read<Response>(*port_); }
  /// Returns the messages as a range, which blocks while it is iterated; see StreamRange.
  StreamRange<Response> messages(Status& status) { return {*port_, status}; }

  /// Writes a message. Completes with the signature void(Status) once there is room for more. The message must live
  /// until the operation is initiated (with use_awaitable: until the co_await).
  template <class Token>
  auto async_write(const Request& message, Token&& token) {
    return detail::async_act(*port_, detail::StreamAction::write, MessageView::of(message), std::forward<Token>(token));
  }
  Status write(const Request& message) {
    return detail::act(*port_, detail::StreamAction::write, MessageView::of(message));
  }
  /// Writes the last message and closes this side, with one frame less than write() and close_writes() need.
  template <class Token>
  auto async_write_last(const Request& message, Token&& token) {
    return detail::async_act(*port_, detail::StreamAction::write_last, MessageView::of(message),
                             std::forward<Token>(token));
  }
  Status write_last(const Request& message) {
    return detail::act(*port_, detail::StreamAction::write_last, MessageView::of(message));
  }

  /// Tells the server that no more messages follow. Completes with the signature void(Status).
  template <class Token>
  auto async_close_writes(Token&& token) {
    return detail::async_act(*port_, detail::StreamAction::close_writes, {}, std::forward<Token>(token));
  }
  Status close_writes() { return detail::act(*port_, detail::StreamAction::close_writes); }

  /// Waits for the status of the call, and completes with the signature void(Status). Unread messages can still be read
  /// afterwards. The server may not finish before it has received more messages, or before its own messages are read.
  template <class Token>
  auto async_finish(Token&& token) {
    return detail::async_act(*port_, detail::StreamAction::finish, {}, std::forward<Token>(token));
  }
  Status finish() { return detail::act(*port_, detail::StreamAction::finish); }
  /// Ends a client stream: closes this side, reads the one response and waits for the status. Error: unimplemented if
  /// the server sent no response, or several.
  Status finish(Response& response) {
    if (Status closed = close_writes(); !closed.is_ok()) return closed;
    Result<std::optional<Response>> last = read();
    if (!last) return std::move(last).status();
    Status status = finish();
    if (!status.is_ok()) return status;
    if (!last->has_value()) return {StatusCode::unimplemented, "finish stream: the server sent no response"};
    Result<std::optional<Response>> further = read();
    if (!further) return std::move(further).status();
    if (further->has_value()) return {StatusCode::unimplemented, "finish stream: the server sent several responses"};
    response = std::move(**last);
    return {};
  }

  /// Waits for what the server sends first: leading metadata, a message or the status. Then leading() is complete. Does
  /// not notice leading metadata that is empty. May be in progress beside a read. Signature: void(Status); an error is
  /// that of a call that has ended before.
  template <class Token>
  auto async_await_leading(Token&& token) {
    return detail::async_act(*port_, detail::StreamAction::await_leading, {}, std::forward<Token>(token));
  }
  Status await_leading() { return detail::act(*port_, detail::StreamAction::await_leading); }

  /// Cancels the call; operations in progress end with cancelled.
  void cancel() { port_->cancel(); }

  /// Returns the metadata that the server sent before its first message. It is complete once a message or the end has
  /// been read, and after await_leading().
  const Metadata& leading() const noexcept { return port_->leading(); }
  /// Returns the metadata that the server sent with the status. It is complete once finish() has completed.
  const Metadata& trailing() const noexcept { return port_->trailing(); }

 private:
  std::shared_ptr<detail::StreamPort> port_;
};

}  // namespace trunkline
