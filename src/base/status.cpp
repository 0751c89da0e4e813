// SPDX-License-Identifier: MIT
// Status: the names of codes, copies, and the text for people.
#include <trunkline/status.h>

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
