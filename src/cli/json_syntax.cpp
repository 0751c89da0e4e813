// SPDX-License-Identifier: MIT
// nlohmann_json's parser, and its errors in our words.
#include "cli/json_syntax.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace trunkline::cli {
namespace {

/// "[...] parse error at line 1, column 2: syntax error while parsing value - invalid literal; last read: 'x'"
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

}  // namespace

Result<nlohmann::ordered_json> parse_json(const JsonText& value) {
  try {
    return nlohmann::ordered_json::parse(value.text);
  } catch (const nlohmann::json::parse_error& error) {
    return Status(StatusCode::invalid_argument, position_of(value, error.byte) + ": " + reason_of(error.what()));
  } catch (const nlohmann::json::exception& error) {
    return Status(StatusCode::invalid_argument, position_of(value, 0) + ": " + reason_of(error.what()));
  }
}

}  // namespace trunkline::cli
