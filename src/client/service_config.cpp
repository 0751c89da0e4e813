// SPDX-License-Identifier: MIT
// ServiceConfig: checks every member of the JSON text that is known, and ignores the others.
#include <trunkline/service_config.h>

#include "codec/json_codec.h"

#include <trunkline/slice.h>
#include <trunkline/value.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <unordered_set>
#include <utility>

namespace trunkline {

namespace {

constexpr CodecLimits limits{.max_value_nodes = 1u << 18};
/// The most seconds of a protobuf Duration.
constexpr std::int64_t max_seconds = 315'576'000'000;
/// The deepest nesting of policies within policies, such as those of outlier_detection_experimental.
constexpr int max_nested_policies = 8;

Status wrong(const std::string& path, const std::string& problem) {
  return {StatusCode::invalid_argument, "service config: " + path + ": " + problem};
}

std::string path_of(const std::string& parent, std::string_view member) {
  return parent.empty() ? std::string(member) : parent + "." + std::string(member);
}

std::string path_of(const std::string& parent, std::size_t index) { return parent + "[" + std::to_string(index) + "]"; }

/// Says how one member of a JSON object is read into a T.
template <class T>
struct Member {
  std::string_view name;
  Status (*read)(const Value& value, const std::string& path, T& into);
};

/// Reads a member. A null counts as a member that is not there, as in the JSON form of protobuf.
template <class T>
Status read_members(const Value& object, const std::string& path, std::span<const Member<T>> known, T& into) {
  if (!object.is_object()) return wrong(path.empty() ? "the text" : path, "is not an object");
  for (const auto& [name, value] : object.as_object()) {
    const auto member =
        std::find_if(known.begin(), known.end(), [&wanted = name](const Member<T>& m) { return m.name == wanted; });
    if (member == known.end() || value.is_null()) continue;
    if (Status status = member->read(value, path_of(path, name), into); !status.is_ok()) return status;
  }
  return {};
}

/// Calls `read_element(value, path)` for each element of an array.
template <class Read>
Status read_array(const Value& value, const std::string& path, Read read_element) {
  if (!value.is_array()) return wrong(path, "is not an array");
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (Status status = read_element(value.at(i), path_of(path, i)); !status.is_ok()) return status;
  }
  return {};
}

Status read_text(const Value& value, const std::string& path, std::string& text) {
  if (!value.is_string()) return wrong(path, "is not text");
  text = value.as_string();
  return {};
}

/// Reads a number, or text that is one: protobuf writes 64-bit integers as text.
Status read_number(const Value& value, const std::string& path, double& number) {
  if (value.is_number()) {
    number = value.as_double();
    return {};
  }
  if (!value.is_string()) return wrong(path, "is not a number");
  const std::string& text = value.as_string();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return wrong(path, "'" + text + "' is not a number");
  return {};
}

Status read_whole(const Value& value, const std::string& path, std::uint32_t& whole) {
  double number = 0;
  if (Status status = read_number(value, path, number); !status.is_ok()) return status;
  if (!(number >= 0 && number <= std::numeric_limits<std::uint32_t>::max()) || number != std::floor(number)) {
    return wrong(path, "is not a whole number of 0 to 4294967295");
  }
  whole = static_cast<std::uint32_t>(number);
  return {};
}

Status read_duration(const Value& value, const std::string& path, std::chrono::nanoseconds& duration) {
  if (!value.is_string()) return wrong(path, "is not text such as \"1.5s\"");
  const std::string& text = value.as_string();
  const Status malformed = wrong(path, "'" + text + "' is not a duration such as 1.5s");
  const char* const end = text.data() + text.size();
  std::int64_t seconds = 0;
  const auto [point, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || text.front() == '-' || seconds > max_seconds || point == end) return malformed;
  std::int64_t nanoseconds = 0;
  const char* rest = point;
  if (*rest == '.') {
    const char* const digits = ++rest;
    for (; rest != end && *rest >= '0' && *rest <= '9'; ++rest) nanoseconds = nanoseconds * 10 + (*rest - '0');
    if (rest == digits || rest - digits > 9) return malformed;
    for (auto count = rest - digits; count < 9; ++count) nanoseconds *= 10;
  }
  if (rest == end || *rest != 's' || rest + 1 != end) return malformed;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 1'000'000'000 - 1;
  duration = std::chrono::nanoseconds(std::min(seconds, most) * 1'000'000'000 + nanoseconds);
  return {};
}

Status read_positive_duration(const Value& value, const std::string& path, std::chrono::nanoseconds& duration) {
  if (Status status = read_duration(value, path, duration); !status.is_ok()) return status;
  return duration > duration.zero() ? Status() : wrong(path, "is not more than 0s");
}

Status read_attempts(const Value& value, const std::string& path, int& attempts) {
  std::uint32_t number = 0;
  if (Status status = read_whole(value, path, number); !status.is_ok()) return status;
  if (number < 2) return wrong(path, std::to_string(number) + " is less than 2");
  attempts = static_cast<int>(std::min<std::uint32_t>(number, RetryOptions::most_attempts));
  return {};
}

/// Reads a code, such as "UNAVAILABLE" or 14.
Status read_code(const Value& value, const std::string& path, StatusCodeSet& codes) {
  if (value.kind() == Value::Kind::int64 && value.as_int64() > 0 && value.as_int64() <= 16) {
    codes.add(static_cast<StatusCode>(value.as_int64()));
    return {};
  }
  if (value.is_string()) {
    for (std::uint32_t code = 1; is_valid_status_code(code); ++code) {
      std::string name(to_string(static_cast<StatusCode>(code)));
      std::transform(name.begin(), name.end(), name.begin(), [](char letter) {
        return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 32) : letter;
      });
      if (name != value.as_string()) continue;
      codes.add(static_cast<StatusCode>(code));
      return {};
    }
  }
  return wrong(path, "is not the name of an error such as UNAVAILABLE");
}

Status read_codes(const Value& value, const std::string& path, StatusCodeSet& codes) {
  codes = {};
  return read_array(value, path,
                    [&](const Value& element, const std::string& place) { return read_code(element, place, codes); });
}

// --- methods ---

struct MethodName {
  std::string service;
  std::string method;
};

constexpr std::array<Member<MethodName>, 2> name_members{{
    {"service", [](const Value& value, const std::string& path,
                   MethodName& name) { return read_text(value, path, name.service); }},
    {"method",
     [](const Value& value, const std::string& path, MethodName& name) { return read_text(value, path, name.method); }},
}};

Status read_name(const Value& value, const std::string& path, std::vector<std::string>& names) {
  MethodName name;
  if (Status status = read_members<MethodName>(value, path, name_members, name); !status.is_ok()) return status;
  if (name.service.empty() && !name.method.empty()) return wrong(path, "has a method without a service");
  names.push_back(name.service.empty() ? std::string() : name.service + "/" + name.method);
  return {};
}

constexpr std::array<Member<RetryOptions>, 6> retry_members{{
    {"maxAttempts", [](const Value& value, const std::string& path,
                       RetryOptions& retry) { return read_attempts(value, path, retry.max_attempts); }},
    {"initialBackoff", [](const Value& value, const std::string& path,
                          RetryOptions& retry) { return read_positive_duration(value, path, retry.initial_backoff); }},
    {"maxBackoff", [](const Value& value, const std::string& path,
                      RetryOptions& retry) { return read_positive_duration(value, path, retry.max_backoff); }},
    {"backoffMultiplier",
     [](const Value& value, const std::string& path, RetryOptions& retry) {
       if (Status status = read_number(value, path, retry.backoff_multiplier); !status.is_ok()) return status;
       const bool is_positive = retry.backoff_multiplier > 0 && std::isfinite(retry.backoff_multiplier);
       return is_positive ? Status() : wrong(path, "is not more than 0");
     }},
    {"retryableStatusCodes", [](const Value& value, const std::string& path,
                                RetryOptions& retry) { return read_codes(value, path, retry.retryable_codes); }},
    {"perAttemptRecvTimeout",
     [](const Value& value, const std::string& path, RetryOptions& retry) {
       return read_positive_duration(value, path, retry.attempt_timeout.emplace());
     }},
}};

bool has(const Value& object, std::string_view name) {
  const Value* const member = object.find(name);
  return member != nullptr && !member->is_null();
}

Status read_retry(const Value& value, const std::string& path, MethodConfig& method) {
  RetryOptions& retry = method.retry.emplace();
  if (Status status = read_members<RetryOptions>(value, path, retry_members, retry); !status.is_ok()) return status;
  for (const std::string_view name : {"maxAttempts", "initialBackoff", "maxBackoff", "backoffMultiplier"}) {
    if (!has(value, name)) return wrong(path_of(path, name), "is missing");
  }
  if (retry.retryable_codes.empty() && !retry.attempt_timeout) {
    return wrong(path_of(path, "retryableStatusCodes"), "is missing or empty");
  }
  return {};
}

constexpr std::array<Member<HedgingOptions>, 5> hedging_members{{
    {"maxAttempts", [](const Value& value, const std::string& path,
                       HedgingOptions& hedging) { return read_attempts(value, path, hedging.max_attempts); }},
    {"hedgingDelay", [](const Value& value, const std::string& path,
                        HedgingOptions& hedging) { return read_duration(value, path, hedging.delay.emplace()); }},
    {"nonFatalStatusCodes", [](const Value& value, const std::string& path,
                               HedgingOptions& hedging) { return read_codes(value, path, hedging.non_fatal_codes); }},
    {"percentile",
     [](const Value& value, const std::string& path, HedgingOptions& hedging) {
       if (Status status = read_number(value, path, hedging.percentile); !status.is_ok()) return status;
       const bool is_share = hedging.percentile > 0 && hedging.percentile < 1;
       return is_share ? Status() : wrong(path, "is not more than 0 and less than 1");
     }},
    {"maxExtra",
     [](const Value& value, const std::string& path, HedgingOptions& hedging) {
       if (Status status = read_number(value, path, hedging.max_extra); !status.is_ok()) return status;
       const bool is_in_range = hedging.max_extra > 0 && hedging.max_extra <= RetryOptions::most_attempts - 1;
       return is_in_range ? Status() : wrong(path, "is not more than 0 and at most 4");
     }},
}};

/// Reads hedging. Without our own members it means what gRPC takes it for: a delay of 0, and the named attempts.
Status read_hedging(const Value& value, const std::string& path, MethodConfig& method) {
  HedgingOptions& hedging = method.hedging.emplace();
  hedging.non_fatal_codes = {};
  if (Status status = read_members<HedgingOptions>(value, path, hedging_members, hedging); !status.is_ok()) {
    return status;
  }
  if (!has(value, "maxAttempts")) return wrong(path_of(path, "maxAttempts"), "is missing");
  if (has(value, "percentile") && has(value, "hedgingDelay")) {
    return wrong(path_of(path, "percentile"), "cannot stand beside hedgingDelay");
  }
  if (!has(value, "percentile") && !hedging.delay) hedging.delay.emplace(0);
  if (!has(value, "percentile") && !has(value, "maxExtra")) hedging.max_extra = hedging.max_attempts - 1;
  return {};
}

constexpr std::array<Member<MethodConfig>, 7> method_members{{
    {"name",
     [](const Value& value, const std::string& path, MethodConfig& method) {
       return read_array(value, path, [&](const Value& element, const std::string& place) {
         return read_name(element, place, method.names);
       });
     }},
    {"waitForReady",
     [](const Value& value, const std::string& path, MethodConfig& method) {
       const bool* const waits = value.get_if<bool>();
       if (waits == nullptr) return wrong(path, "is not true or false");
       method.wait_for_ready = *waits;
       return Status();
     }},
    {"timeout", [](const Value& value, const std::string& path,
                   MethodConfig& method) { return read_duration(value, path, method.timeout.emplace()); }},
    {"maxRequestMessageBytes",
     [](const Value& value, const std::string& path, MethodConfig& method) {
       return read_whole(value, path, method.max_request_bytes.emplace());
     }},
    {"maxResponseMessageBytes",
     [](const Value& value, const std::string& path, MethodConfig& method) {
       return read_whole(value, path, method.max_response_bytes.emplace());
     }},
    {"retryPolicy", read_retry},
    {"hedgingPolicy", read_hedging},
}};

Status read_methods(const Value& value, const std::string& path, ServiceConfig& config) {
  std::unordered_set<std::string_view> known;
  const auto read = [](const Value& element, const std::string& place, MethodConfig& method) {
    Status status = read_members<MethodConfig>(element, place, method_members, method);
    if (status.is_ok() && method.retry && method.hedging) {
      return wrong(place, "has both a retryPolicy and a hedgingPolicy");
    }
    return status;
  };
  const auto add = [&](const Value& element, const std::string& place) {
    return read(element, place, config.methods.emplace_back());
  };
  if (Status status = read_array(value, path, add); !status.is_ok()) return status;
  for (std::size_t i = 0; i < config.methods.size(); ++i) {
    for (const std::string& name : config.methods[i].names) {
      if (!known.insert(name).second) return wrong(path_of(path, i) + ".name", "'" + name + "' has an entry before");
    }
  }
  return {};
}

// --- the policy of balancing ---

struct KnownPolicy {
  std::string_view name;
  BalancingPolicy policy;
};

/// The policies of gRPC, and our own by their names.
constexpr std::array<KnownPolicy, 6> policies{{
    {"round_robin", BalancingPolicy::round_robin},
    {"weighted_round_robin", BalancingPolicy::round_robin},
    {"pick_first", BalancingPolicy::pick_first},
    {"ring_hash_experimental", BalancingPolicy::consistent_hash},
    {"ring_hash", BalancingPolicy::consistent_hash},
    {"least_request_experimental", BalancingPolicy::two_choices},
}};

std::optional<BalancingPolicy> known_policy(std::string_view name) {
  const auto found = std::find_if(policies.begin(), policies.end(), [&](const auto& p) { return p.name == name; });
  return found != policies.end() ? found->policy : balancing_policy(name);
}

Status read_policies(const Value& value, const std::string& path, int depth, std::optional<BalancingPolicy>& policy);

/// Finds the policy that an entry names, if it is known. outlier_detection_experimental has it below it.
Status read_policy(const Value& entry, const std::string& path, int depth, std::optional<BalancingPolicy>& policy) {
  if (!entry.is_object() || entry.size() != 1) return wrong(path, "is not an object with one member");
  const auto& [name, settings] = entry.as_object().front();
  if (!settings.is_object()) return wrong(path_of(path, name), "is not an object");
  if (name == "outlier_detection_experimental" || name == "outlier_detection") {
    const Value* const child = settings.find("childPolicy");
    if (child == nullptr) return wrong(path_of(path, name) + ".childPolicy", "is missing");
    return read_policies(*child, path_of(path, name) + ".childPolicy", depth + 1, policy);
  }
  policy = known_policy(name);
  return {};
}

Status read_policies(const Value& value, const std::string& path, int depth, std::optional<BalancingPolicy>& policy) {
  if (depth > max_nested_policies) return wrong(path, "is nested too deeply");
  std::optional<BalancingPolicy> first;
  Status status = read_array(value, path, [&](const Value& entry, const std::string& place) {
    std::optional<BalancingPolicy> found;
    Status read = read_policy(entry, place, depth, found);
    if (!first) first = found;
    return read;
  });
  if (status.is_ok() && !first && value.size() > 0) return wrong(path, "has no policy that is known");
  if (first) policy = first;
  return status;
}

Status read_policy_name(const Value& value, const std::string& path, std::optional<BalancingPolicy>& policy) {
  std::string name;
  if (Status status = read_text(value, path, name); !status.is_ok()) return status;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter; });
  if (name.empty() || name == "load_balancing_policy_unspecified") return {};
  policy = known_policy(name);
  return policy ? Status() : wrong(path, "'" + name + "' is not a policy that is known");
}

