// SPDX-License-Identifier: MIT
// ServedCall: one call that a server hands to Python, from its arrival to its end.
#pragma once

#include "stream_operation.h"

#include "call/job_queue.h"

#include <trunkline/detail/stream_completion.h>
#include <trunkline/server_context.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace trunkline::python {

class ServedMethod;

/// Resumes the coroutine that represents the call in the core. Called once, on the loop's thread.
class Resumption {
 public:
  virtual ~Resumption() = default;
  virtual void resume() = 0;
};

/// A completion that ends when the client has cancelled the call. If the call ends otherwise, it is dropped.
class CancellationNotice final : public Completion {
 public:
  using Completion::Completion;
  py::object outcome() override { return py::none(); }
  void cancel() override {}
  using Completion::end;
};

/// A call that the loop's thread makes. Until it has finished it is used with the GIL, and then by the loop again.
class ServedCall final : public call::Job, public std::enable_shared_from_this<ServedCall> {
 public:
  ServedCall(std::shared_ptr<Pump> pump, std::shared_ptr<const ServedMethod> method, ServerContext& context);
  ServedCall(const ServedCall&) = delete;
  ServedCall& operator=(const ServedCall&) = delete;

  // --- for Python; RpcError (failed_precondition) once the call has finished ---

  std::string_view method() const { return context().method(); }
  std::string_view peer() const { return context().peer(); }
  std::string_view certificate_subject() const { return context().certificate_subject(); }
  std::vector<std::string> certificate_names() const;
  std::string_view certificate_pem() const { return context().certificate_pem(); }
  /// Returns a text in which bytes that are no UTF-8 are replaced.
  py::str user_agent() const;
  py::list metadata() const;
  /// Returns the seconds until the deadline; None without one.
  py::object time_left() const;
  bool is_cancelled() const { return is_finished_ || context().is_cancelled(); }
  bool is_draining() const { return !is_finished_ && context().is_draining(); }
  void add_leading_metadata(std::string_view name, const py::handle& value);
  void add_trailing_metadata(std::string_view name, const py::handle& value);
  bool set_compressor(std::string_view name) { return context().set_compressor(name); }
  /// Sends the leading metadata at once.
  void send_leading_metadata();
  /// Has `inbox` get `tag` once the client has cancelled the call, or its deadline has passed; at once if that is so
  /// already. There is one notice at a time: a later one takes its place.
  void notify_cancelled(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  void disconnect() { context().disconnect(); }
  /// Returns the codec of the request, or of the message that was read last. Before, it returns that of the responses
  /// if the protocol names one when a call begins, or else an empty text.
  const char* codec() const noexcept { return codec_.load(std::memory_order_relaxed); }
  std::chrono::steady_clock::time_point deadline() const { return context().deadline(); }

  std::shared_ptr<StreamOperation> begin_read(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  /// Writes a message. `codec` is that of the response if the caller has sent no message, and so has not chosen one.
  std::shared_ptr<StreamOperation> begin_write(const py::handle& message, std::string_view codec,
                                               const std::shared_ptr<Inbox>& inbox, const py::handle& tag);

  // --- the answer; the first one counts ---

  /// Sets the response. Returns false if the call has one already.
  bool set_response(const py::handle& message);
  bool set_status(Status status, const Metadata& trailing);
  bool set_ok();
  /// Leaves the call open when its entry returns: whoever ends it sets the answer and hands the call in. An entry that
  /// raises ends its call nevertheless.
  void defer() noexcept { is_deferred_ = true; }
  void end_deferral() noexcept { is_deferred_ = false; }
  bool is_deferred() const noexcept { return is_deferred_; }
  /// Ends the call without running it, since the server stops.
  void refuse() { static_cast<void>(set_status({StatusCode::unavailable, "the server is stopping"}, {})); }
  /// Ends the call unrun, as it has waited for too long. As long as nobody has taken it, no GIL is needed.
  void shed();
  /// Ends the call unrun, as `limit` streams run already. As long as nobody has taken it, no GIL is needed.
  void refuse_stream(int limit);
  /// Ends the call without running it, as the client has cancelled it. Nobody gets the status.
  void withdraw() { static_cast<void>(set_status({StatusCode::cancelled, "cancelled before it was run"}, {})); }

  // --- on the loop's thread ---

  /// Tells Python that the call has been cancelled.
  void deliver_notice();
  void open_stream(call::ServerStreamCore& core);
  bool is_stream() const noexcept { return port_ != nullptr; }
  /// Returns the status and sets the response; moves the metadata to the context, which is not used afterwards.
  Status take_outcome(Slice* response);

  void set_request(Payload payload) noexcept {
    if (!payload.codec.empty()) codec_.store(payload.codec.data(), std::memory_order_relaxed);
    request = std::move(payload.bytes);
  }

  Slice request;
  std::unique_ptr<Resumption> resumption;
  /// The RequestQueue sets this member and the next two.
  bool is_handed_in = false;
  /// True if the call counts as a running stream.
  bool counts_as_stream = false;
  /// The call itself, which keeps it alive while it waits to be taken.
  std::shared_ptr<ServedCall> self_in_queue;
  const ServedMethod& served_method() const noexcept { return *method_; }
  const std::shared_ptr<Pump>& pump() const noexcept { return pump_; }

 private:
  ServerContext& context() const;
  bool begin_finish();
  std::shared_ptr<StreamOperation> operation(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);

  std::shared_ptr<Pump> pump_;
  std::shared_ptr<const ServedMethod> method_;
  ServerContext* context_;
  detail::StreamPort* port_ = nullptr;
  std::atomic<const char*> codec_{""};
  bool is_finished_ = false;
  bool is_deferred_ = false;
  Metadata trailing_;
  Slice response_;
  Status outcome_;
  /// Guards notice_.
  std::mutex notice_mutex_;
  std::shared_ptr<CancellationNotice> notice_;
};

}  // namespace trunkline::python
