// SPDX-License-Identifier: MIT
// FakeServer: the far end of one connection, played by the test. FakeNetwork: what a channel under test connects to.
#pragma once

#include "client/connector.h"
#include "net/connection.h"
#include "net/memory_transport.h"
#include "session/native/native_session.h"

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::client {

/// A call that has reached the server.
struct ServedCall {
  session::CallId id = 0;
  std::string method;
  std::string payload;
  Metadata metadata;
  base::TimePoint deadline = base::never;
  bool one_way = false;
  bool end = false;
};

class FakeServer final : public net::ConnectionHandler {
 public:
  FakeServer(std::unique_ptr<net::Transport> transport, const session::SessionOptions& options, bool is_mute)
      : connection_(std::make_shared<net::Connection>(std::move(transport), *this, net::ConnectionOptions{})),
        options_(options) {
    if (is_mute) return;
    connection_->start([this](session::SessionOwner& owner) {
      net::Loop& loop = connection_->loop();
      return session::native::make_native_session(session::Role::server, options_, loop.timers(), owner, loop.now());
    });
    started_ = true;
  }

  session::Session& session() { return connection_->session(); }
  const Codec* codec() const { return options_.codecs->find("bytes"); }
  void respond(session::CallId id, std::string_view text, const Metadata* trailing = nullptr) {
    session::OutgoingMessage message;
    message.codec = codec();
    message.payload = Slice::copy_of(text);
    static_cast<void>(session().finish(id, Status(), message, trailing, false));
    connection_->flush_soon();
  }
  void refuse(session::CallId id, const Status& status, bool unprocessed, const Metadata* trailing = nullptr) {
    static_cast<void>(session().finish(id, status, {}, trailing, unprocessed));
    connection_->flush_soon();
  }
  void send(session::CallId id, std::string_view text) {
    session::OutgoingMessage message;
    message.codec = codec();
    message.payload = Slice::copy_of(text);
    send(id, message);
  }
  void send(session::CallId id, const session::OutgoingMessage& message) {
    static_cast<void>(session().send(id, message, nullptr, false));
    connection_->flush_soon();
  }
  void send_leading(session::CallId id, const Metadata& leading) {
    static_cast<void>(session().send(id, {}, &leading, false));
    connection_->flush_soon();
  }
  void drain() {
    session().drain();
    connection_->flush_soon();
  }
  void close(const Status& reason) { connection_->close(reason); }
  /// Reads and writes nothing more, and stays connected, as a host does that has lost its power.
  void freeze() { connection_->transport().set_observer(nullptr); }
  /// Closes the transport without a goodbye.
  void cut() { connection_->transport().close(); }

  /// What to do with a call. Null: calls stay open in `calls`.
  std::function<void(FakeServer&, const ServedCall&)> on_call;
  std::function<void(FakeServer&, session::Event&)> on_message;
  std::deque<ServedCall> calls;
  /// What to do with a watch of the health, which is none of the calls. Null: it is refused as unknown.
  std::function<void(FakeServer&, const ServedCall&)> on_watch;
  std::vector<session::CallId> cancelled;
  int messages = 0;
  bool closed = false;

 private:
  void on_events(net::Connection& connection) override {
    session::Event event;
    while (connection.session().next(event)) handle(event);
  }
  void handle(session::Event& event) {
    if (event.type == session::EventType::call) {
      ServedCall call{event.id,
                      std::string(event.method_name),
                      std::string(as_text(event.payload)),
                      event.metadata,
                      event.deadline,
                      event.one_way,
                      event.end};
      if (!event.one_way) session().attach(event.id, this);
      if (call.method == "grpc.health.v1.Health/Watch") return watch(call);
      calls.push_back(call);
      if (on_call) on_call(*this, call);
    } else if (event.type == session::EventType::message) {
      if (event.has_message) ++messages;
      if (on_message) on_message(*this, event);
    } else if (event.type == session::EventType::cancelled) {
      cancelled.push_back(event.id);
    }
  }
  void watch(const ServedCall& call) {
    if (on_watch) return on_watch(*this, call);
    refuse(call.id, {StatusCode::unimplemented, "no such method"}, false);
  }
  void on_closed(net::Connection&) override { closed = true; }

  std::shared_ptr<net::Connection> connection_;
  const session::SessionOptions options_;
  bool started_ = false;
};

inline void echo(FakeServer& server, const ServedCall& call) {
  if (!call.one_way) server.respond(call.id, "re:" + call.payload);
}

/// Every connection made ends in a FakeServer of its own, which stays until the network is destroyed.
class FakeNetwork {
 public:
  explicit FakeNetwork(net::Loop& loop) : loop_(loop) {}

  std::unique_ptr<Connector> connector() { return std::make_unique<FakeConnector>(*this); }
  FakeServer& server(std::size_t index) { return *servers.at(index); }

  std::vector<std::unique_ptr<FakeServer>> servers;
  int attempts = 0;
  int refusals = 0;        ///< attempts to be refused
  bool is_slow = false;    ///< connections are made only by make_connections()
  bool is_mute = false;    ///< servers that never say anything
  int closes_at_once = 0;  ///< connections to be accepted and closed before a hello
  int drains_at_once = 0;  ///< connections whose server sends goaway right after its hello
  std::function<void(FakeServer&, const ServedCall&)> on_call = echo;
  std::function<void(FakeServer&, const ServedCall&)> on_watch{};
  std::uint32_t max_concurrent_calls = 16384;
  const session::Protocol* protocol = nullptr;  ///< of the channel's side; null: the native one

  void make_connections() {
    for (net::DialCallback& callback : std::exchange(held_, {})) finish(callback);
  }

 private:
  class FakeConnector final : public Connector {
   public:
    explicit FakeConnector(FakeNetwork& network) : network_(network) {}
    std::shared_ptr<net::Dial> connect(net::DialCallback callback) override {
      ++network_.attempts;
      network_.held_.push_back(std::move(callback));
      if (!network_.is_slow) network_.loop_.post([&network = network_] { network.make_connections(); });
      return nullptr;
    }
    const session::Protocol& protocol(const net::PeerInfo& peer) const noexcept override {
      return network_.protocol != nullptr ? *network_.protocol : Connector::protocol(peer);
    }
    const std::string& target() const noexcept override { return target_; }

   private:
    FakeNetwork& network_;
    std::string target_ = "inproc://fake";
  };

  void finish(net::DialCallback& callback) {
    if (refusals > 0) {
      --refusals;
      Status refused(StatusCode::unavailable, "connect inproc://fake: connection refused", StatusOrigin::transport);
      refused.set_may_have_run(false);
      return callback(std::move(refused));
    }
    auto [near, far] = net::make_memory_pair(loop_, loop_, {.buffer_bytes = 1 << 20, .address = "inproc://fake"});
    session::SessionOptions options;
    options.codecs = &codecs_;
    options.compressors = &compressors_;
    options.max_concurrent_calls = max_concurrent_calls;
    options.limits.keepalive_interval = {};
    if (closes_at_once > 0) {
      --closes_at_once;
      far->close();
      return callback(std::move(near));
    }
    servers.push_back(std::make_unique<FakeServer>(std::move(far), options, is_mute));
    servers.back()->on_call = on_call;
    servers.back()->on_watch = on_watch;
    if (drains_at_once > 0) {
      --drains_at_once;
      servers.back()->drain();
    }
    callback(std::move(near));
  }

  net::Loop& loop_;
  const CodecRegistry codecs_ = CodecRegistry::with_defaults();
  const CompressorRegistry compressors_ = CompressorRegistry::with_defaults();
  std::vector<net::DialCallback> held_;
};

}  // namespace trunkline::client
