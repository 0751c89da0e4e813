// SPDX-License-Identifier: MIT
// CallContext: the ServerContext of one call at a time, which is reset and reused.
#pragma once

#include "base/clock.h"
#include "net/loop.h"
#include "server/connection_context.h"
#include "server/registered_method.h"
#include "session/event.h"
#include "session/user_agent.h"

#include <trunkline/compressor.h>
#include <trunkline/server_context.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>

namespace trunkline::server {

/// The context of a call. The handler uses it on whatever thread it runs, and the loop's thread does where a function
/// says so. The functions that have to do with cancellation are thread-safe.
class CallContext final : public ServerContext {
 public:
  explicit CallContext(const ConnectionContext* connection_context = nullptr) noexcept
      : connection_context_(connection_context) {}

  /// Begins the call of `event`, on the loop's thread. `method` and `metadata` must live until end() or reset(). Throws
  /// only for want of memory, if `method` is the fallback.
  void begin(const RegisteredMethod& method, const Metadata& metadata, const session::Event& event) {
    method_ = &method;
    if (method.name.empty()) [[unlikely]]
      called_name_ = event.method_name;
    call_id_ = event.id;
    metadata_ = &metadata;
    deadline_ = event.deadline;
    accepted_compressors_ = event.accepted_compressors;
    // Most calls of a context have the same one, and then nothing is counted.
    if (event.user_agent == nullptr) {
      user_agent_.reset();
    } else if (user_agent_ != *event.user_agent) {
      user_agent_ = *event.user_agent;
    }
    has_chosen_compressor_ = false;
    const Compressor* compressor = nullptr;
    if (connection_context_->compresses_as_request) {
      compressor = event.compressor_of_request();
    } else if (accepted_compressors_.contains(connection_context_->default_compressor_position)) {
      compressor = connection_context_->default_compressor;
    }
    usual_compressor_.store(compressor, std::memory_order_relaxed);
  }
  /// The first message of the call has come behind its headers, which have named no compressor. The handler may run on
  /// another thread meanwhile.
  void take_first_message(const session::Event& event) noexcept {
    if (connection_context_->compresses_as_request && event.compressor != nullptr)
      usual_compressor_.store(event.compressor, std::memory_order_relaxed);
  }
  void set_connection_context(const ConnectionContext& connection_context) noexcept {
    connection_context_ = &connection_context;
  }
  /// Forgets what the handler has set, for a call that cannot have been cancelled. Only the loop's thread calls it.
  void end() noexcept {
    if (touched_) reset();
  }
  /// Forgets what the handler has set, for any call.
  void reset() noexcept;
  /// Marks the call as cancelled and runs the handler's callback, which may throw. Only the loop's thread calls it. The
  /// context must not be destroyed meanwhile.
  void cancel();
  /// Runs the handler's callback for the drain, which may throw. Only the loop's thread calls it.
  void tell_drain();
  /// Removes the handler's callbacks when the handler has ended. Waits for a callback that runs on another thread.
  void drop_callback() noexcept;

  const session::UserAgent& shared_user_agent() const noexcept { return user_agent_; }
  net::Loop& loop() const noexcept { return *connection_context_->loop; }
  /// Returns the compressor of the response; null if there is none.
  const Compressor* compressor() const noexcept {
    return has_chosen_compressor_ ? chosen_compressor_ : usual_compressor_.load(std::memory_order_relaxed);
  }
  /// Return the metadata that the handler has added; null if it has added none.
  const Metadata* leading() const noexcept { return leading_.empty() ? nullptr : &leading_; }
  const Metadata* trailing() const noexcept { return trailing_.empty() ? nullptr : &trailing_; }
  Metadata& mutable_trailing() noexcept { return touched_ = true, trailing_; }
  bool is_shed() const noexcept { return is_shed_; }
  Metadata take_leading() noexcept { return std::exchange(leading_, {}); }

  std::string_view method() const noexcept override { return method_->name.empty() ? called_name_ : method_->name; }
  std::string_view peer() const noexcept override { return connection_context_->peer; }
  std::string_view certificate_subject() const noexcept override { return certificate().subject; }
  std::span<const std::string> certificate_names() const noexcept override { return certificate().names; }
  std::string_view certificate_pem() const noexcept override { return certificate().pem; }
  std::string_view user_agent() const noexcept override {
    return user_agent_ == nullptr ? std::string_view() : std::string_view(*user_agent_);
  }
  const Metadata& metadata() const noexcept override { return *metadata_; }
  std::chrono::steady_clock::time_point deadline() const noexcept override { return deadline_; }
  std::chrono::nanoseconds time_left() const noexcept override;
  bool is_cancelled() const noexcept override { return cancelled_.load(std::memory_order_acquire); }
  void on_cancel(std::function<void()> callback) override;
  bool is_draining() const noexcept override {
    return connection_context_->is_draining.load(std::memory_order_acquire);
  }
  void on_drain(std::function<void()> callback) override;
  unsigned priority() const noexcept override;
  Status shed(std::string_view why) override;
  void add_leading_metadata(std::string_view name, std::string_view value) override;
  void send_leading_metadata() override;
  void add_trailing_metadata(std::string_view name, std::string_view value) override;
  bool set_compressor(std::string_view name) override;
  void disconnect() override;
  asio::any_io_executor executor() const noexcept override {
    return connection_context_->loop->context().get_executor();
  }

 private:
  class CallbackScope;

  const net::PeerCertificate& certificate() const noexcept {
    return net::PeerCertificate::of(connection_context_->certificate);
  }
  void wait_for_callback(std::unique_lock<std::mutex>& lock);
  void set_callback(std::function<void()>& kept, const std::atomic<bool>& is_due, std::function<void()> callback);
  void run_callback(std::function<void()> taken);

  const ConnectionContext* connection_context_;
  const RegisteredMethod* method_ = nullptr;
  /// The name that was called, if method_ serves every name that is not registered.
  std::string called_name_;
  session::CallId call_id_ = 0;
  const Metadata* metadata_ = nullptr;
  session::UserAgent user_agent_;
  base::TimePoint deadline_ = base::never;
  /// The compressor that follows from the request or the server's options, unless the handler has chosen one.
  std::atomic<const Compressor*> usual_compressor_{nullptr};
  const Compressor* chosen_compressor_ = nullptr;
  bool has_chosen_compressor_ = false;
  session::CompressorSet accepted_compressors_;
  /// True if the handler has set something that end() must reset.
  bool touched_ = false;
  bool has_sent_leading_ = false;
  bool is_shed_ = false;
  /// True once the call is cancelled. It is written with cancel_mutex_ held.
  std::atomic<bool> cancelled_{false};
  Metadata leading_;
  Metadata trailing_;

  /// Guards the members below.
  std::mutex cancel_mutex_;
  std::condition_variable callback_ended_;
  /// The thread that runs a callback; none if no callback runs.
  std::thread::id callback_thread_;
  std::function<void()> on_cancel_;
  std::function<void()> on_drain_;
};

}  // namespace trunkline::server
