// SPDX-License-Identifier: MIT
// ClientStream: a streaming call as its caller sees it.
#pragma once

#include <trunkline/stream_completion.h>
#include <trunkline/stream_range.h>

#include <memory>
#include <utility>

namespace trunkline {

/// Made by Channel. Letting go of it gives the call up, unless it has ended. May outlive its channel: then the call is
/// over. Functions may be called from any thread; one read and one write may be under way at once, a further one fails
/// with failed_precondition. The async functions take any Asio completion token and complete on the handler's
/// associated executor, or on the channel's loop if it has none; asio's cancellation slots (all types) give the whole
/// call up, as cancel() does. After the channel they complete on the thread that begins them. Reads and writes may be
/// begun before there is a connection. Once the call has ended with an error, reads (after the messages that came
/// before) and writes tell that error.
template <class Request, class Response>
class ClientStream {
 public:
  /// For Channel.
  explicit ClientStream(std::shared_ptr<call::StreamPort> port) noexcept : port_(std::move(port)) {}
  ClientStream(ClientStream&&) noexcept = default;
  /// Lets go of the call it had.
  ClientStream& operator=(ClientStream&& other) noexcept {
    ClientStream old(std::exchange(port_, std::exchange(other.port_, nullptr)));
    return *this;
  }
  ~ClientStream() {
    if (port_ != nullptr) port_->let_go();
  }

  /// void(Result<std::optional<Response>>): nullopt once the server has ended the call with ok.
  template <class Token>
  auto async_read(Token&& token) {
    return call::async_read<Response>(*port_, std::forward<Token>(token));
  }
  Result<std::optional<Response>> read() { return call::read<Response>(*port_); }
  /// Blocking; see StreamRange.
  StreamRange<Response> messages(Status& status) { return {*port_, status}; }

  /// void(Status), once there is room for more. The message must live until the operation has been initiated (for
  /// use_awaitable: until the co_await).
  template <class Token>
  auto async_write(const Request& message, Token&& token) {
    return call::async_act(*port_, call::StreamAction::write, MessageView::of(message), std::forward<Token>(token));
  }
  Status write(const Request& message) {
    return call::act(*port_, call::StreamAction::write, MessageView::of(message));
  }
  /// Writes, and ends this side: one frame less than close_writes() after it.
  template <class Token>
  auto async_write_last(const Request& message, Token&& token) {
    return call::async_act(*port_, call::StreamAction::write_last, MessageView::of(message),
                           std::forward<Token>(token));
  }
  Status write_last(const Request& message) {
    return call::act(*port_, call::StreamAction::write_last, MessageView::of(message));
  }

  /// Tells the server that nothing more will be written. void(Status).
  template <class Token>
  auto async_close_writes(Token&& token) {
    return call::async_act(*port_, call::StreamAction::close_writes, {}, std::forward<Token>(token));
  }
  Status close_writes() { return call::act(*port_, call::StreamAction::close_writes); }

  /// The call's status, once the server has sent it. void(Status). Messages not read yet can still be read. A server
  /// that waits for messages, or for some of its own to be read, may keep it waiting.
  template <class Token>
  auto async_finish(Token&& token) {
    return call::async_act(*port_, call::StreamAction::finish, {}, std::forward<Token>(token));
  }
  Status finish() { return call::act(*port_, call::StreamAction::finish); }
  /// For client streams: ends this side, reads the one response, waits for the status. Error: internal if the server
  /// sent no response.
  Status finish(Response& response) {
    if (Status closed = close_writes(); !closed.is_ok()) return closed;
    Result<std::optional<Response>> answer = read();
    if (!answer) return std::move(answer).status();
    Status status = finish();
    if (!status.is_ok()) return status;
    if (!answer->has_value()) return {StatusCode::internal, "finish stream: the server sent no response"};
    response = std::move(**answer);
    return {};
  }

  /// Gives the call up; operations under way end with cancelled.
  void cancel() { port_->cancel(); }

  /// What the server sent before its first message: complete once a message or the end has been read.
  const Metadata& leading() const noexcept { return port_->leading(); }
  /// What it sent with the status: complete once finish() is.
  const Metadata& trailing() const noexcept { return port_->trailing(); }

 private:
  std::shared_ptr<call::StreamPort> port_;
};

}  // namespace trunkline
