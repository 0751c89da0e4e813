// SPDX-License-Identifier: MIT
// Reads the command line of the load programs.
#include "load_options.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace trunkline::bench {
namespace {

constexpr const char* usage =
    "[serve|client] --endpoint URI [--bytes N] [--connections N] [--outstanding N] [--seconds S] [--warmup S]\n"
    "       [--busy-poll] [--congestion NAME]\n";

bool read_number(const char* text, double least, double& number) {
  char* end = nullptr;
  number = std::strtod(text, &end);
  return end != text && *end == '\0' && std::isfinite(number) && number >= least && number <= 1e9;
}

template <class Integer>
bool read_integer(const char* text, double least, Integer& integer) {
  double number = 0;
  if (!read_number(text, least, number) || number != std::floor(number)) return false;
  integer = static_cast<Integer>(number);
  return true;
}

bool read_option(LoadOptions& options, std::string_view name, const char* value) {
  if (name == "--endpoint") return options.endpoint = value, true;
  if (name == "--congestion") return options.congestion = value, true;
  if (name == "--bytes") return read_integer(value, 0, options.bytes);
  if (name == "--connections") return read_integer(value, 1, options.connections);
  if (name == "--outstanding") return read_integer(value, 1, options.outstanding);
  if (name == "--seconds") return read_number(value, 0.001, options.seconds);
  if (name == "--warmup") return read_number(value, 0, options.warmup);
  return false;
}

std::nullopt_t refuse(const char* program, const std::string& reason) {
  std::fprintf(stderr, "%s: %s\nusage: %s %s", program, reason.c_str(), program, usage);
  return std::nullopt;
}

}  // namespace

std::optional<LoadOptions> parse_load_options(std::string mode, int count, char** arguments) {
  LoadOptions options;
  int index = 1;
  options.mode = std::move(mode);
  if (options.mode.empty() && count > 1) options.mode = arguments[index++];
  if (options.mode != "serve" && options.mode != "client")
    return refuse(arguments[0], "first argument is neither serve nor client");
  for (; index < count; ++index) {
    const std::string name = arguments[index];
    if (name == "--busy-poll") {
      options.busy_poll = true;
      continue;
    }
    if (index + 1 == count) return refuse(arguments[0], "option " + name + " is unknown or lacks its value");
    const char* value = arguments[++index];
    if (!read_option(options, name, value))
      return refuse(arguments[0], "option " + name + " is unknown or '" + value + "' is no value for it");
  }
  if (options.endpoint.empty()) return refuse(arguments[0], "option --endpoint is missing");
  if (options.outstanding < options.connections)
    return refuse(arguments[0], "--outstanding is less than --connections");
  return options;
}

}  // namespace trunkline::bench
