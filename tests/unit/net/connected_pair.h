// SPDX-License-Identifier: MIT
// ConnectedPair: the two ends of a connection between a listener and a dial on one loop.
#pragma once

#include "net/dialer.h"
#include "net/listener.h"
#include "stream_peer.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>

namespace trunkline::net {

inline Endpoint endpoint_of(std::string_view uri) { return Endpoint::parse(uri).value(); }

/// A directory for one test, removed at its end.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "trunkline-XXXXXX").string();
    path_ = ::mkdtemp(name.data()) != nullptr ? name : "";
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

/// A dial and its result. The dial lives as long as this object.
struct DialOutcome {
  std::shared_ptr<Dial> dial;
  std::optional<Result<std::unique_ptr<Transport>>> result;

  void start(Loop& loop, const Endpoint& endpoint, const DialOptions& options = {}) {
    dial = net::dial(loop, endpoint, options,
                     [this](Result<std::unique_ptr<Transport>> made) { result.emplace(std::move(made)); });
  }
};

struct ConnectedPair {
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Transport> server;
  std::unique_ptr<Transport> client;
  Status server_error;
  Status client_error;

  void connect(Loop& loop, const Endpoint& endpoint, const ListenOptions& listen = {},
               const DialOptions& dialing = {}) {
    ListenCallbacks callbacks;
    callbacks.on_accept = [this](AcceptedConnection accepted) { server = std::move(accepted.transport); };
    callbacks.on_error = [this](const Status& error) { server_error = error; };
    auto opened = Listener::open(loop, endpoint, listen, callbacks);
    ASSERT_TRUE(opened) << opened.status().to_string();
    listener = std::move(*opened);
    dial_again(loop, dialing);
  }

  void dial_again(Loop& loop, const DialOptions& dialing = {}, std::optional<Endpoint> endpoint = {}) {
    client = nullptr;
    server = nullptr;
    client_error = server_error = {};
    DialOutcome outcome;
    outcome.start(loop, endpoint.value_or(listener->endpoint()), dialing);
    // Both sides report a failed handshake.
    const auto done = [&] {
      if (!outcome.result) return false;
      const bool reached =
          *outcome.result || outcome.result->status().message().find("handshake") != std::string_view::npos;
      return !reached || server != nullptr || !server_error.is_ok();
    };
    ASSERT_TRUE(run_until(loop, done));
    client_error = outcome.result->status();
    if (*outcome.result) client = std::move(**outcome.result);
  }
};

}  // namespace trunkline::net
