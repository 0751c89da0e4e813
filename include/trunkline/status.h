// SPDX-License-Identifier: MIT
// The outcome of a call: one of the 17 canonical codes, a message, details, and where it came from.
#pragma once

#include <trunkline/export.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline {

/// The canonical status codes, with the numbers gRPC gives them
/// (https://grpc.github.io/grpc/core/md_doc_statuscodes.html).
enum class StatusCode : std::uint8_t {
  ok = 0,                   ///< the call succeeded
  cancelled = 1,            ///< the caller gave the call up
  unknown = 2,              ///< an error without a better code
  invalid_argument = 3,     ///< the argument is wrong whatever the state of the system
  deadline_exceeded = 4,    ///< the deadline passed before the call completed; it may have run
  not_found = 5,            ///< something asked for does not exist
  already_exists = 6,       ///< something to be created exists
  permission_denied = 7,    ///< the caller is known and may not do this
  resource_exhausted = 8,   ///< a limit was hit (quota, size, concurrency)
  failed_precondition = 9,  ///< the system is not in the state the call needs
  aborted = 10,             ///< a conflict with another call; repeat the whole sequence
  out_of_range = 11,        ///< past the valid range, e.g. reading past the end
  unimplemented = 12,       ///< the method, codec or compressor is unknown to the server
  internal = 13,            ///< an invariant is broken; also a handler that threw
  unavailable = 14,         ///< the peer cannot be reached or is going away; retry with backoff
  data_loss = 15,           ///< unrecoverable loss or corruption of data
  unauthenticated = 16,     ///< no valid credentials
};

/// Lower-case canonical name, e.g. "deadline_exceeded"; "unknown" for a value outside the enumeration.
TRUNKLINE_API std::string_view to_string(StatusCode code) noexcept;

/// True for 0 to 16.
constexpr bool is_valid_status_code(std::uint32_t value) noexcept { return value <= 16; }

/// Who said it: the peer's handler or runtime, this process, or the connection between them.
enum class StatusOrigin : std::uint8_t { local, peer, transport };

TRUNKLINE_API std::string_view to_string(StatusOrigin origin) noexcept;

/// One typed detail, the parts of a google.protobuf.Any: a type URL and the serialized message.
struct StatusDetail {
  std::string type_url;
  std::string value;
  bool operator==(const StatusDetail&) const = default;
};

class TRUNKLINE_API Status;  // here, because the two attributes cannot stand side by side

/// A status is one pointer wide; ok holds none and costs no allocation. Copies are deep. Not thread-safe to modify.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  /// `message` is lower case without full stop and says what was tried, the value, the limit and the option.
  /// A code of ok drops the message; a code outside the enumeration becomes unknown.
  Status(StatusCode code, std::string_view message, StatusOrigin origin = StatusOrigin::local);
  Status(const Status& other);
  Status(Status&&) noexcept = default;
  Status& operator=(const Status& other);
  Status& operator=(Status&&) noexcept = default;
  ~Status() = default;

  static Status ok() noexcept { return {}; }

  bool is_ok() const noexcept { return rep_ == nullptr; }
  explicit operator bool() const noexcept { return is_ok(); }
  StatusCode code() const noexcept { return rep_ ? rep_->code : StatusCode::ok; }
  std::string_view message() const noexcept { return rep_ ? std::string_view(rep_->message) : std::string_view(); }
  StatusOrigin origin() const noexcept { return rep_ ? rep_->origin : StatusOrigin::local; }
  /// False only if it is certain that no handler has seen the call, so that repeating it is safe.
  bool may_have_run() const noexcept { return rep_ ? rep_->may_have_run : true; }
  std::span<const StatusDetail> details() const noexcept;

  /// These change nothing on an ok status. They return *this for chaining.
  Status& set_origin(StatusOrigin origin) noexcept;
  Status& set_may_have_run(bool value) noexcept;
  Status& add_detail(std::string type_url, std::string value);

  /// "deadline_exceeded: call example.Echo/Say: ..." or "ok".
  std::string to_string() const;

  /// Compares code, message and details: what was said, not who said it.
  friend bool operator==(const Status& a, const Status& b) noexcept;

 private:
  struct Rep {
    StatusCode code;
    StatusOrigin origin;
    bool may_have_run = true;
    std::string message;
    std::vector<StatusDetail> details;
  };
  std::unique_ptr<Rep> rep_;
};

}  // namespace trunkline
