// SPDX-License-Identifier: MIT
// Cleans comments once, then makes them safe for each language.
#include "codegen/comment.h"

#include "codegen/identifier.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace trunkline::codegen {

namespace {

// Checks the second byte. Its range excludes overlong forms, surrogates and values beyond U+10FFFF.
bool is_second_byte(std::uint8_t first, std::uint8_t second) {
  const std::uint8_t lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  return second >= lowest && second <= highest;
}

// Returns the length of the UTF-8 sequence that begins at this byte; 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto first = static_cast<std::uint8_t>(text.front());
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > text.size()) return 0;
  if (length > 1 && !is_second_byte(first, static_cast<std::uint8_t>(text[1]))) return 0;
  const auto continues = [](char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0) == 0x80; };
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(length), continues) ? length : 0;
}

// Returns valid UTF-8 on one line: control characters and line breaks that only some tools know become spaces.
std::string clean(std::string_view line) {
  std::string result;
  while (!line.empty()) {
    const std::size_t length = sequence_length(line);
    const std::string_view sequence = line.substr(0, std::max<std::size_t>(length, 1));
    const bool is_control = static_cast<std::uint8_t>(line.front()) < 0x20 || line.front() == 0x7F ||
                            (sequence >= "\u0080" && sequence <= "\u009F") || sequence == "\u2028" ||
                            sequence == "\u2029";
    result += length == 0 ? std::string_view("\uFFFD") : is_control ? std::string_view(" ") : sequence;
    line.remove_prefix(sequence.size());
  }
  result.erase(result.find_last_not_of(' ') + 1);
  return result;
}

// Removes the spaces with which all lines begin. Most comments have one, as in `// text`.
void remove_margin(Comment& lines) {
  std::size_t margin = std::string::npos;
  for (const std::string& line : lines) {
    if (!line.empty()) margin = std::min(margin, line.find_first_not_of(' '));
  }
  for (std::string& line : lines) line.erase(0, std::min(margin, line.size()));
}

Comment lines_of(std::string_view text) {
  Comment lines;
  for (const std::string& line : split(text, '\n')) lines.push_back(clean(line));
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  lines.erase(lines.begin(), std::find_if(lines.begin(), lines.end(), [](const auto& line) { return !line.empty(); }));
  remove_margin(lines);
  return lines;
}

// A character that changes the direction of text, as an HTML character reference, which documentation tools display,
// and as a Python escape.
struct Direction {
  std::string_view character;
  std::string_view entity;
  std::string_view escape;
};
constexpr std::array<Direction, 11> directions{{{"\u200E", "&#x200E;", "\\u200e"},
                                                {"\u200F", "&#x200F;", "\\u200f"},
                                                {"\u202A", "&#x202A;", "\\u202a"},
                                                {"\u202B", "&#x202B;", "\\u202b"},
                                                {"\u202C", "&#x202C;", "\\u202c"},
                                                {"\u202D", "&#x202D;", "\\u202d"},
                                                {"\u202E", "&#x202E;", "\\u202e"},
                                                {"\u2066", "&#x2066;", "\\u2066"},
                                                {"\u2067", "&#x2067;", "\\u2067"},
                                                {"\u2068", "&#x2068;", "\\u2068"},
                                                {"\u2069", "&#x2069;", "\\u2069"}}};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

}  // namespace

Comment comment_of(const google::protobuf::SourceCodeInfo::Location& location) {
  Comment lines = lines_of(location.leading_comments());
  const Comment trailing = lines_of(location.trailing_comments());
  if (!lines.empty() && !trailing.empty()) lines.emplace_back();
  lines.insert(lines.end(), trailing.begin(), trailing.end());
  return lines;
}

std::string cpp_comment_line(std::string_view line) {
  std::string result(line);
  for (const Direction& direction : directions) replace_all(result, direction.character, direction.entity);
  const std::string_view trigraph = "?\?/";
  if (!result.empty() && result.back() == '\\') {
    result.replace(result.size() - 1, 1, "&#92;");
  } else if (result.size() >= trigraph.size() && std::string_view(result).substr(result.size() - 3) == trigraph) {
    result.replace(result.size() - 1, 1, "&#47;");
  }
  return result;
}

std::vector<std::string> cpp_literals(const Comment& comment) {
  std::vector<std::string> literals;
  for (const std::string& line : comment) {
    std::string& literal = literals.emplace_back("\"");
    for (const char character : line) {
      const auto byte = static_cast<unsigned char>(character);
      const bool may_be_trigraph = character == '?' && literal.back() == '?';
      if (character == '"' || character == '\\' || may_be_trigraph) {
        literal.append(1, '\\').append(1, character);
      } else if (byte < 0x80) {
        literal += character;
      } else {  // octal, because it ends after three digits
        literal.append({'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + ((byte >> 3) & 7)),
                        static_cast<char>('0' + (byte & 7))});
      }
    }
    literal += &line == &comment.back() ? "\"" : "\\n\"";
  }
  return literals;
}

std::vector<std::string> python_docstring(const Comment& comment) {
  std::vector<std::string> lines(comment);
  for (std::string& line : lines) {
    replace_all(line, "\\", "\\\\");
    for (const Direction& direction : directions) replace_all(line, direction.character, direction.escape);
    const bool meets_quotes = lines.size() == 1 && line.back() == '"';
    if (meets_quotes || line.find("\"\"\"") != std::string::npos) replace_all(line, "\"", "\\\"");
  }
  lines.front().insert(0, "\"\"\"");
  if (lines.size() == 1) {
    lines.back() += "\"\"\"";
  } else {
    lines.emplace_back("\"\"\"");
  }
  return lines;
}

}  // namespace trunkline::codegen
