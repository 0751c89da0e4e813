// SPDX-License-Identifier: MIT
// Server: forwards to ServerCore.
#include <trunkline/server.h>

#include "server/server_core.h"

#include <stdexcept>
#include <utility>

namespace trunkline {

namespace {

ServerOptions with_one_loop(ServerOptions options) {
  if (options.loops == 1) return options;
  throw std::invalid_argument("server options: loops " + std::to_string(options.loops) +
                              " is not 1 on the user's loop");
}

}  // namespace

Server::Server(ServerOptions options) : core_(std::make_shared<server::ServerCore>(std::move(options))) {}
Server::Server(EventLoop& loop, ServerOptions options)
    : core_(std::make_shared<server::ServerCore>(net::Loop::of(loop), with_one_loop(std::move(options)))) {}
Server::Server(std::shared_ptr<server::ServerCore> core) noexcept : core_(std::move(core)) {}
Server::~Server() { core_->stop(); }

void Server::add(std::string_view method, std::unique_ptr<MethodHandler> handler, const MethodOptions& options) {
  core_->methods().add(method, std::move(handler), options);
}
void Server::add_fallback(std::unique_ptr<MethodHandler> handler, const MethodOptions& options) {
  core_->methods().add_fallback(std::move(handler), options);
}
void Server::add_route(std::string_view http_method, std::string_view path, std::unique_ptr<MethodHandler> handler,
                       const MethodOptions& options) {
  core_->methods().add_route(http_method, path, std::move(handler), options);
}
void Server::add_service(ServiceDefinition service) { core_->methods().add(std::move(service)); }
bool Server::remove(std::string_view method) { return core_->remove_method(method); }
bool Server::has(std::string_view method) const { return core_->methods().has(method); }
std::uint64_t Server::methods_version() const { return core_->methods().version(); }
std::vector<MethodInfo> Server::methods() const { return core_->methods().list(); }

Endpoint Server::listen(std::string_view uri) {
  Result<Endpoint> endpoint = try_listen(uri);
  return std::move(endpoint).value();
}
Result<Endpoint> Server::try_listen(std::string_view uri) { return core_->listen(uri); }
Endpoint Server::listen_private(std::string_view uri) {
  Result<Endpoint> endpoint = try_listen_private(uri);
  return std::move(endpoint).value();
}
Result<Endpoint> Server::try_listen_private(std::string_view uri) { return core_->listen(uri, true); }
std::vector<Endpoint> Server::endpoints() const { return core_->endpoints(); }

Status Server::start() { return core_->start(); }
Status Server::run() { return core_->run(); }
Status Server::shutdown(std::chrono::nanoseconds timeout) { return core_->shutdown(timeout); }
void Server::async_shutdown(std::chrono::nanoseconds timeout, std::function<void(Status)> done) {
  core_->async_shutdown(timeout, std::move(done));
}
void Server::on_shutdown(std::function<void()> callback) { core_->on_shutdown(std::move(callback)); }
void Server::stop() { core_->stop(); }
Status Server::reload_tls() { return core_->reload_tls(); }
ServerTotals Server::totals() const { return core_->totals(); }
void Server::collect_statistics() { core_->collect_statistics(); }
ServerStatistics Server::statistics() const { return core_->statistics(); }

}  // namespace trunkline
