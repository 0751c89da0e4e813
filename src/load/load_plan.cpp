// SPDX-License-Identifier: MIT
// Names of kinds, and how many calls are timed.
#include "load/load_plan.h"

namespace trunkline::load {
namespace {

/// With this many calls in progress on a loop, only some calls are timed.
constexpr std::size_t deep = 32;
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
  // At a rate the clock is read in any case, to know what is due, and each call has a time at which it was due.
  if (plan.rate > 0 || plan.outstanding / plan.threads < deep) return 1;
  return plan.kind == CallKind::unary || plan.kind == CallKind::one_way ? sparse : 1;
}

}  // namespace trunkline::load
