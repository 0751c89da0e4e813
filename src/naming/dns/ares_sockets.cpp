// SPDX-License-Identifier: MIT
// AresSockets: waits for the sockets of c-ares, which owns them.
#include "naming/dns/ares_sockets.h"

#include <asio/posix/stream_descriptor.hpp>

#include <sys/time.h>

#include <utility>

namespace trunkline::naming::dns {

namespace {

/// Initializes the library once in the life of the process; c-ares needs no counterpart on Linux.
int initialize_library() {
  static const int status = ares_library_init(ARES_LIB_INIT_ALL);
  return status;
}

Status failed(int status) {
  return {status == ARES_ENOMEM ? StatusCode::resource_exhausted : StatusCode::internal,
          std::string("open the resolver of names: ") + ares_strerror(status), StatusOrigin::transport};
}

}  // namespace

/// One socket. Handlers own it, so it outlives the channel until they have been called.
class AresSockets::Watch : public std::enable_shared_from_this<Watch> {
 public:
  Watch(AresSockets& owner, ares_socket_t socket)
      : owner_(&owner), socket_(socket), descriptor_(owner.loop_.context(), socket) {}

  void want(bool readable, bool writable) {
    wants_read_ = readable;
    wants_write_ = writable;
    if (wants_read_) wait_for_read();
    if (wants_write_) wait_for_write();
  }
  /// Lets go of the socket before c-ares closes it: its number may be that of another one afterwards.
  void release() noexcept {
    owner_ = nullptr;
    if (descriptor_.is_open()) descriptor_.release();
  }

 private:
  void wait_for_read() {
    if (std::exchange(is_reading_, true)) return;
    descriptor_.async_wait(asio::posix::descriptor_base::wait_read,
                           [self = shared_from_this()](const asio::error_code&) {
                             self->is_reading_ = false;
                             if (self->owner_ == nullptr || !self->wants_read_) return;
                             self->owner_->process(self->socket_, ARES_SOCKET_BAD);
                             if (self->owner_ != nullptr && self->wants_read_) self->wait_for_read();
                           });
  }
  void wait_for_write() {
    if (std::exchange(is_writing_, true)) return;
    descriptor_.async_wait(asio::posix::descriptor_base::wait_write,
                           [self = shared_from_this()](const asio::error_code&) {
                             self->is_writing_ = false;
                             if (self->owner_ == nullptr || !self->wants_write_) return;
                             self->owner_->process(ARES_SOCKET_BAD, self->socket_);
                             if (self->owner_ != nullptr && self->wants_write_) self->wait_for_write();
                           });
  }

  AresSockets* owner_;
  const ares_socket_t socket_;
  asio::posix::stream_descriptor descriptor_;
  bool wants_read_ = false;
  bool wants_write_ = false;
  bool is_reading_ = false;
  bool is_writing_ = false;
};

AresSockets::AresSockets(net::Loop& loop) noexcept
    : loop_(loop),
      timeout_([](base::Timer&, void* self,
                  base::TimePoint) { static_cast<AresSockets*>(self)->process(ARES_SOCKET_BAD, ARES_SOCKET_BAD); },
               this) {}

AresSockets::~AresSockets() {
  if (channel_ != nullptr) ares_destroy(channel_);
  for (const auto& [socket, watch] : watches_) watch->release();
}

Status AresSockets::open(const std::string& name_server) {
  if (Status status = loop_.open(); !status.is_ok()) return status;
  if (const int status = initialize_library(); status != ARES_SUCCESS) return failed(status);
  ares_options options{};
  options.sock_state_cb = &AresSockets::on_state;
  options.sock_state_cb_data = this;
  int mask = ARES_OPT_SOCK_STATE_CB;
#if ARES_VERSION < 0x011400
  // Before version 1.20, c-ares waits 5 s before it asks again for what is lost, and resolv.conf cannot change that.
  // These values are the defaults of later releases.
  options.timeout = 2000;
  options.tries = 3;
  mask |= ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES;
#endif
#ifdef ARES_OPT_QUERY_CACHE
  // A refresh must see what the name server says now.
  options.qcache_max_ttl = 0;
  mask |= ARES_OPT_QUERY_CACHE;
#endif
  if (const int status = ares_init_options(&channel_, &options, mask); status != ARES_SUCCESS) {
    channel_ = nullptr;
    return failed(status);
  }
  if (name_server.empty()) return {};
  const int status = ares_set_servers_ports_csv(channel_, name_server.c_str());
  return status == ARES_SUCCESS ? Status() : failed(status);
}

void AresSockets::on_state(void* self, ares_socket_t socket, int readable, int writable) {
  auto& sockets = *static_cast<AresSockets*>(self);
  const auto known = sockets.watches_.find(socket);
  if (readable == 0 && writable == 0) {
    if (known == sockets.watches_.end()) return;
    known->second->release();
    sockets.watches_.erase(known);
    return;
  }
  const auto watch = known != sockets.watches_.end()
                         ? known->second
                         : sockets.watches_.emplace(socket, std::make_shared<Watch>(sockets, socket)).first->second;
  watch->want(readable != 0, writable != 0);
}

void AresSockets::process(ares_socket_t readable, ares_socket_t writable) {
  ares_process_fd(channel_, readable, writable);
  arm_timer();
}

void AresSockets::arm_timer() {
  timeval wait{};
  if (ares_timeout(channel_, nullptr, &wait) == nullptr) return timeout_.cancel();
  // c-ares reads the clock itself: at the end of the millisecond its timeout has passed.
  const base::Duration rounded =
      std::chrono::seconds(wait.tv_sec) + std::chrono::microseconds(wait.tv_usec) + std::chrono::milliseconds(1);
  loop_.timers().schedule(timeout_, base::deadline_after(loop_.now(), rounded));
}

}  // namespace trunkline::naming::dns
