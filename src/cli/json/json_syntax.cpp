// SPDX-License-Identifier: MIT
// check_json(): uses the parser of nlohmann_json and rewrites its errors.
#include "cli/json/json_syntax.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline::cli::json {
namespace {

/// Returns the reason in a text such as "[...] syntax error while parsing value - invalid literal; last read: 'x'".
std::string reason_of(std::string_view error) {
  const std::size_t last_read = error.find("; last read");
  const std::size_t dash = error.find(" - ");
  std::string_view reason = dash == std::string_view::npos ? error : error.substr(dash + 3);
  if (last_read != std::string_view::npos && last_read > dash) {
    const std::string_view expected = error.substr(std::min(error.size(), error.rfind("; expected")));
    reason = error.substr(dash + 3, last_read - dash - 3);
    return std::string(reason).append(expected);
  }
  return std::string(reason);
}

std::string position_of(const JsonText& value, std::size_t byte) {
  std::size_t line = value.line;
  std::size_t column = value.column;
  const std::size_t end = std::min(value.text.size(), byte == 0 ? 0 : byte - 1);
  for (std::size_t at = 0; at < end; ++at) {
    ++column;
    if (value.text[at] == '\n') ++line, column = 1;
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

/// A handler that accepts every value and keeps the first error of the parser.
class Check final : public nlohmann::json::json_sax_t {
 public:
  explicit Check(const JsonText& value) : value_(value) {}
  Status take() { return std::move(status_); }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception& error) override {
    status_ = Status(StatusCode::invalid_argument, position_of(value_, byte) + ": " + reason_of(error.what()));
    return false;
  }

 private:
  const JsonText& value_;
  Status status_;
};

}  // namespace

Status check_json(const JsonText& value) {
  Check check(value);
  nlohmann::json::sax_parse(value.text, &check);
  return check.take();
}

}  // namespace trunkline::cli::json
