// SPDX-License-Identifier: MIT
// Status: the names of codes, copies, and the text for people.
#include <trunkline/status.h>

#include "base/protobuf_fields.h"

#include <algorithm>
#include <array>

namespace trunkline {
namespace {

constexpr std::array<std::string_view, 17> code_names = {
    "ok",        "cancelled",       "unknown",           "invalid_argument",   "deadline_exceeded",
    "not_found", "already_exists",  "permission_denied", "resource_exhausted", "failed_precondition",
    "aborted",   "out_of_range",    "unimplemented",     "internal",           "unavailable",
    "data_loss", "unauthenticated",
};
constexpr std::array<std::string_view, 3> origin_names = {"local", "peer", "transport"};

constexpr std::string_view retry_info_type = "type.googleapis.com/google.rpc.RetryInfo";
constexpr std::string_view error_info_type = "type.googleapis.com/google.rpc.ErrorInfo";
constexpr std::string_view draining_reason = "SERVER_DRAINING";
constexpr std::string_view draining_domain = "trunkline";
/// The longest pause that a status reports is a day. A peer may send longer ones.
constexpr std::uint64_t longest_pause_seconds = 86400;

/// Returns the first field `number` of `message`.
base::ProtobufField find_field(std::string_view message, std::uint64_t number) noexcept {
  while (true) {
    const base::ProtobufField field = base::take_protobuf_field(message);
    if (field.number == 0 || field.number == number) return field;
  }
}

}  // namespace

std::string_view to_string(StatusCode code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < code_names.size() ? code_names[index] : "unknown";
}

std::string_view to_string(StatusOrigin origin) noexcept {
  const auto index = static_cast<std::size_t>(origin);
  return index < origin_names.size() ? origin_names[index] : "unknown";
}

Status::Status(StatusCode code, std::string_view message, StatusOrigin origin) {
  if (code == StatusCode::ok) return;
  if (!is_valid_status_code(static_cast<std::uint32_t>(code))) code = StatusCode::unknown;
  rep_.reset(new Rep{.code = code, .origin = origin, .message = std::string(message), .details = {}});
}

Status::Status(const Status& other) : rep_(other.rep_ ? new Rep(*other.rep_) : nullptr) {}

Status& Status::operator=(const Status& other) {
  if (this != &other) rep_.reset(other.rep_ ? new Rep(*other.rep_) : nullptr);
  return *this;
}

void Status::destroy(Rep* rep) noexcept { delete rep; }

std::span<const StatusDetail> Status::details() const noexcept {
  return rep_ ? std::span<const StatusDetail>(rep_->details) : std::span<const StatusDetail>();
}

Status& Status::set_origin(StatusOrigin origin) noexcept {
  if (rep_) rep_->origin = origin;
  return *this;
}

Status& Status::set_may_have_run(bool value) noexcept {
  if (rep_) rep_->may_have_run = value;
  return *this;
}

Status& Status::add_detail(std::string type_url, std::string value) {
  if (rep_) rep_->details.push_back({std::move(type_url), std::move(value)});
  return *this;
}

std::optional<std::chrono::milliseconds> Status::retry_after() const noexcept {
  for (const StatusDetail& detail : details()) {
    if (detail.type_url != retry_info_type) continue;
    // The detail has RetryInfo.retry_delay, a Duration of seconds and nanoseconds.
    const std::string_view delay = find_field(detail.value, 1).bytes;
    const std::uint64_t seconds = std::min(find_field(delay, 1).value, longest_pause_seconds);
    const std::uint64_t nanos = std::min<std::uint64_t>(find_field(delay, 2).value, 999'999'999);
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000 + nanos / 1'000'000));
  }
  return std::nullopt;
}

Status& Status::set_retry_after(std::chrono::milliseconds pause) {
  if (!rep_) return *this;
  const std::uint64_t count = static_cast<std::uint64_t>(std::max<std::int64_t>(0, pause.count()));
  std::string delay;
  base::append_protobuf_varint(1, count / 1000, delay);
  base::append_protobuf_varint(2, count % 1000 * 1'000'000, delay);
  std::string info;
  base::append_protobuf_bytes(1, delay, info);
  return add_detail(std::string(retry_info_type), std::move(info));
}

bool Status::should_reconnect() const noexcept {
  const std::span<const StatusDetail> all = details();
  return std::any_of(all.begin(), all.end(), [](const StatusDetail& detail) {
    return detail.type_url == error_info_type && find_field(detail.value, 1).bytes == draining_reason &&
           find_field(detail.value, 2).bytes == draining_domain;
  });
}

Status& Status::set_should_reconnect() {
  std::string info;
  base::append_protobuf_bytes(1, draining_reason, info);
  base::append_protobuf_bytes(2, draining_domain, info);
  return add_detail(std::string(error_info_type), std::move(info));
}

std::string Status::to_string() const {
  std::string text(trunkline::to_string(code()));
  if (!message().empty()) text.append(": ").append(message());
  return text;
}

bool operator==(const Status& a, const Status& b) noexcept {
  if (!a.rep_ || !b.rep_) return !a.rep_ && !b.rep_;
  return a.rep_->code == b.rep_->code && a.rep_->message == b.rep_->message && a.rep_->details == b.rep_->details;
}

}  // namespace trunkline
