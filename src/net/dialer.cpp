// SPDX-License-Identifier: MIT
// dial(): resolves the name, and races its addresses.
#include "net/dialer.h"

#include "net/dial_attempt.h"
#include "net/inproc_directory.h"
#include "net/socket_address.h"
#include "net/socket_options.h"
#include "net/system_error.h"

#include <asio/ip/tcp.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::net {

namespace {

class StreamDial final : public Dial, public std::enable_shared_from_this<StreamDial> {
 public:
  StreamDial(Loop& loop, const Endpoint& endpoint, const DialOptions& options, DialCallback callback)
      : loop_(loop),
        endpoint_(endpoint),
        options_(options),
        callback_(std::move(callback)),
        tried_("connect " + endpoint.to_string()) {}
  ~StreamDial() override { cancel(); }

  void start() {
    loop_.timers().schedule(timeout_, base::deadline_after(loop_.now(), options_.connect_timeout));
    if (Status status = check_options(options_.transport); !status.is_ok()) return finish_soon(std::move(status));
    if (endpoint_.scheme() == Scheme::inproc) return connect_inproc();
    if (endpoint_.scheme() == Scheme::tls) {
      if (Status status = load_tls(); !status.is_ok()) return finish_soon(std::move(status));
    }
    if (!options_.addresses.empty()) {
      is_resolved_ = true;
      race(options_.addresses);
    } else if (endpoint_.scheme() == Scheme::unix_socket) {
      race({SocketAddress::of_unix(endpoint_)});
    } else if (auto numeric = SocketAddress::of_numeric(endpoint_)) {
      race({*numeric});
    } else {
      resolve();
    }
  }

  void cancel() override {
    is_over_ = true;
    timeout_.cancel();
    delay_.cancel();
    finish_.cancel();
    attempts_.clear();
    resolver_.reset();
    callback_ = nullptr;
  }
  bool has_more() const noexcept override { return !is_over_; }
  void hurry() override {
    if (!is_over_ && next_address_ < addresses_.size()) start_next();
  }

 private:
  Status load_tls() {
    if (options_.tls_cache != nullptr) tls_context_ = options_.tls_cache->context;
    if (tls_context_ != nullptr) return {};
    auto context = make_client_context(options_.tls);
    if (!context) return std::move(context).status();
    tls_context_ = std::move(*context);
    if (options_.tls_cache != nullptr) options_.tls_cache->context = tls_context_;
    return {};
  }

  void resolve() {
    resolver_.emplace(loop_.context());
    resolver_->async_resolve(
        endpoint_.host(), std::to_string(endpoint_.port()),
        [weak = weak_from_this()](const std::error_code& error, const asio::ip::tcp::resolver::results_type& found) {
          const std::shared_ptr<StreamDial> self = weak.lock();
          if (self == nullptr || !self->callback_) return;
          if (error)
            return self->finish_soon(system_status(self->tried_ + ": resolve " + self->endpoint_.host(), error));
          std::vector<SocketAddress> addresses;
          for (const auto& entry : found) addresses.emplace_back(entry.endpoint());
          self->is_resolved_ = true;
          self->race(addresses);
        });
  }

  void race(const std::vector<SocketAddress>& addresses) {
    addresses_ = options_.order != nullptr ? options_.order->arrange(addresses) : AddressOrder().arrange(addresses);
    start_next();
  }

  /// Begins to connect to the next address; skips those that fail at once.
  void start_next() {
    delay_.cancel();
    while (next_address_ < addresses_.size()) {
      const SocketAddress& address = addresses_[next_address_++];
      std::string tried = is_resolved_ ? tried_ + " (" + address.to_uri(Scheme::tcp).substr(6) + ")" : tried_;
      auto attempt = std::make_unique<DialAttempt>(
          loop_, endpoint_, options_.transport, tls_context_, address, std::move(tried),
          [this](DialAttempt& done, Result<std::unique_ptr<Transport>> result) { ended(done, std::move(result)); });
      Status status = attempt->start();
      if (!status.is_ok()) {
        last_error_ = std::move(status);
        continue;
      }
      attempts_.push_back(std::move(attempt));
      if (next_address_ < addresses_.size()) {
        loop_.timers().schedule(delay_, base::deadline_after(loop_.now(), options_.attempt_delay));
      }
      return;
    }
    if (!attempts_.empty()) return;
    if (last_error_.is_ok())
      last_error_ = {StatusCode::unavailable, tried_ + ": the name has no address", StatusOrigin::transport};
    finish_soon(last_error_);
  }