// --- the rest ---

constexpr std::array<Member<RetryThrottling>, 2> throttling_members{{
    {"maxTokens",
     [](const Value& value, const std::string& path, RetryThrottling& throttling) {
       std::uint32_t tokens = 0;
       if (Status status = read_whole(value, path, tokens); !status.is_ok()) return status;
       if (tokens < 1 || tokens > 1000) return wrong(path, std::to_string(tokens) + " is not 1 to 1000");
       throttling.max_tokens = static_cast<int>(tokens);
       return Status();
     }},
    {"tokenRatio",
     [](const Value& value, const std::string& path, RetryThrottling& throttling) {
       if (Status status = read_number(value, path, throttling.token_ratio); !status.is_ok()) return status;
       const bool is_in_range = throttling.token_ratio >= 0.001 && throttling.token_ratio <= 1000;
       return is_in_range ? Status() : wrong(path, "is not 0.001 to 1000");
     }},
}};

Status read_throttling(const Value& value, const std::string& path, ServiceConfig& config) {
  RetryThrottling& throttling = config.retry_throttling.emplace();
  Status status = read_members<RetryThrottling>(value, path, throttling_members, throttling);
  if (!status.is_ok()) return status;
  for (const std::string_view name : {"maxTokens", "tokenRatio"}) {
    if (!has(value, name)) return wrong(path_of(path, name), "is missing");
  }
  return {};
}

