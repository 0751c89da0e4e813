// SPDX-License-Identifier: MIT
// Status: the outcome of a call - one of the 17 canonical codes, a message, details, and where it originated.
#pragma once

#include <trunkline/detail/export.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline {

/// The canonical status codes, with the numbers gRPC gives them
/// (https://grpc.github.io/grpc/core/md_doc_statuscodes.html).
enum class StatusCode : std::uint8_t {
  /// The call succeeded.
  ok = 0,
  /// The caller cancelled the call.
  cancelled = 1,
  /// An error for which no other code fits.
  unknown = 2,
  /// The argument is wrong regardless of the state of the system.
  invalid_argument = 3,
  /// The deadline passed before the call finished; the call may have run.
  deadline_exceeded = 4,
  /// A requested entity does not exist.
  not_found = 5,
  /// An entity to be created exists already.
  already_exists = 6,
  /// The caller is authenticated but not permitted to do this.
  permission_denied = 7,
  /// A limit was reached (quota, size, concurrency).
  resource_exhausted = 8,
  /// The system is not in the state that the call requires.
  failed_precondition = 9,
  /// The call conflicted with another one; retry the whole sequence of calls.
  aborted = 10,
  /// A value is past the valid range, e.g. by reading past the end.
  out_of_range = 11,
  /// The server does not know the method, codec or compressor.
  unimplemented = 12,
  /// An invariant is broken; a handler that threw is reported with this code, too.
  internal = 13,
  /// The peer cannot be reached or is shutting down; retry with backoff.
  unavailable = 14,
  /// Data was lost or corrupted, and cannot be recovered.
  data_loss = 15,
  /// The call carries no valid credentials.
  unauthenticated = 16,
};

/// Returns the canonical name in lower case, e.g. "deadline_exceeded"; "unknown" for a value outside the enumeration.
TRUNKLINE_API std::string_view to_string(StatusCode code) noexcept;

/// Returns true for 0 to 16.
constexpr bool is_valid_status_code(std::uint32_t value) noexcept { return value <= 16; }

/// The origin of a status: this process, the peer's handler or runtime, or the connection between the two.
enum class StatusOrigin : std::uint8_t { local, peer, transport };

TRUNKLINE_API std::string_view to_string(StatusOrigin origin) noexcept;

/// One typed detail, equivalent to a google.protobuf.Any: a type URL and the serialized message.
struct StatusDetail {
  std::string type_url;
  std::string value;
  bool operator==(const StatusDetail&) const = default;
};

// Status is declared separately, because the two attributes cannot stand side by side.
class TRUNKLINE_API Status;

/// The outcome of a call. It has the size of one pointer; ok is a null pointer and costs no allocation. Copies are
/// deep. Concurrent modification is not allowed.
class [[nodiscard]] Status {
 public:
  Status() noexcept = default;
  /// `message` is lower case without a full stop and states what was tried, the value, the limit and the option. With
  /// the code ok the message is dropped; a code outside the enumeration becomes unknown.
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
  /// Returns false only if certainly no handler has seen the call, so that a retry is safe.
  bool may_have_run() const noexcept { return rep_ ? rep_->may_have_run : true; }
  std::span<const StatusDetail> details() const noexcept;
  /// Returns when the server wants the call again, if it says so: an overloaded server does, and so may a handler. It
  /// is the detail google.rpc.RetryInfo; gRPC also gets it as grpc-retry-pushback-ms.
  std::optional<std::chrono::milliseconds> retry_after() const noexcept;
  /// Returns true if the server ended a stream because it will shut down. The client may open it again at once, on
  /// another server. The detail is google.rpc.ErrorInfo with the reason "SERVER_DRAINING" and the domain "trunkline".
  bool should_reconnect() const noexcept;

  /// These functions do nothing on an ok status. They return *this for chaining.
  Status& set_origin(StatusOrigin origin) noexcept;
  Status& set_may_have_run(bool value) noexcept;
  Status& add_detail(std::string type_url, std::string value);
  /// Sets retry_after(). Negative durations count as 0.
  Status& set_retry_after(std::chrono::milliseconds pause);
  /// Sets should_reconnect(), for handlers that end a stream because the server drains.
  Status& set_should_reconnect();

  /// Returns "deadline_exceeded: call example.Echo/Say: ..." and the like, or "ok".
  std::string to_string() const;

  /// Compares code, message and details, but not the origin.
  friend bool operator==(const Status& a, const Status& b) noexcept;

 private:
  struct Rep {
    StatusCode code;
    StatusOrigin origin;
    bool may_have_run = true;
    std::string message;
    std::vector<StatusDetail> details;
  };
  /// Frees `rep`. It is out of line, so that the end of an ok status, the usual one, is a comparison.
  static void destroy(Rep* rep) noexcept;
  struct Destroy {
    void operator()(Rep* rep) const noexcept { destroy(rep); }
  };
  std::unique_ptr<Rep, Destroy> rep_;
};

}  // namespace trunkline
