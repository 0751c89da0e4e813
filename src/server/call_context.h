// SPDX-License-Identifier: MIT
// CallContext: the ServerContext of one call at a time; reset and reused.
#pragma once

#include "net/loop.h"
#include "server/method.h"

#include <trunkline/compressor.h>
#include <trunkline/server_context.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace trunkline::server {

class ServerConnection;

/// What all calls of a connection have in common. Does not change once calls are served.
struct ConnectionFacts {
  net::Loop* loop = nullptr;
  std::weak_ptr<ServerConnection> connection;
  std::string peer;
  std::string certificate_subject;
  const CompressorRegistry* compressors = nullptr;      ///< the server's
  std::vector<const Compressor*> accepted_compressors;  ///< those of them that the client has, too
  const Compressor* default_compressor = nullptr;       ///< ServerOptions::compressor, if the client has it
  bool answers_in_kind = true;                          ///< responses are compressed as the request was

  bool accepts(const Compressor& compressor) const noexcept;
};

class CallContext final : public ServerContext {
 public:
  explicit CallContext(const ConnectionFacts* facts = nullptr) noexcept : facts_(facts) {}

  /// What is passed must live until end(). Loop's thread.
  void begin(const Method& method, const Metadata& metadata, base::TimePoint deadline,
             const Compressor* request_compressor) noexcept {
    method_ = &method;
    metadata_ = &metadata;
    deadline_ = deadline;
    compressor_ = facts_->answers_in_kind ? request_compressor : facts_->default_compressor;
  }
  void set_facts(const ConnectionFacts& facts) noexcept { facts_ = &facts; }
  /// Forgets what the handler has set, for calls that cannot have been cancelled meanwhile.
  void end() noexcept {
    if (touched_) reset();
  }
  void reset() noexcept;
  /// Loop's thread: the call is over for its caller. Runs the handler's callback, during which the context may be
  /// reset, but not destroyed.
  void cancel();
  /// The handler has ended: its callback is not called any more, and does not run on another thread either.
  void drop_callback() noexcept;

  net::Loop& loop() const noexcept { return *facts_->loop; }
  const Compressor* compressor() const noexcept { return compressor_; }
  /// Null if the handler has added none.
  const Metadata* leading() const noexcept { return leading_.empty() ? nullptr : &leading_; }
  const Metadata* trailing() const noexcept { return trailing_.empty() ? nullptr : &trailing_; }
  Metadata& mutable_trailing() noexcept { return touched_ = true, trailing_; }
  Metadata take_leading() noexcept { return std::exchange(leading_, {}); }

  std::string_view method() const noexcept override { return method_->name; }
  std::string_view peer() const noexcept override { return facts_->peer; }
  std::string_view certificate_subject() const noexcept override { return facts_->certificate_subject; }
  const Metadata& metadata() const noexcept override { return *metadata_; }
  std::chrono::steady_clock::time_point deadline() const noexcept override { return deadline_; }
  std::chrono::nanoseconds time_left() const noexcept override;
  bool is_cancelled() const noexcept override { return cancelled_.load(std::memory_order_acquire); }
  void on_cancel(std::function<void()> callback) override;
  void add_leading_metadata(std::string_view name, std::string_view value) override;
  void add_trailing_metadata(std::string_view name, std::string_view value) override;
  bool set_compressor(std::string_view name) override;
  void disconnect() override;
  asio::any_io_executor executor() const noexcept override { return facts_->loop->context().get_executor(); }

 private:
  const ConnectionFacts* facts_;
  const Method* method_ = nullptr;
  const Metadata* metadata_ = nullptr;
  base::TimePoint deadline_ = base::never;
  const Compressor* compressor_ = nullptr;
  bool touched_ = false;
  std::atomic<bool> cancelled_{false};
  Metadata leading_;
  Metadata trailing_;
  void wait_for_callback(std::unique_lock<std::mutex>& lock);

  std::mutex cancel_mutex_;  // guards all below, and the order of on_cancel_ with cancelled_
  std::condition_variable callback_ended_;
  std::thread::id callback_thread_;  // where a callback runs
  std::function<void()> on_cancel_;
};

}  // namespace trunkline::server
