// SPDX-License-Identifier: MIT
// LoadPlan: the names of kinds, and the share of calls that is timed.
#include "load/load_plan.h"

namespace trunkline::load {
namespace {

/// With at least this many calls in progress on a loop, only some calls are timed.
constexpr std::size_t sampling_threshold = 32;
constexpr std::size_t sparse = 16;

}  // namespace

std::string_view to_string(CallKind kind) noexcept {
  switch (kind) {
    case CallKind::unary:
      return "unary";
    case CallKind::one_way:
      return "one-way";
    case CallKind::client_stream:
      return "client-stream";
    case CallKind::server_stream:
      return "server-stream";
    case CallKind::bidirectional:
      return "bidi-stream";
  }
  return "unary";
}

std::size_t sampling_of(const LoadPlan& plan) noexcept {
  // An open loop reads the clock anyway to know which calls are due, and each call has a due time.
  if (plan.rate > 0 || plan.outstanding / plan.threads < sampling_threshold) return 1;
  return plan.kind == CallKind::unary || plan.kind == CallKind::one_way ? sparse : 1;
}

}  // namespace trunkline::load
