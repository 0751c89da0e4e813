// SPDX-License-Identifier: MIT
// ServerConnection: hands the events of one connection's session to its calls, and closes the connection in time.
#pragma once

#include "net/connection.h"
#include "server/admission.h"
#include "server/call_exchange.h"
#include "server/cancellation_rate.h"
#include "server/connection_age.h"
#include "server/connection_context.h"
#include "server/connection_methods.h"
#include "server/lasting_calls.h"
#include "server/loop_context.h"
#include "server/plain_calls.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace trunkline::server {

/// Knows no protocol: it serves whatever session it is given. Only the loop's thread uses it. Its owner keeps it alive
/// until it is closed, and so do its open calls.
class ServerConnection final : public net::ConnectionHandler,
                               public ConnectionLink,
                               public std::enable_shared_from_this<ServerConnection> {
 public:
  class Owner {
   public:
    /// Called when the connection is closed; it may be destroyed when this returns.
    virtual void on_connection_closed(ServerConnection& connection) = 0;

   protected:
    ~Owner() = default;
  };

  /// `owner` must live until on_connection_closed() or release().
  ServerConnection(std::shared_ptr<LoopContext> context, Owner& owner, std::shared_ptr<PeerShare> peer);
  ~ServerConnection() override;

  /// Begins to serve. `factory` makes the session of the protocol that the client speaks; `first_bytes` are those
  /// already read. With `is_private` private methods are reached too.
  void start(std::unique_ptr<net::Transport> transport, const net::Connection::SessionFactory& factory,
             ByteSpan first_bytes, base::TimePoint accepted_at, bool is_private = false);
  /// Returns how many calls a close would cut off: open calls, or 1 if the client has only yet to take output.
  std::size_t unfinished() const noexcept;

  /// Takes no further calls, and closes after the last one. Its calls are not told: see CallOwner::on_draining().
  void drain();
  void close(const Status& reason);
  void drop() override;
  /// Releases the transport and the session. The caller tells the calls by CallOwner::on_detached().
  void release();

  void on_events(net::Connection& connection) override;
  /// Drains the connection when it is idle.
  void on_idle(net::Connection& connection) override;
  void on_closed(net::Connection& connection) override;
  std::size_t background_calls() const noexcept override { return open_calls_.background_calls(); }
  Status on_call_begun(session::Event& event) override;
  std::uint64_t routes_version() const noexcept override;
  session::RouteMatch find_route(std::string_view http_method, std::string_view path) override {
    return context_->methods().routes().find(http_method, path);
  }
  std::string_view http_methods_of(std::string_view method) override;
  void on_call_dropped(session::CallId id) noexcept override;
  Status on_codec_exception(std::string_view doing, std::string_view text) override;
  void on_metadata_dropped(const Status& why) noexcept override;

  session::Session* session() noexcept override { return connection_ != nullptr ? &connection_->session() : nullptr; }
  void flush() override;
  void on_call_ended() override;
  const ConnectionContext& connection_context() const noexcept override { return connection_context_; }
  /// Returns the name under which LoopContext::protocols() counts it; empty until the connection is open.
  std::string_view protocol_name() const noexcept { return protocol_name_; }

 private:
  class BatchScope;

  /// Handles the events that are there, until the connection has to yield. An exception closes the connection.
  void handle_events(net::Connection& connection);
  void handle_event(session::Event& event);
  void on_opened();
  bool is_reached(const RegisteredMethod& method, bool by_route) const noexcept;
  void count_protocol(const session::Session& session);
  void on_call(session::Event& event);
  void on_cancelled(session::Event& event);
  Status note_refusal(const session::Event& event, Status status);
  void refuse(const session::Event& event, const Status& status);
  void refuse(const session::Event& event, LoopMethod& method, const Status& status);
  void close_if_drained();
  void visit_calls(const std::function<void(ServerCall&)>& visitor);
  static void on_written(void* self);
  static void on_age(base::Timer& timer, void* self, base::TimePoint now);

  const std::shared_ptr<LoopContext> context_;
  /// The owner; null once the connection has been released.
  Owner* owner_;
  /// The connection of the transport; null before start() and after release().
  std::shared_ptr<net::Connection> connection_;
  ConnectionContext connection_context_;
  ConnectionCalls calls_;
  CancellationRate cancellations_{context_->server_state().options.max_cancelled_calls_per_second,
                                  context_->server_state().options.max_concurrent_calls_per_connection};
  HandlerWatch& watch_{context_->watch()};
  CallExchange exchange_{*context_, connection_context_, *this};
  ConnectionMethods methods_{context_->methods()};
  PlainCalls plain_calls_{exchange_};
  LastingCalls open_calls_{exchange_, calls_};
  net::DeferredTask drain_check_{on_written, this};
  ConnectionAge age_{{.age = context_->server_state().options.max_connection_age,
                      .grace = context_->server_state().options.max_connection_age_grace},
                     &on_age,
                     this};
  /// The event lives on between turns: the session reads is_retained when the next one is taken, maybe in a later turn.
  session::Event event_;
  /// The last call that on_call_begun() has refused and counted. On an ordered connection it comes as an event, too.
  session::CallId counted_refusal_ = 0;
  std::string_view protocol_name_;
  bool in_batch_ = false;
  /// True if the batch has brought calls.
  bool had_calls_ = false;
  bool is_closing_ = false;
};

}  // namespace trunkline::server
