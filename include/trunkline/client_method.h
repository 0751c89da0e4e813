// SPDX-License-Identifier: MIT
// UnaryMethod, ClientStreamMethod, ServerStreamMethod, BidirectionalMethod: the methods of a typed client, bound to a
// channel.
#pragma once

#include <trunkline/channel.h>

#include <cstddef>
#include <future>
#include <ranges>
#include <string_view>
#include <utility>

namespace trunkline {

/// The base of the four kinds of method. It is small and copyable, and the channel must outlive it. Channel says which
/// threads may call, and which errors there are.
class ClientMethod {
 public:
  /// With `idempotent` set, every call of the method may be retried, as with CallOptions::idempotent.
  ClientMethod(Channel& channel, std::string_view name, bool idempotent = false)
      : channel_(&channel), method_(idempotent ? channel.method(name).idempotent() : channel.method(name)) {}

  std::string_view name() const noexcept { return method_.name(); }
  Channel& channel() const noexcept { return *channel_; }

 protected:
  const Method& method() const noexcept { return method_; }

 private:
  Channel* channel_;
  Method method_;
};

/// A method that takes one request and returns one response.
template <class Request, class Response>
class UnaryMethod : public ClientMethod {
 public:
  using ClientMethod::ClientMethod;

  /// Blocks until the call ends, and returns its response.
  Result<Response> operator()(const Request& request, const CallOptions& options = {}) const {
    return channel().template call<Response>(method(), request, options);
  }
  /// Blocks until the call ends. Makes no heap allocation of its own; `response` is unspecified after an error.
  Status operator()(const Request& request, Response& response, const CallOptions& options = {}) const {
    return channel().call(method(), request, response, options);
  }

  /// Completes with the signature void(Result<Response>). Takes any Asio completion token. See Channel::async_call().
  template <class Token>
  auto async(const Request& request, Token&& token) const {
    return channel().template async_call<Response>(method(), request, std::forward<Token>(token));
  }
  template <class Token>
  auto async(const Request& request, const CallOptions& options, Token&& token) const {
    return channel().template async_call<Response>(method(), request, options, std::forward<Token>(token));
  }
  /// Completes with the signature void(Status). `response` must live until completion.
  template <class Token>
  auto async(const Request& request, Response& response, const CallOptions& options, Token&& token) const {
    return channel().async_call(method(), request, response, options, std::forward<Token>(token));
  }

  std::future<Result<Response>> submit(const Request& request, const CallOptions& options = {}) const {
    return channel().template submit<Response>(method(), request, options);
  }

  /// Runs at most `window` calls at a time, and passes the responses to `sink(index, Result<Response>)` in order. See
  /// Channel::call_many().
  template <std::ranges::input_range Requests, class Sink>
  void many(Requests&& requests, std::size_t window, Sink&& sink, const CallOptions& options = {}) const {
    channel().template call_many<Response>(method(), std::forward<Requests>(requests), window, std::forward<Sink>(sink),
                                           options);
  }

  /// Sends a request to which the server sends neither response nor status. Ok: the request was handed to a connection.
  Status oneway(const Request& request, const CallOptions& options = {}) const {
    return channel().call_oneway(method(), request, options);
  }
  /// Sends a one-way request as oneway() does, and completes with the signature void(Status).
  template <class Token>
  auto async_oneway(const Request& request, Token&& token) const {
    return async_oneway(request, CallOptions{}, std::forward<Token>(token));
  }
  template <class Token>
  auto async_oneway(const Request& request, const CallOptions& options, Token&& token) const {
    return channel().async_call_oneway(method(), request, options, std::forward<Token>(token));
  }
};

/// A method with many requests and one response: write(), then finish(response).
template <class Request, class Response>
class ClientStreamMethod : public ClientMethod {
 public:
  using ClientMethod::ClientMethod;
  ClientStream<Request, Response> operator()(const CallOptions& options = {}) const {
    return channel().template client_stream<Request, Response>(method(), options);
  }
};

/// A method with one request and many responses: read() or messages(), then finish().
template <class Request, class Response>
class ServerStreamMethod : public ClientMethod {
 public:
  using ClientMethod::ClientMethod;
  ClientStream<Request, Response> operator()(const Request& request, const CallOptions& options = {}) const {
    return channel().template server_stream<Response>(method(), request, options);
  }
};

/// A method with many requests and many responses.
template <class Request, class Response>
class BidirectionalMethod : public ClientMethod {
 public:
  using ClientMethod::ClientMethod;
  ClientStream<Request, Response> operator()(const CallOptions& options = {}) const {
    return channel().template stream<Request, Response>(method(), options);
  }
};

}  // namespace trunkline
