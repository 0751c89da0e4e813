// SPDX-License-Identifier: MIT
// ServerContext: what a handler learns about its call, and how it controls the response.
#pragma once

#include <trunkline/metadata.h>
#include <trunkline/status.h>

#include <asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace trunkline {

/// The view that a handler has of its call. It is valid while the handler runs (for a coroutine: until it returns).
/// Only the handler's thread may call the setters; any thread may call is_cancelled() and the getters in that time.
class TRUNKLINE_API ServerContext {
 public:
  virtual ~ServerContext() = default;

  /// Returns the name of the method.
  virtual std::string_view method() const noexcept = 0;
  /// Returns the client's address, e.g. "tcp://127.0.0.1:40312".
  virtual std::string_view peer() const noexcept = 0;
  /// Returns the subject of the client's verified certificate; empty without one.
  virtual std::string_view certificate_subject() const noexcept = 0;
  /// Returns the subject alternative names of the client's certificate, such as "DNS:example.org", "IP:127.0.0.1",
  /// "URI:spiffe://example.org/a" and "email:ann@example.org".
  virtual std::span<const std::string> certificate_names() const noexcept = 0;
  /// Returns the client's verified certificate in PEM, without those of its authorities; empty without one.
  virtual std::string_view certificate_pem() const noexcept = 0;
  /// Returns what a client over HTTP says it is, its user-agent field, of which at most 1024 bytes are kept. It is
  /// empty if the client sends none, and over Trunkline's own protocol, which has no such field.
  virtual std::string_view user_agent() const noexcept = 0;
  /// Returns the metadata that the client sent.
  virtual const Metadata& metadata() const noexcept = 0;
  /// Returns the deadline of the call; time_point::max() if it has none.
  virtual std::chrono::steady_clock::time_point deadline() const noexcept = 0;
  /// Returns the time until the deadline, never negative; duration::max() without a deadline.
  virtual std::chrono::nanoseconds time_left() const noexcept = 0;
  /// Returns true once nobody will see the response: by cancellation, an expired deadline or a lost connection.
  virtual bool is_cancelled() const noexcept = 0;
  /// Sets a callback that is called once on the loop's thread when the call is cancelled, or at once if it is cancelled
  /// already. It replaces the callback that was set before; null only clears that one. If that one is running on
  /// another thread, this function waits for it. The callback is cleared when the handler returns. Useless in plain
  /// handlers, which return before anything else can happen.
  virtual void on_cancel(std::function<void()> callback) = 0;
  /// Returns true if the connection of the call takes no further calls: the server shuts down, or the connection has
  /// reached max_connection_age. A stream without an end of its own ends soon, best with a status that
  /// Status::set_should_reconnect() has marked; the server ends it so when the time for that is over.
  virtual bool is_draining() const noexcept = 0;
  /// Sets a callback that is called once on the loop's thread when is_draining() turns true, or at once if it is true
  /// already. It is replaced, cleared and waited for as on_cancel() says. It may wake whatever the handler waits for.
  virtual void on_drain(std::function<void()> callback) = 0;

  /// Returns how important the caller says the call is: its position in OverloadOptions::priorities, 0 for the first.
  /// It is 0 without OverloadOptions::priority_metadata.
  virtual unsigned priority() const noexcept = 0;
  /// Returns the status with which a handler that queues its calls sheds one for the reason `why`, before it has done
  /// anything for it. The handler returns this status, and the caller learns that the call has not run and when to come
  /// back. The server counts the call as shed, unless its handler is plain. A stream that has sent something may not.
  virtual Status shed(std::string_view why) = 0;

  /// Adds metadata that is sent before the first message.
  virtual void add_leading_metadata(std::string_view name, std::string_view value) = 0;
  /// Sends the leading metadata now rather than with the first message or the status; over gRPC even if there is none.
  /// Metadata that is added afterwards is dropped. Metadata beyond the limits of the client is dropped, too, and the
  /// server's log tells.
  virtual void send_leading_metadata() = 0;
  /// Adds metadata that is sent with the status.
  virtual void add_trailing_metadata(std::string_view name, std::string_view value) = 0;
  /// Sets the compressor for the messages that follow; "identity" means no compression. Returns false if this server or
  /// the client does not support it.
  virtual bool set_compressor(std::string_view name) = 0;
  /// Aborts the connection of the call without a goaway, as a failing network does. The client's calls on it end with
  /// unavailable; their handlers are cancelled. Bytes sent before still go out as far as there is room. This happens
  /// soon, on the loop; the handler continues. For misbehaving peers and for tests.
  virtual void disconnect() = 0;
  /// Returns the executor of the loop, on which handlers that are coroutines run.
  virtual asio::any_io_executor executor() const noexcept = 0;
};

}  // namespace trunkline