  void ended(DialAttempt& attempt, Result<std::unique_ptr<Transport>> result) {
    const std::shared_ptr<StreamDial> self = shared_from_this();
    const auto found = std::find_if(attempts_.begin(), attempts_.end(),
                                    [&](const auto& candidate) { return candidate.get() == &attempt; });
    const std::unique_ptr<DialAttempt> done = std::move(*found);
    attempts_.erase(found);
    if (!result) {
      last_error_ = std::move(result).status();
      return start_next();
    }
    if (options_.order != nullptr) options_.order->used(done->address());
    has_delivered_ = true;
    if (next_address_ == addresses_.size() && attempts_.empty()) return finish(std::move(result));
    // The callback is copied, since it may cancel this dial.
    const DialCallback callback = callback_;
    callback(std::move(result));
  }

  void connect_inproc() {
    MemoryOptions memory;
    memory.address = endpoint_.with_protocol(WireProtocol::native).to_string();
    auto [transport, end] = make_memory_link(loop_, memory);
    if (Status status = InprocDirectory::of_process().connect(endpoint_.path(), std::move(end)); !status.is_ok()) {
      return finish_soon(std::move(status));
    }
    finish_soon(std::move(transport));
  }

  void finish_soon(Result<std::unique_ptr<Transport>> result) {
    result_ = std::move(result);
    loop_.defer(finish_);
  }

  /// Ends the dial with the last call of the callback.
  void finish(Result<std::unique_ptr<Transport>> result) {
    const std::shared_ptr<StreamDial> self = shared_from_this();
    const DialCallback callback = std::move(callback_);
    cancel();
    if (!callback) return;
    if (result) return callback(std::move(result));
    if (options_.order != nullptr && !has_delivered_ && !addresses_.empty()) options_.order->used(addresses_.front());
    Status status = std::move(result).status();
    status.set_origin(StatusOrigin::transport).set_may_have_run(false);
    callback(std::move(status));
  }

  void timed_out() {
    finish(Status(StatusCode::unavailable, tried_ + ": not connected within connect_timeout " +
                                               std::to_string(options_.connect_timeout.count()) + " ms"));
  }

  Loop& loop_;
  const Endpoint endpoint_;
  const DialOptions options_;
  DialCallback callback_;
  const std::string tried_;
  bool is_resolved_ = false;
  /// True if the callback has been called with a transport.
  bool has_delivered_ = false;
  /// True if the callback is not called again after the present call.
  bool is_over_ = false;
  std::optional<asio::ip::tcp::resolver> resolver_;
  /// The addresses in the order in which they are tried.
  std::vector<SocketAddress> addresses_;
  std::size_t next_address_ = 0;
  std::vector<std::unique_ptr<DialAttempt>> attempts_;
  Status last_error_;
  std::shared_ptr<const TlsContext> tls_context_;
  Result<std::unique_ptr<Transport>> result_;
  base::Timer timeout_{[](base::Timer&, void* self, base::TimePoint) { static_cast<StreamDial*>(self)->timed_out(); },
                       this};
  /// Runs until the next address is tried beside those that have not responded.
  base::Timer delay_{[](base::Timer&, void* self, base::TimePoint) {
                       const std::shared_ptr<StreamDial> dial = static_cast<StreamDial*>(self)->shared_from_this();
                       dial->start_next();
                     },
                     this};
  DeferredTask finish_{[](void* self) {
                         auto& dial = *static_cast<StreamDial*>(self);
                         dial.finish(std::move(dial.result_));
                       },
                       this};
};

}  // namespace

std::shared_ptr<Dial> dial(Loop& loop, const Endpoint& endpoint, const DialOptions& options, DialCallback callback) {
  auto result = std::make_shared<StreamDial>(loop, endpoint, options, std::move(callback));
  result->start();
  return result;
}

}  // namespace trunkline::net
