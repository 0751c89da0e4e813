// SPDX-License-Identifier: MIT
// MethodHandler: one registered method as the server's runtime sees it, whatever form its handler has.
#pragma once

#include <trunkline/message.h>
#include <trunkline/method_info.h>
#include <trunkline/server_context.h>

#include <asio/awaitable.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace trunkline {

namespace call {
class ServerStreamCore;
}

/// The place where a handler runs.
enum class Execution : std::uint8_t {
  /// The handler runs on the loop until it returns.
  plain,
  /// The handler runs on the loop, where it may suspend.
  coroutine,
  /// The handler runs on a worker's thread.
  blocking,
};

/// The facts about a handler that the runtime needs to know. They do not change.
struct MethodShape {
  MethodKind kind = MethodKind::unary;
  Execution execution = Execution::plain;
  /// The handler writes into a response, which the runtime must clear before.
  bool fills_response = false;
  const MessageType* request = nullptr;
  const MessageType* response = nullptr;
  std::string request_name;
  std::string response_name;
};

/// The request and response objects of one unary call. The loop keeps and reuses them. The request is decoded into
/// `request`.
class CallMessages {
 public:
  virtual ~CallMessages() = default;
  MutableMessageView request;
  MutableMessageView response;
};

/// One registered method. Server creates the handler from the user's function; a program may also derive from it and
/// register it with Server::add(). Only the function that matches shape() is called. It is called concurrently if the
/// server has several loops or workers. It may throw: the exception ends just that call.
class TRUNKLINE_API MethodHandler {
 public:
  explicit MethodHandler(MethodShape shape);
  virtual ~MethodHandler();
  MethodHandler(const MethodHandler&) = delete;
  MethodHandler& operator=(const MethodHandler&) = delete;

  const MethodShape& shape() const noexcept { return shape_; }

  /// Unary methods use these three functions.
  virtual std::unique_ptr<CallMessages> make_messages() const;
  virtual Status run(CallMessages& messages, ServerContext& context);
  virtual asio::awaitable<Status> run_async(CallMessages& messages, ServerContext& context);

  /// Streaming methods use these two functions.
  virtual Status run_stream(call::ServerStreamCore& stream, ServerContext& context);
  virtual asio::awaitable<Status> run_stream_async(call::ServerStreamCore& stream, ServerContext& context);

 private:
  MethodShape shape_;
};

}  // namespace trunkline
