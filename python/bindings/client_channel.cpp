// SPDX-License-Identifier: MIT
// ClientChannel: makes calls, waits and closes.
#include "client_channel.h"

#include "log_output.h"
#include "option_values.h"

#include <pybind11/stl.h>

#include <algorithm>
#include <future>
#include <system_error>
#include <utility>

namespace trunkline::python {

namespace {

constexpr std::size_t most_methods_remembered = 4096;

std::unique_ptr<Channel> make_channel(EventLoop& loop, const std::string& uri, ChannelOptions options) try {
  return std::make_unique<Channel>(loop, uri, std::move(options));
} catch (const StatusError& error) {
  throw_failure(error.status());
}

}  // namespace

ClientChannel::ClientChannel(const std::string& uri, const py::dict& options)
    : pump_(Pump::make(busy_poll_of("Channel", options))),
      channel_(make_channel(pump_->event_loop(), uri, complete(channel_options_of(options)))) {}

ClientChannel::~ClientChannel() {
  if (channel_ == nullptr) return;
  *closed_ = true;
  // The copy in a forked child is never destroyed: its locks and threads exist in the parent only.
  if (!pump_->fork_guard().is_here()) {
    static_cast<void>(channel_.release());
    return;
  }
  if (pump_->net_loop().is_current()) {
    // The garbage collector destroys the channel, within a compressor.
    Pump::run_alone_later(pump_, [left = channel_.release(), watches = state_watches_] {
      std::unique_ptr<Channel>(left).reset();
      watches->clear();
    });
    return;
  }
  {
    const ReleasedGil released;
    destroy();
  }
  state_watches_->clear();
  drop_left_references();  // compressors
}

/// Ends the pump's thread and destroys the channel. Must be called without the GIL.
void ClientChannel::destroy() {
  pump_->stop_thread();
  pump_->run_alone([this] { channel_.reset(); });
}

/// Adds the callbacks by which Python follows the channel's states.
ChannelOptions ClientChannel::complete(ChannelOptions options) {
  options.on_state_change = [watches = state_watches_](ChannelState state) { watches->notify(state); };
  options.log = log_to_python("trunkline");
  return options;
}

Channel& ClientChannel::channel() const {
  pump_->fork_guard().require("channel");
  if (!*closed_) return *channel_;
  Status status(StatusCode::failed_precondition, "use channel: it is closed");
  status.set_may_have_run(false);
  throw_failure(status);
}

Method ClientChannel::method(std::string_view name) {
  Channel& through = channel();
  const auto found = methods_.find(name);
  if (found != methods_.end()) return found->second;
  if (methods_.size() >= most_methods_remembered) methods_.clear();
  const Method made = through.method(name);
  methods_.emplace(name, made);
  return made;
}

std::shared_ptr<Inbox> ClientChannel::make_inbox(bool has_descriptor) const {
  static_cast<void>(channel());
  return std::make_shared<Inbox>(pump_, has_descriptor);
}

void ClientChannel::start_thread() {
  static_cast<void>(channel());
  Status status;
  {
    const ReleasedGil released;
    status = pump_->start_thread();
  }
  if (!status.is_ok()) throw_failure(status);
}

std::shared_ptr<ClientCall> ClientChannel::begin(const Method& method, const py::handle& request,
                                                 std::string_view codec, const CallSettings* settings, Expects expects,
                                                 const std::shared_ptr<Inbox>& inbox, const py::handle& tag,
                                                 Sharing sharing) {
  const OutgoingBytes bytes(request, sharing);
  Channel& through = channel();  // last, as reading the buffer may run Python code that closes the channel
  auto call = std::make_shared<ClientCall>(pump_);
  if (inbox != nullptr) call->deliver_to(inbox, tag);
  call->begin(through, method, {bytes.slice(), codec_name(codec)}, settings, expects);
  return call;
}

py::object ClientChannel::call(std::string_view name, const py::handle& request, std::string_view codec,
                               const CallSettings* settings, Expects expects) {
  const auto sharing = expects == Expects::nothing ? Sharing::if_read_only : Sharing::while_waiting;
  const auto begun = begin(method(name), request, codec, settings, expects, nullptr, py::none(), sharing);
  py::object outcome = begun->wait_and_take();
  drop_left_references();  // the caller may change the request again
  return value_or_raise(std::move(outcome));
}

std::shared_ptr<ClientStreamEnd> ClientChannel::open_stream(std::string_view name, std::string_view codec,
                                                            const CallSettings* settings,
                                                            const py::object& only_request) {
  CallOptions options;
  if (settings != nullptr) options = settings->options;
  options.codec = codec_name(codec);
  auto end = std::make_shared<ClientStreamEnd>(pump_, closed_, options.codec);
  options.response_info = &end->reply();
  if (only_request.is_none()) {
    end->open(channel().stream<Payload, Payload>(method(name), options));
    return end;
  }
  const OutgoingBytes bytes(only_request);
  Channel& through = channel();
  end->open(through.server_stream<Payload>(method(name), Payload{bytes.slice(), options.codec}, options));
  return end;
}

std::string_view ClientChannel::state() const { return to_string(*closed_ ? ChannelState::closed : channel().state()); }

void ClientChannel::watch_states(const std::shared_ptr<Inbox>& inbox, const py::handle& tag) {
  static_cast<void>(channel());
  state_watches_->add(inbox, tag);
}

void ClientChannel::unwatch_states(const py::handle& tag) { state_watches_->remove(tag); }

std::pair<std::uint64_t, std::uint64_t> ClientChannel::memory_usage() const {
  if (*closed_) return {};
  const MemoryUsage usage = channel().memory_usage();
  return {usage.used_bytes, usage.max_bytes};
}

py::list ClientChannel::servers() {
  std::vector<ServerState> states;
  if (!*closed_) {
    Channel& through = channel();
    const UseCount::Use use(uses_);
    static_cast<void>(on_loop([&] {
      states = through.servers();
      return Status();
    }));
  }
  py::list list;
  for (const ServerState& state : states) {
    list.append(py::make_tuple(state.endpoint.to_string(), state.zone, state.weight, state.priority, state.is_ready,
                               state.is_ejected, std::string(state.last_error.message()), state.open_breakers,
                               state.open_calls, state.started_calls, state.failed_calls,
                               std::chrono::duration<double>(state.latency).count()));
  }
  return list;
}

/// Runs a function that blocks on the channel, without the GIL. It runs the loop itself unless another thread does.
Status ClientChannel::on_loop(const std::function<Status()>& task) {
  if (pump_->has_thread()) return task();
  Status status;
  pump_->run_alone([&] {
    bool done = false;
    pump_->net_loop().run_until(
        [&] {
          if (!std::exchange(done, true)) status = task();
          return true;
        },
        Pump::Time::max());
  });
  return status;
}

void ClientChannel::wait_for_ready(double seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + duration_of("timeout", py::float_(seconds));
  for (;;) {
    // If the pump has no thread, this one leads, and has to give up the lead now and then.
    const Clock::duration longest = pump_->has_thread() ? longest_wait() : signal_interval;
    const Clock::duration slice = std::clamp<Clock::duration>(end - Clock::now(), {}, longest);
    Status status;
    {
      // Each time, as a signal handler or, while one runs, another thread may close the channel.
      Channel& through = channel();
      const UseCount::Use use(uses_);
      status = on_loop([&] { return through.wait_for_ready(slice); });
    }
    static_cast<void>(channel());
    if (status.is_ok()) return;
    if (status.code() != StatusCode::deadline_exceeded || Clock::now() >= end) throw_failure(status);
    if (has_interrupt()) throw py::error_already_set();
  }
}

/// Closes the channel. Called with the GIL, which is released for the wait. An exception of a signal handler is stored
/// in `interrupt` and cancels the calls that are left; so does a system that refuses a thread (resource_exhausted).
Status ClientChannel::end_calls(std::chrono::nanoseconds timeout, std::optional<py::error_already_set>& interrupt) {
  const auto run = [this, timeout] { return on_loop([&] { return channel_->close(timeout); }); };
  if (timeout <= std::chrono::nanoseconds(0) || !handles_signals()) {
    const ReleasedGil released;
    return run();
  }
  // Another thread waits, as this one handles signals.
  std::future<Status> closed;
  try {
    closed = std::async(std::launch::async, run);
  } catch (const std::system_error&) {
    const ReleasedGil released;
    static_cast<void>(on_loop([this] { return channel_->close(std::chrono::nanoseconds(0)); }));
    return {StatusCode::resource_exhausted,
            "close channel: the system has refused a thread to wait for the calls in progress; they were cancelled"};
  }
  for (;;) {
    {
      const ReleasedGil released;
      if (closed.wait_for(signal_interval) == std::future_status::ready) return closed.get();
    }
    if (interrupt.has_value()) continue;
    const bool interrupted = has_interrupt();
    if (!pump_->fork_guard().is_here()) {
      // The signal handler has forked: the thread that closes the channel exists in the parent only.
      static_cast<void>(new std::future<Status>(std::move(closed)));
      if (interrupted) throw py::error_already_set();
      pump_->fork_guard().require("channel");
    }
    if (!interrupted) continue;
    interrupt.emplace();
    cut_short();
  }
}

/// Cancels the calls for which another thread waits in close().
void ClientChannel::cut_short() {
  pump_->net_loop().post([weak = weak_from_this()] {
    const auto self = weak.lock();
    if (self != nullptr && self->channel_ != nullptr) static_cast<void>(self->channel_->close(std::chrono::seconds(0)));
  });
}

void ClientChannel::close(double seconds) {
  const auto timeout = duration_of("timeout", py::float_(seconds));
  // A forked child does not close the parent's channel.
  const bool is_first = !std::exchange(*closed_, true);
  if (!pump_->fork_guard().is_here()) return;
  if (!is_first) {
    if (timeout <= std::chrono::nanoseconds(0)) cut_short();
    return;
  }
  std::optional<py::error_already_set> interrupt;
  const Status status = end_calls(timeout, interrupt);
  {
    const ReleasedGil released;
    uses_.wait_for_none();
    destroy();
  }
  methods_.clear();
  state_watches_->clear();
  drop_left_references();
  if (interrupt.has_value()) throw *interrupt;
  if (!status.is_ok()) throw_failure(status);
}

}  // namespace trunkline::python
