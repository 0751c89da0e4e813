// SPDX-License-Identifier: MIT
// ReadOperation and StatusOperation: one read, or one write or wait, of a typed stream, with its completion handler.
#pragma once

#include <trunkline/detail/completion.h>
#include <trunkline/detail/operation_memory.h>
#include <trunkline/detail/stream_port.h>
#include <trunkline/result.h>

#include <asio/associated_cancellation_slot.hpp>
#include <asio/async_result.hpp>
#include <asio/cancellation_type.hpp>

#include <memory>
#include <optional>

namespace trunkline::detail {

template <class Message, class Handler>
class ReadOperation final : public StreamOperation {
 public:
  explicit ReadOperation(Handler&& handler) : StreamOperation(&on_complete), completion_(std::move(handler)) {
    into = MutableMessageView::of(message_);
  }
  Handler& handler() noexcept { return completion_.handler(); }

 private:
  static void on_complete(StreamOperation& operation) {
    auto* const self = static_cast<ReadOperation*>(&operation);
    Result<std::optional<Message>> result = std::optional<Message>();
    if (!self->status.is_ok()) {
      result = std::move(self->status);
    } else if (self->has_message) {
      result = std::optional<Message>(std::move(self->message_));
    }
    OfferedMessage offered = self->take_offer();
    Completion<Handler> completion = std::move(self->completion_);
    const bool is_initiating = self->is_initiating;
    destroy_operation(self);
    // Whoever gives up reads on the same executor sees the message or leaves it.
    const bool may_be_given_up = !offered.empty();
    auto take = [offered = std::move(offered), result = std::move(result)]() mutable {
      if (!offered.take()) result = give_up_status();
      return std::move(result);
    };
    std::move(completion).deliver_made(is_initiating, may_be_given_up, std::move(take));
  }

  Message message_{};
  Completion<Handler> completion_;
};

/// An operation that completes with the status only.
template <class Handler>
class StatusOperation final : public StreamOperation {
 public:
  explicit StatusOperation(Handler&& handler) : StreamOperation(&on_complete), completion_(std::move(handler)) {}
  Handler& handler() noexcept { return completion_.handler(); }

 private:
  static void on_complete(StreamOperation& operation) {
    auto* const self = static_cast<StatusOperation*>(&operation);
    Status status = std::move(self->status);
    Completion<Handler> completion = std::move(self->completion_);
    const bool is_initiating = self->is_initiating;
    destroy_operation(self);
    std::move(completion).deliver(is_initiating, std::move(status));
  }

  Completion<Handler> completion_;
};

/// Connects the handler's cancellation slot. The slot keeps the canceller until its owner clears or reuses it: it
/// belongs to the handler's executor, and the loop does not touch it.
template <class Operation>
Operation& with_cancellation(StreamPort& port, Operation& operation, StreamAction action) {
  auto slot = asio::get_associated_cancellation_slot(operation.handler());
  if (slot.is_connected()) {
    slot.assign([cancel = port.canceller_of(operation, action)](asio::cancellation_type) { cancel(); });
  }
  return operation;
}

/// Begins the operation. If it throws, nothing has begun and the operation is destroyed.
template <class Operation>
void begin_operation(StreamPort& port, Operation& operation, StreamAction action, MessageView message = {}) {
  try {
    port.begin(with_cancellation(port, operation, action), action, message);
  } catch (...) {
    destroy_operation(&operation);
    throw;
  }
}

template <class Message, class Token>
auto async_read(StreamPort& port, Token&& token) {
  return asio::async_initiate<Token, void(Result<std::optional<Message>>)>(
      [&port](auto handler) {
        using Operation = ReadOperation<Message, decltype(handler)>;
        begin_operation(port, *make_operation<Operation>(std::move(handler)), StreamAction::read);
      },
      token);
}

/// Begins an action of the stream. `message` is encoded when the operation is initiated. A token such as use_awaitable
/// or deferred may delay that: the message must live until then.
template <class Token>
auto async_act(StreamPort& port, StreamAction action, MessageView message, Token&& token) {
  return asio::async_initiate<Token, void(Status)>(
      [&port, action, message](auto handler) {
        using Operation = StatusOperation<decltype(handler)>;
        begin_operation(port, *make_operation<Operation>(std::move(handler)), action, message);
      },
      token);
}

template <class Message>
Result<std::optional<Message>> read(StreamPort& port) {
  Message message{};
  StreamOperation operation(nullptr);
  operation.into = MutableMessageView::of(message);
  port.run(operation, StreamAction::read);
  if (!operation.status.is_ok()) return std::move(operation.status);
  return operation.has_message ? std::optional<Message>(std::move(message)) : std::nullopt;
}

inline Status act(StreamPort& port, StreamAction action, MessageView message = {}) {
  StreamOperation operation(nullptr);
  port.run(operation, action, message);
  return std::move(operation.status);
}

}  // namespace trunkline::detail
