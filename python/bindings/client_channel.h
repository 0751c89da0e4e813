// SPDX-License-Identifier: MIT
// ClientChannel: a channel on a pump, as Python's Channel and aio.Channel use it.
#pragma once

#include "client_call.h"
#include "client_stream.h"
#include "state_watches.h"
#include "use_count.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace trunkline::python {

/// A channel that is used with the GIL. Functions that wait release it.
class ClientChannel : public std::enable_shared_from_this<ClientChannel> {
 public:
  ClientChannel(const std::string& uri, const py::dict& options);
  ~ClientChannel();
  ClientChannel(const ClientChannel&) = delete;
  ClientChannel& operator=(const ClientChannel&) = delete;

  std::shared_ptr<Inbox> make_inbox(bool has_descriptor) const;
  /// Starts a thread that runs the loop, so that calls proceed even if no thread waits for them.
  void start_thread();

  /// Returns a handle of the method, which is valid until the channel is closed.
  Method method(std::string_view name);
  /// Begins a call. Its outcome is delivered to `inbox` with `tag`; without an inbox the caller waits for it.
  std::shared_ptr<ClientCall> begin(const Method& method, const py::handle& request, std::string_view codec,
                                    const CallSettings* settings, Expects expects, const std::shared_ptr<Inbox>& inbox,
                                    const py::handle& tag, Sharing sharing = Sharing::if_read_only);
  /// Makes a call and returns the bytes of the response. Raises RpcError, and what signal handlers raise.
  py::object call(std::string_view name, const py::handle& request, std::string_view codec,
                  const CallSettings* settings, Expects expects);
  /// Opens a stream. `only_request` is the request of a server stream; it is None for streams of requests.
  std::shared_ptr<ClientStreamEnd> open_stream(std::string_view name, std::string_view codec,
                                               const CallSettings* settings, const py::object& only_request);

  std::string_view state() const;
  /// Has `inbox` get each new state, with `tag`, from now on until unwatch_states() or the end of the channel.
  void watch_states(const std::shared_ptr<Inbox>& inbox, const py::handle& tag);
  void unwatch_states(const py::handle& tag);
  /// Returns the bytes in use and their limit. A closed channel uses none.
  std::pair<std::uint64_t, std::uint64_t> memory_usage() const;
  /// Returns a list of tuples, in the order of ServerState's members in Python.
  py::list servers();
  void wait_for_ready(double seconds);
  /// Waits up to `seconds` for the calls in progress, then cancels them. RpcError (deadline_exceeded) reports how many.
  /// An exception of a signal handler cancels them at once and is raised. While another thread waits in close(), one
  /// without a timeout has that cancel what is left, and does not wait.
  void close(double seconds);
  bool is_closed() const noexcept { return *closed_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };

  ChannelOptions complete(ChannelOptions options);
  Channel& channel() const;
  Status on_loop(const std::function<Status()>& task);
  Status end_calls(std::chrono::nanoseconds timeout, std::optional<py::error_already_set>& interrupt);
  void cut_short();
  void destroy();

  std::shared_ptr<Pump> pump_;
  const std::shared_ptr<StateWatches> state_watches_ = std::make_shared<StateWatches>();
  std::unique_ptr<Channel> channel_;
  /// True once the channel is closed. It is set with the GIL before the channel is destroyed; the streams read it.
  const std::shared_ptr<bool> closed_ = std::make_shared<bool>(false);
  UseCount uses_;
  std::unordered_map<std::string, Method, Hash, std::equal_to<>> methods_;
};

}  // namespace trunkline::python
