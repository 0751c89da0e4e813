// SPDX-License-Identifier: MIT
// HostServer: a server with handlers in Python, which workers or an event loop run.
#pragma once

#include "method_host.h"

#include <trunkline/server.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

namespace trunkline::python {

/// Used with the GIL. Functions that wait release it.
class HostServer {
 public:
  explicit HostServer(const py::dict& options);
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
  };
  void add(const std::string& name, MethodKind kind, const py::object& entry, bool needs_call,
           const MethodFacts& facts);
  bool remove(const std::string& name);
  /// Returns the endpoint with the port that the system chose. Raises RpcError.
  std::string listen(const std::string& uri);
  void start();
  /// Starts a thread for the loop, as event loops need it. Returns the descriptor to watch. `is_closed()`: whether the
  /// event loop is closed, so that nothing watches the descriptor any more.
  int start_for_event_loop(const py::object& is_closed);
  /// For the operations of streams that the server serves.
  std::shared_ptr<Inbox> make_inbox(bool has_descriptor) const {
    return std::make_shared<Inbox>(pump_, has_descriptor);
  }

  /// Runs a worker: serves calls until stop().
  void work();
  /// Runs the keeper, which makes sure that a thread runs the loop, until stop(). For one thread beside the workers.
  void keep();
  /// For an event loop: a list of (call, entry, request, codec, seconds left or None). The entry is None for a
  /// cancellation. A call for which memory is short is refused; the others are not affected.
  py::list take_calls();
  void finish(const std::shared_ptr<ServedCall>& call);
  void flush();

  /// Waits up to `seconds` for the accepted calls. RpcError (deadline_exceeded) reports the calls that were cut off.
  void shutdown(double seconds);
  /// Stops at once. Workers return from work() when the handlers that they run have ended.
  void stop();
  /// Releases everything, after stop(). False if handlers still run; the server is then never destroyed.
  bool destroy();

  /// The totals; after destroy(), as they were then.
  py::dict totals() const;
  /// From now on statistics() includes methods and the loop.
  void collect_statistics();
  /// See dict_of(). After destroy(), as they were then.
  py::dict statistics() const;
  std::size_t running() const noexcept { return queue_->running(); }

 private:
  Server& server() const;
  static void serve(RequestQueue& queue, const std::shared_ptr<ServedCall>& call);
  static void run_entry(const ServedMethod& method, const std::shared_ptr<ServedCall>& call);

  std::shared_ptr<Pump> pump_;
  std::shared_ptr<RequestQueue> queue_;
  std::unique_ptr<Server> server_;
  bool exposes_exception_text_;
  bool stopped_ = false;
  /// What totals() and statistics() return after destroy().
  ServerTotals last_totals_;
  ServerStatistics last_statistics_;
};

}  // namespace trunkline::python
