// SPDX-License-Identifier: MIT
// Fuzz target: the input as a service config; what is accepted keeps the ranges that the channel relies on.
#include <trunkline/service_config.h>

#include <fuzz/requirement.h>

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline;
  const auto config = ServiceConfig::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!config.is_ok()) {
    fuzz::require(config.status().code() == StatusCode::invalid_argument);
    fuzz::require(config.status().message().starts_with("service config: "));
    return 0;
  }
  for (const MethodConfig& method : config->methods) {
    fuzz::require(!method.retry || !method.hedging);
    if (method.retry) {
      fuzz::require(method.retry->max_attempts >= 2 && method.retry->max_attempts <= RetryOptions::most_attempts);
      fuzz::require(method.retry->initial_backoff.count() > 0 && method.retry->max_backoff.count() > 0);
      fuzz::require(method.retry->backoff_multiplier > 0);
    }
    if (method.hedging) {
      fuzz::require(method.hedging->max_attempts >= 2 && method.hedging->max_attempts <= RetryOptions::most_attempts);
      fuzz::require(!method.hedging->delay || method.hedging->delay->count() >= 0);
      fuzz::require(method.hedging->percentile > 0 && method.hedging->percentile < 1);
      fuzz::require(method.hedging->max_extra > 0 && method.hedging->max_extra <= RetryOptions::most_attempts - 1);
    }
    for (const std::string& name : method.names) fuzz::require(config->find(name) != nullptr);
  }
  fuzz::require(!config->retry_throttling || config->retry_throttling->max_tokens > 0);
  return 0;
}
