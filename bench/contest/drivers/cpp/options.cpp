// SPDX-License-Identifier: MIT
// Reads the command line of a contestant's program.
#include "options.h"

#include <charconv>
#include <cstdio>
#include <system_error>

namespace trunkline::contest {
namespace {

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_text(std::string_view name, const char* value, Options& options) {
  if (name == "--target") return options.target = value, true;
  if (name == "--work") return options.work = value, true;
  if (name == "--certificate") return options.certificate = value, true;
  if (name == "--key") return options.key = value, true;
  if (name == "--backend") return options.backend = value, true;
  if (name == "--codec") return options.codec = value, true;
  return false;
}

bool read_value(std::string_view name, const char* value, Options& options) {
  if (read_text(name, value, options)) return true;
  if (name == "--bytes") return read_number(value, options.bytes);
  if (name == "--connections") return read_number(value, options.connections) && options.connections > 0;
  if (name == "--outstanding") return read_number(value, options.outstanding) && options.outstanding > 0;
  if (name == "--seconds") return read_number(value, options.seconds) && options.seconds > 0;
  if (name == "--warmup") return read_number(value, options.warmup) && options.warmup >= 0;
  return false;
}

std::nullopt_t refuse(const char* program, const std::string& reason) {
  std::fprintf(stderr, "%s: %s\nusage: %s serve|call [--target T] [--work W] [--bytes N] [--connections N]\n", program,
               reason.c_str(), program);
  std::fputs("       [--outstanding N] [--seconds S] [--warmup S] [--certificate FILE] [--key FILE] [--backend T]\n",
             stderr);
  std::fputs("       [--codec C] [--pipelined] [--busy-poll]\n", stderr);
  return std::nullopt;
}

}  // namespace

std::optional<Options> parse_options(int count, char** arguments) {
  Options options;
  const std::string_view role = count > 1 ? arguments[1] : "";
  if (role != "serve" && role != "call") return refuse(arguments[0], "first argument is neither serve nor call");
  options.serves = role == "serve";
  for (int index = 2; index < count; ++index) {
    const std::string_view name = arguments[index];
    if (name == "--pipelined") {
      options.pipelined = true;
    } else if (name == "--busy-poll") {
      options.busy_poll = true;
    } else if (index + 1 == count || !read_value(name, arguments[index + 1], options)) {
      return refuse(arguments[0], "option " + std::string(name) + " is unknown or its value is none");
    } else {
      ++index;
    }
  }
  if (!options.serves && options.target.empty()) return refuse(arguments[0], "option --target is missing");
  if (options.outstanding < options.connections) {
    return refuse(arguments[0], "--outstanding is less than --connections");
  }
  return options;
}

void say_listening(const std::string& target) {
  std::printf("listening on %s\n", target.c_str());
  std::fflush(stdout);
}

}  // namespace trunkline::contest
