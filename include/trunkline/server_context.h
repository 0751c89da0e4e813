// SPDX-License-Identifier: MIT
// ServerContext: what a handler knows and may say about the call it serves.
#pragma once

#include <trunkline/metadata.h>
#include <trunkline/status.h>

#include <asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <string_view>

namespace trunkline {

/// Valid while the handler runs (for a coroutine: until it returns). The setters are for the handler's thread;
/// is_cancelled() and the getters are safe on any thread while the handler runs.
class TRUNKLINE_API ServerContext {
 public:
  virtual ~ServerContext() = default;

  virtual std::string_view method() const noexcept = 0;
  virtual std::string_view peer() const noexcept = 0;  ///< e.g. "tcp://127.0.0.1:40312"
  virtual std::string_view certificate_subject()
      const noexcept = 0;                                 ///< of the client's verified certificate; empty without one
  virtual const Metadata& metadata() const noexcept = 0;  ///< what the client sent
  virtual std::chrono::steady_clock::time_point deadline() const noexcept = 0;  ///< time_point::max() for none
  /// Not negative; duration::max() without a deadline.
  virtual std::chrono::nanoseconds time_left() const noexcept = 0;
  /// The caller has given up, its deadline has passed, or its connection is gone. Nobody will see the answer.
  virtual bool is_cancelled() const noexcept = 0;
  /// Called once on the loop's thread when the call is cancelled, at once if it is already; replaces the one before (by
  /// null: clears it), and waits for that one if it is running on another thread. Cleared when the handler returns.
  /// Not for plain handlers: they end before anything else can happen.
  virtual void on_cancel(std::function<void()> callback) = 0;

  virtual void add_leading_metadata(std::string_view name,
                                    std::string_view value) = 0;  ///< before the first message is sent
  virtual void add_trailing_metadata(std::string_view name, std::string_view value) = 0;
  /// Name of the compressor for what follows; "identity": none. False if this server or the client does not have it.
  virtual bool set_compressor(std::string_view name) = 0;
  /// Drops the connection of the call without a goodbye, as a failing network does: the client's calls on it end with
  /// unavailable, those of this side are cancelled. What was sent before goes out as far as there is room. Soon, on the
  /// loop; the handler goes on. For peers that misbehave, and for tests.
  virtual void disconnect() = 0;
  /// The loop's executor; handlers that are coroutines run on it.
  virtual asio::any_io_executor executor() const noexcept = 0;
};

}  // namespace trunkline
