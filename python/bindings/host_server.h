// SPDX-License-Identifier: MIT
// HostServer: a server with handlers in Python, which workers or an event loop run.
#pragma once

#include "method_host.h"
#include "use_count.h"
#include "worker.h"

#include <trunkline/server.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

namespace trunkline::python {

/// A server that is used with the GIL. Functions that wait release it.
class HostServer : public std::enable_shared_from_this<HostServer> {
 public:
  explicit HostServer(const py::dict& options) : HostServer(options, logging_options_of(options)) {}
  ~HostServer();
  HostServer(const HostServer&) = delete;
  HostServer& operator=(const HostServer&) = delete;

  struct MethodFacts {
    std::string request_type;
    std::string response_type;
    /// The codec of responses to requests that have none.
    std::string response_codec;
    bool idempotent = false;
    std::size_t max_concurrent_calls = 0;
    /// True if the name is the method of HTTP, a space and the path.
    bool is_route = false;
    bool no_side_effects = false;
    bool is_private = false;
    bool is_built_in = false;
  };
  /// Adds a method. With an empty name it is the fallback, for all names that are not registered.
  void add(const std::string& name, MethodKind kind, const py::object& entry, bool needs_call,
           const MethodFacts& facts);
  bool remove(const std::string& name);
  /// Returns the endpoint with the port that the system chose. Raises RpcError.
  std::string listen(const std::string& uri, bool is_private);
  /// Announces the server. Raises RpcError for the URI and the endpoints, ValueError for an option out of its range.
  void announce(const std::string& uri, const py::dict& options);
  void start();
  /// Starts a thread for the loop, as event loops need it, and returns the descriptor to watch. `is_closed()` says
  /// whether the event loop is closed, so that nothing watches the descriptor any more.
  int start_for_event_loop(const py::object& is_closed);
  /// Makes an inbox for the operations of streams that the server serves.
  std::shared_ptr<Inbox> make_inbox(bool has_descriptor) const {
    return std::make_shared<Inbox>(pump_, has_descriptor);
  }

  /// Prepares for workers, before they start: see RequestQueue::open_lanes().
  void open_lanes(int threads, int max_stream_threads) { queue_->open_lanes(threads, max_stream_threads); }
  /// Runs a worker, which serves calls until stop(), or until it has been spare for a while. If `is_reserve` is set, it
  /// serves built-in methods alone.
  void work(bool is_reserve);
  /// Runs the keeper, which makes sure that a thread runs the loop, until stop(), and then returns None. One thread
  /// beside the workers calls it. Before that, it returns each time that another worker is to be started, with
  /// `is_reserve` of its work(), and has to be called again.
  py::object keep();
  /// Reports that the worker for which keep() has asked cannot be started.
  void report_refused(bool is_reserve) { queue_->report_refused(kind_of(is_reserve)); }
  /// Takes calls for an event loop: a list of (call, entry, request, codec, seconds left or None). The entry is None
  /// for a cancellation. A call for which memory is short is refused; the others are not affected.
  py::list take_calls();
  void finish(const std::shared_ptr<ServedCall>& call);
  void flush();

  /// Waits up to `seconds` for the accepted calls. RpcError (deadline_exceeded) reports the calls that were cut off.
  void shutdown(double seconds);
  /// Does the same without blocking: the outcome, None or the error, is delivered to `inbox` with `tag`.
  void begin_shutdown(double seconds, const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  /// Stops at once. Workers return from work() when the handlers that they run have ended. A destructor may call it,
  /// even on the loop's thread; then it is the loop that stops the server.
  void stop();
  /// Releases everything, after stop(). Returns false if handlers still run; the server is then never destroyed.
  bool destroy();

  /// Returns the totals. After destroy() they are those of that moment.
  py::dict totals() const;
  /// Has statistics() include methods and the loop from now on.
  void collect_statistics();
  /// Returns the statistics, as dict_of() says. After destroy() they are those of that moment.
  py::dict statistics() const;
  std::size_t running() const noexcept { return queue_->running(); }

 private:
  static ServerOptions logging_options_of(const py::dict& options);
  HostServer(const py::dict& options, ServerOptions settings);
  Server& server() const;
  static RequestQueue::Kind kind_of(bool is_reserve) noexcept {
    return is_reserve ? RequestQueue::Kind::reserve : RequestQueue::Kind::general;
  }
  static void serve(RequestQueue& queue, Worker& worker, const std::shared_ptr<ServedCall>& call);
  static void run_entry(const ServedMethod& method, const std::shared_ptr<ServedCall>& call);

  std::shared_ptr<Pump> pump_;
  std::shared_ptr<RequestQueue> queue_;
  std::unique_ptr<Server> server_;
  mutable UseCount uses_;
  bool exposes_exception_text_;
  bool stopped_ = false;
  /// The values that totals() and statistics() return after destroy().
  ServerTotals last_totals_;
  ServerStatistics last_statistics_;
};

}  // namespace trunkline::python
