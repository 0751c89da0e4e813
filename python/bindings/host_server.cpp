// SPDX-License-Identifier: MIT
// HostServer: the life cycle of a server, and its workers.
#include "host_server.h"

#include "call/inherited_deadline.h"
#include "log_output.h"
#include "option_values.h"
#include "settings.h"
#include "statistics_values.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

namespace trunkline::python {

namespace {

using Clock = std::chrono::steady_clock;

/// Takes the exception that Python has set.
py::object take_exception() {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  return py::reinterpret_steal<py::object>(value);
}

/// Returns the str for a name of codec_name(), whose address is constant. It is cached, as there are few names.
py::object codec_text(const char* codec) {
  // The list is never destroyed, as the interpreter may have ended by then. The GIL guards it.
  static auto* const known = new std::vector<std::pair<const char*, PyObject*>>;
  for (const auto& [name, text] : *known) {
    if (name == codec) return py::reinterpret_borrow<py::object>(text);
  }
  auto text = py::reinterpret_steal<py::object>(PyUnicode_InternFromString(codec));
  if (!text) throw py::error_already_set();
  known->emplace_back(codec, text.ptr());
  text.inc_ref();
  return text;
}

/// A shutdown that is delivered to an inbox.
class Drain final : public Completion {
 public:
  using Completion::Completion;

  void end_with(Status status) {
    status_ = std::move(status);
    end();
  }
  py::object outcome() override { return status_.is_ok() ? py::none() : make_failure(status_, {}, {}, {}); }
  /// The shutdown goes on.
  void cancel() override {}

