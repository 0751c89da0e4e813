// SPDX-License-Identifier: MIT
// HealthWatch: makes the call and reads its answers.
#include "client/health_watch.h"

#include "base/protobuf_fields.h"
#include "call/health_method.h"
#include "client/client_connection.h"
#include "client/service_rules.h"

#include <trunkline/health.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline::client {

namespace {

/// Returns true if the server will say the same again on this connection.
bool is_refusal(StatusCode code) noexcept {
  switch (code) {
    case StatusCode::unimplemented:
    case StatusCode::not_found:
    case StatusCode::unauthenticated:
    case StatusCode::permission_denied:
    case StatusCode::invalid_argument:
      return true;
    default:
      return false;
  }
}

/// Returns the status in a HealthCheckResponse; nullopt if the message is none.
std::optional<ServingStatus> status_of(std::string_view message) noexcept {
  auto status = ServingStatus::unknown;
  while (!message.empty()) {
    const base::ProtobufField field = base::take_protobuf_field(message);
    if (field.number == 0) return std::nullopt;
    if (field.number == 1) status = static_cast<ServingStatus>(field.value);
  }
  return status;
}

}  // namespace

HealthWatch::HealthWatch(net::Loop& loop, const ChannelOptions& options, const ServiceRules& rules,
                         HealthWatchOwner& owner)
    : loop_(loop),
      options_(options),
      rules_(rules),
      owner_(owner),
      codec_(options.balancing.health_check ? options.codecs.find("protobuf") : nullptr),
      backoff_(options.backoff),
      timer_([](base::Timer&, void* self, base::TimePoint now) { static_cast<HealthWatch*>(self)->timer_fired(now); },
             this) {}

HealthWatch::~HealthWatch() { follow(nullptr); }

void HealthWatch::follow(const std::shared_ptr<ClientConnection>& connection) {
  if (connection == connection_) return;
  const bool was_connected = connection_ != nullptr;
  const std::shared_ptr<ClientConnection> former = std::exchange(connection_, connection);
  timer_.cancel();
  if (std::exchange(is_open_, false)) former->cancel_background();
  if (connection == nullptr) return;
  if (!was_connected) health_.on(HealthState::Event::connected);
  begin();
}

void HealthWatch::rules_changed() {
  if (connection_ == nullptr || service_ == rules_.health_service()) return;
  timer_.cancel();
  if (std::exchange(is_open_, false)) connection_->cancel_background();
  begin();
}

void HealthWatch::begin() {
  service_ = rules_.health_service();
  // The watch would take the place of the only call.
  if (codec_ == nullptr || connection_->carries_one_call()) return on(HealthState::Event::refused);
  if (!connection_->has_room()) return retry_later();
  session::OutgoingMessage request{.codec = codec_};
  std::string text;
  if (!service_.empty()) base::append_protobuf_bytes(1, service_, text);
  request.payload = Slice::copy_of(text);
  if (!connection_->start(*this, call::health_watch_method, request).is_ok()) return on(HealthState::Event::refused);
  is_open_ = true;
  begun_ = loop_.now();
  if (!connection_->has_room()) {
    // The watch would take the place of the only call that the server allows.
    is_open_ = false;
    connection_->cancel_background();
    return on(HealthState::Event::refused);
  }
  loop_.timers().schedule(timer_, loop_.now() + longest_silence);
}

void HealthWatch::on(HealthState::Event event) {
  if (health_.on(event)) owner_.health_changed();
}

void HealthWatch::retry_later() {
  on(HealthState::Event::broken);
  loop_.timers().schedule(timer_, base::deadline_after(loop_.now(), backoff_.next()));
}

void HealthWatch::timer_fired(base::TimePoint) {
  if (is_open_) return on(HealthState::Event::silent);
  begin();
}

void HealthWatch::on_message(session::Event& event) {
  if (!event.has_message) return;
  const bool is_readable = !event.is_compressed || connection_->session()->decompress(event).is_ok();
  const std::optional<ServingStatus> status = is_readable ? status_of(as_text(event.payload)) : std::nullopt;
  if (!status) {
    is_open_ = false;
    connection_->cancel_background();
    return on(HealthState::Event::refused);
  }
  timer_.cancel();
  on(*status == ServingStatus::serving ? HealthState::Event::said_serving : HealthState::Event::said_not_serving);
}

void HealthWatch::on_finished(session::Event& event) {
  if (event.has_message) on_message(event);
  is_open_ = false;
  timer_.cancel();
  if (loop_.now() - begun_ >= options_.backoff.maximum) backoff_.reset();
  if (is_refusal(event.status.code())) return on(HealthState::Event::refused);
  retry_later();
}

}  // namespace trunkline::client
