// SPDX-License-Identifier: MIT
// HostServer: a server whose handlers are Python's, run by workers or by an event loop.
#pragma once

#include "method_host.h"

#include <trunkline/server.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

namespace trunkline::python {

/// With the GIL; functions that wait release it meanwhile.
class HostServer {
 public:
  explicit HostServer(const py::dict& options);
  ~HostServer();
  HostServer(const HostServer&) = delete;
  HostServer& operator=(const HostServer&) = delete;

  struct MethodFacts {
    std::string request_type;
    std::string response_type;
    std::string response_codec;  ///< of answers to requests that have none
    bool idempotent = false;
    std::size_t max_concurrent_calls = 0;
  };
  void add(const std::string& name, MethodKind kind, const py::object& entry, bool needs_call,
           const MethodFacts& facts);
  bool remove(const std::string& name);
  /// The endpoint with the port the system chose. Raises RpcError.
  std::string listen(const std::string& uri);
  void start();
  /// With a thread of its own for the loop, as event loops need it; returns what to watch. `is_closed()`, of the event
  /// loop: nobody watches any more.
  int start_for_event_loop(const py::object& is_closed);
  /// For the operations of streams it serves.
  std::shared_ptr<Inbox> make_inbox(bool has_descriptor) const {
    return std::make_shared<Inbox>(pump_, has_descriptor);
  }

  /// Serves calls until stop(). Workers call this.
  void work();
  /// Sees to it that somebody looks after the loop, until stop(). One thread calls this, beside the workers.
  void keep();
  /// For an event loop: (call, entry, request, codec, seconds left or None); of a cancellation the entry is None. What
  /// there is no memory for is refused, which is its call's alone.
  py::list take_calls();
  void answer(const std::shared_ptr<ServedCall>& call);
  void flush();

  /// Lets what was accepted finish, up to `seconds`. RpcError (deadline_exceeded) says what was cut off.
  void drain(double seconds);
  /// At once. Workers leave work() when the handlers they run have ended.
  void stop();
  /// After stop(): gives everything back. False if handlers still run, then it is left as it is for good.
  bool destroy();

  /// Once it is destroyed: as they were then.
  py::dict stats() const;
  /// From now on statistics() tells of methods and the loop.
  void collect_statistics();
  /// As dict_of() says; once it is destroyed: as they were then.
  py::dict statistics() const;
  std::size_t running() const noexcept { return queue_->running(); }

 private:
  Server& server() const;
  static void serve(RequestQueue& queue, const std::shared_ptr<ServedCall>& call);
  static void run_entry(const ServedMethod& method, const std::shared_ptr<ServedCall>& call);

  std::shared_ptr<Pump> pump_;
  std::shared_ptr<RequestQueue> queue_;
  std::unique_ptr<Server> server_;
  bool stopped_ = false;
  ServerStats last_stats_;  // once there is no server any more, as is what follows
  ServerStatistics last_statistics_;
};

}  // namespace trunkline::python