 private:
  Status status_;
};

/// Returns how the calls that wait for a worker or an event loop are ordered.
call::JobQueue::Options order_of(const OverloadOptions& overload) {
  const std::size_t levels = overload.priority_metadata.empty() ? 1 : overload.priorities.size();
  return {.levels = static_cast<unsigned>(std::min<std::size_t>(levels, call::JobQueue::max_levels)),
          .target = overload.queue_target,
          .interval = overload.queue_interval};
}

}  // namespace

ServerOptions HostServer::logging_options_of(const py::dict& options) {
  ServerOptions result = server_options_of(options);
  result.log = log_to_python("trunkline.server");
  return result;
}

HostServer::HostServer(const py::dict& options, ServerOptions settings)
    : pump_(Pump::make(busy_poll_of("Server", options))),
      queue_(RequestQueue::make(pump_, order_of(settings.overload))),
      server_(std::make_unique<Server>(pump_->event_loop(), std::move(settings))),
      exposes_exception_text_(options.contains("expose_exception_text") &&
                              flag_of("expose_exception_text", options["expose_exception_text"])) {}

HostServer::~HostServer() {
  if (server_ == nullptr) return;
  if (!pump_->fork_guard().is_here()) {
    static_cast<void>(server_.release());
    return;
  }
  if (pump_->net_loop().is_current()) {
    // The garbage collector destroys the server, within a compressor.
    queue_->close();
    Pump::run_alone_later(pump_, [pump = pump_, queue = queue_, left = server_.release()] {
      left->stop();
      pump->net_loop().poll();
      queue->unwatch();
      if (queue->running() == 0) return std::unique_ptr<Server>(left).reset();
      static_cast<void>(new std::shared_ptr<Pump>(pump));  // never destroyed, as in destroy()
    });
    return;
  }
  stop();
  static_cast<void>(destroy());
}

Server& HostServer::server() const {
  pump_->fork_guard().require("server");
  if (server_ != nullptr && !stopped_) return *server_;
  throw_failure({StatusCode::failed_precondition, "use server: it has been stopped"});
}

void HostServer::add(const std::string& name, MethodKind kind, const py::object& entry, bool needs_call,
                     const MethodFacts& facts) {
  auto method = std::make_shared<const ServedMethod>(name, kind, entry, needs_call, codec_name(facts.response_codec),
                                                     exposes_exception_text_, facts.is_built_in);
  MethodShape shape{.kind = kind,
                    .execution = Execution::coroutine,
                    .request = &MessageTraits<Payload>::type(),
                    .response = &method->response_type(),
                    .request_name = facts.request_type,
                    .response_name = facts.response_type};
  auto host = std::make_unique<MethodHost>(std::move(shape), std::move(method), pump_, queue_);
  const MethodOptions options{.max_concurrent_calls = facts.max_concurrent_calls,
                              .blocking = false,
                              .idempotent = facts.idempotent,
                              .no_side_effects = facts.no_side_effects,
                              .is_private = facts.is_private};
  if (name.empty()) return server().add_fallback(std::move(host), options);
  if (facts.is_route) {
    const std::size_t space = std::min(name.find(' '), name.size());
    const std::string_view path = std::string_view(name).substr(std::min(space + 1, name.size()));
    return server().add_route(std::string_view(name).substr(0, space), path, std::move(host), options);
  }
  server().add(name, std::move(host), options);
}

bool HostServer::remove(const std::string& name) { return server().remove(name); }

std::string HostServer::listen(const std::string& uri, bool is_private) {
  Server& host = server();
  Result<Endpoint> endpoint = Status();
  {
    const ReleasedGil released;
    pump_->run_alone([&] { endpoint = is_private ? host.try_listen_private(uri) : host.try_listen(uri); });
  }
  if (!endpoint.is_ok()) throw_failure(endpoint.status());
  return endpoint->to_string();
}

void HostServer::announce(const std::string& uri, const py::dict& options) {
  struct Announced {
    Waitable done;
    std::exception_ptr failure;
  };
  Server& host = server();
  const auto announced = std::make_shared<Announced>();
  // This runs on the loop, since the server of an event loop has a thread for it, which makes way for nobody.
  pump_->net_loop().post([pump = pump_, announced, &host, uri, chosen = announce_options_of(options)] {
    try {
      host.announce(uri, chosen);
    } catch (...) {
      announced->failure = std::current_exception();
    }
    pump->set(announced->done);
  });
  {
    const ReleasedGil released;
    static_cast<void>(pump_->wait(announced->done, base::never));
  }
  if (announced->failure == nullptr) return;
  try {
    std::rethrow_exception(announced->failure);
  } catch (const StatusError& error) {
    throw_failure(error.status());
  }
}

void HostServer::start() {
  Server& host = server();
  Status status;
  {
    const ReleasedGil released;
    pump_->run_alone([&] { status = host.start(); });
  }
  if (!status.is_ok()) throw_failure(status);
}

int HostServer::start_for_event_loop(const py::object& is_closed) {
  const int descriptor = queue_->open_descriptor(is_closed);
  start();
  Status status;
  {
    const ReleasedGil released;
    status = pump_->start_thread();
  }
  if (!status.is_ok()) throw_failure(status);
  return descriptor;
}

void HostServer::work(bool is_reserve) {
  pump_->fork_guard().require("server");
  // The queue is kept alive in case another thread destroys the server.
  const std::shared_ptr<RequestQueue> queue = queue_;
  const std::shared_ptr<Pump> pump = pump_;
  const RequestQueue::Kind kind = kind_of(is_reserve);
  Worker worker(queue->lane(kind), queue->lending_pump(), [&queue, kind] { queue->fill_place(kind); });
  const auto next = is_reserve ? &RequestQueue::next_built_in : &RequestQueue::next;
  std::shared_ptr<ServedCall> call;
  while ((call = ((*queue).*next)(std::move(call))) != nullptr) {
    serve(*queue, worker, call);
    if (!pump->fork_guard().is_here()) {
      // Its handler has forked: the call and its coroutine belong to the parent.
      static_cast<void>(new std::shared_ptr<ServedCall>(call));
      pump->fork_guard().require("server");
    }
  }
}

py::object HostServer::keep() {
  pump_->fork_guard().require("server");
  const std::shared_ptr<RequestQueue> queue = queue_;
  std::optional<RequestQueue::Kind> wanted;
  {
    const ReleasedGil released;
    wanted = queue->keep();
  }
  if (!wanted) return py::none();
  return py::bool_(*wanted == RequestQueue::Kind::reserve);
}

void HostServer::serve(RequestQueue& queue, Worker& worker, const std::shared_ptr<ServedCall>& call) {
  const ServedMethod& method = call->served_method();
  if (method.is_slow() || method.kind() != MethodKind::unary) {
    queue.flush();
    queue.call_stand_by();
  }
  const Clock::time_point begin = Clock::now();
  {
    const call::InheritedDeadline::Scope scope(call->deadline());
    std::optional<Worker::Wait> waiting;
    if (method.is_built_in() && method.kind() != MethodKind::unary) waiting.emplace(worker);
    run_entry(method, call);
  }
  if (method.kind() == MethodKind::unary) method.took(Clock::now() - begin);
}

void HostServer::run_entry(const ServedMethod& method, const std::shared_ptr<ServedCall>& call) {
  Metadata trailing;
  try {
    const py::object self = method.needs_call() ? py::cast(call) : py::none();
    if (method.kind() != MethodKind::unary) {
      PyObject* const arguments[] = {nullptr, self.ptr()};
      const py::object done = py::reinterpret_steal<py::object>(
          PyObject_Vectorcall(method.entry(), arguments + 1, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
      if (!done) throw py::error_already_set();
      if (!call->is_deferred()) static_cast<void>(call->set_ok());
      return;
    }
    const py::object request = received(call->request, call->codec());
    call->request = {};
    const py::object codec = codec_text(call->codec());
    PyObject* const arguments[] = {nullptr, request.ptr(), codec.ptr(), self.ptr()};
    const py::object response = py::reinterpret_steal<py::object>(
        PyObject_Vectorcall(method.entry(), arguments + 1, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
    if (!response) throw py::error_already_set();
    if (!call->is_deferred()) static_cast<void>(call->set_response(response));
  } catch (py::error_already_set& error) {
    call->end_deferral();
    error.restore();
    const Status status =
        status_of_exception(take_exception(), method.name(), method.exposes_exception_text(), trailing);
    static_cast<void>(call->set_status(status, trailing));
  } catch (const std::exception& error) {
    // Other exceptions pass, as the interpreter unwinds its threads by one when it ends.
    static_cast<void>(call->set_status(
        {StatusCode::internal, "handler of " + std::string(method.name()) + ": " + error.what()}, trailing));
  }
}

py::list HostServer::take_calls() {
  py::list result;
  if (!pump_->fork_guard().is_here()) return result;
  bool has_refused = false;
  for (const RequestQueue::Item& item : queue_->take_some()) {
    const std::shared_ptr<ServedCall>& call = item.call;
    try {
      if (item.is_cancellation) {
        result.append(py::make_tuple(call, py::none(), py::none(), py::none(), py::none()));
        continue;
      }
      const py::object request = call->is_stream() ? py::none() : received(call->request, call->codec());
      result.append(py::make_tuple(call, py::handle(call->served_method().entry()), request, codec_text(call->codec()),
                                   call->time_left()));
      call->request = {};
    } catch (const std::exception& error) {
      // The other calls are served. A call whose cancellation cannot be reported ends by itself.
      if (item.is_cancellation) continue;
      static_cast<void>(call->set_status(
          {StatusCode::resource_exhausted, "request of " + call->served_method().name() + ": " + error.what()}, {}));
      queue_->finish(call);
      has_refused = true;
    }
  }
  if (has_refused) queue_->flush();
  return result;
}

void HostServer::finish(const std::shared_ptr<ServedCall>& call) {
  if (pump_->fork_guard().is_here()) queue_->finish(call);
}

void HostServer::flush() {
  if (pump_->fork_guard().is_here()) queue_->flush();
}

void HostServer::shutdown(double seconds) {
  const auto timeout = duration_of("timeout", py::float_(seconds));
  // A forked child does not end the parent's server.
  if (stopped_ || server_ == nullptr || !pump_->fork_guard().is_here()) return;
  Server& host = server();
  struct Drained {
    Waitable done;
    Status status;
  };
  const auto drained = std::make_shared<Drained>();
  host.async_shutdown(timeout, [pump = pump_, drained](Status status) {
    drained->status = std::move(status);
    pump->set(drained->done);
  });
  const Clock::duration longest = longest_wait();
  while (!drained->done.is_set()) {
    {
      const ReleasedGil released;
      if (pump_->wait(drained->done, Clock::now() + longest)) break;
    }
    if (has_interrupt()) throw py::error_already_set();
    pump_->fork_guard().require("server");  // a signal handler may have forked
  }
  if (!drained->status.is_ok()) throw_failure(drained->status);
}

void HostServer::begin_shutdown(double seconds, const std::shared_ptr<Inbox>& inbox, const py::handle& tag) {
  const auto timeout = duration_of("timeout", py::float_(seconds));
  const auto drain = std::make_shared<Drain>(pump_);
  drain->deliver_to(inbox, tag);
  if (stopped_ || server_ == nullptr || !pump_->fork_guard().is_here()) return drain->end_with({});
  server().async_shutdown(timeout, [drain](Status status) { drain->end_with(std::move(status)); });
}

void HostServer::stop() {
  if (std::exchange(stopped_, true) || server_ == nullptr || !pump_->fork_guard().is_here()) return;
  if (pump_->net_loop().is_current()) {
    // The garbage collector destroys what stops the server, within a compressor.
    pump_->net_loop().post([self = shared_from_this()] {
      if (self->server_ != nullptr) self->server_->stop();
      self->queue_->unwatch();
    });
    queue_->close();
    return;
  }
  {
    // Another thread may destroy the server, which it finds stopped. It waits for this use.
    Server& host = *server_;
    const UseCount::Use use(uses_);
    pump_->stop_thread();
    pump_->run_alone([&] {
      host.stop();
      pump_->net_loop().poll();
      queue_->unwatch();
    });
  }
  queue_->close();
}

bool HostServer::destroy() {
  if (server_ == nullptr || !pump_->fork_guard().is_here()) return true;
  {
    const ReleasedGil released;
    uses_.wait_for_none();  // such as stop() on another thread
  }
  if (queue_->running() > 0) {
    queue_->flush();
    const ReleasedGil released;
    pump_->run_alone([this] { pump_->net_loop().poll(); });
  }
  if (server_ == nullptr) return true;  // another thread has destroyed it
  last_totals_ = server_->totals();
  last_statistics_ = server_->statistics();
  if (queue_->running() > 0) {
    // The coroutines of running handlers refer to the server and the loop, and a thread may still run the loop.
    static_cast<void>(server_.release());
    static_cast<void>(new std::shared_ptr<Pump>(pump_));
    return false;
  }
  std::unique_ptr<Server> ending = std::move(server_);
  {
    const ReleasedGil released;
    uses_.wait_for_none();
    pump_->run_alone([&] { ending.reset(); });
  }
  drop_left_references();  // handlers
  return true;
}

void HostServer::collect_statistics() { server().collect_statistics(); }

py::dict HostServer::statistics() const {
  if (server_ == nullptr) return dict_of(last_statistics_);
  pump_->fork_guard().require("server");
  const Server& host = *server_;
  ServerStatistics statistics;
  {
    const UseCount::Use use(uses_);
    statistics = host.statistics();
  }
  return dict_of(statistics);
}

py::dict HostServer::totals() const {
  py::dict result;
  result["python_calls"] = queue_->calls();
  result["python_batches"] = queue_->batches();
  const ServerTotals totals = server_ != nullptr ? server_->totals() : last_totals_;
  result["connections"] = totals.connections;
  result["open_calls"] = totals.open_calls;
  result["connections_accepted"] = totals.connections_accepted;
  result["connections_refused"] = totals.connections_refused;
  result["calls_started"] = totals.calls_started;
  result["calls_ok"] = totals.calls_ok;
  result["calls_failed"] = totals.calls_failed;
  result["calls_cancelled"] = totals.calls_cancelled;
  result["calls_refused"] = totals.calls_refused;
  result["memory_used_bytes"] = totals.memory_used_bytes;
  result["memory_max_bytes"] = totals.memory_max_bytes;
  result["calls_shed"] = totals.calls_shed;
  result["adaptive_limit"] = totals.adaptive_limit;
  return result;
}

}  // namespace trunkline::python