constexpr std::array<Member<ServiceConfig>, 1> health_members{{
    {"serviceName", [](const Value& value, const std::string& path,
                       ServiceConfig& config) { return read_text(value, path, config.health_service.emplace()); }},
}};

constexpr std::array<Member<ServiceConfig>, 3> config_members{{
    {"methodConfig", read_methods},
    {"retryThrottling", read_throttling},
    {"healthCheckConfig",
     [](const Value& value, const std::string& path, ServiceConfig& config) {
       return read_members<ServiceConfig>(value, path, health_members, config);
     }},
}};

/// Reads the policy. loadBalancingConfig takes the place of loadBalancingPolicy, which is out of use.
Status read_balancing(const Value& root, ServiceConfig& config) {
  if (has(root, "loadBalancingPolicy")) {
    Status status = read_policy_name(root.at("loadBalancingPolicy"), "loadBalancingPolicy", config.balancing_policy);
    if (!status.is_ok()) return status;
  }
  if (!has(root, "loadBalancingConfig")) return {};
  return read_policies(root.at("loadBalancingConfig"), "loadBalancingConfig", 0, config.balancing_policy);
}

}  // namespace

Result<ServiceConfig> ServiceConfig::parse(std::string_view json) {
  const codec::JsonCodec codec(limits);
  Value root;
  if (Status status = codec.decode(Slice::copy_of(json), MutableMessageView::of(root)); !status.is_ok()) {
    return Status(StatusCode::invalid_argument, "service config: " + std::string(status.message()));
  }
  ServiceConfig config;
  Status status = read_members<ServiceConfig>(root, {}, config_members, config);
  if (status.is_ok()) status = read_balancing(root, config);
  if (!status.is_ok()) return status;
  return config;
}

const MethodConfig* ServiceConfig::find(std::string_view method) const noexcept {
  const auto slash = method.rfind('/');
  const std::string_view service = slash == std::string_view::npos ? std::string_view() : method.substr(0, slash + 1);
  const MethodConfig* best = nullptr;
  std::size_t best_length = 0;
  for (const MethodConfig& config : methods) {
    for (const std::string& name : config.names) {
      const bool applies = name == method || name == service || name.empty();
      if (applies && (best == nullptr || name.size() > best_length)) {
        best = &config;
        best_length = name.size();
      }
    }
  }
  return best;
}

}  // namespace trunkline
