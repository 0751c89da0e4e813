// SPDX-License-Identifier: MIT
// lay_out(): copies tokens and writes new white space between them.
#include "cli/json/json_layout.h"

namespace trunkline::cli::json {
namespace {

constexpr bool is_space(char byte) { return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r'; }

/// Returns the end of the text that begins with the quote at `at`.
std::size_t end_of_text(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at) {
    if (json[at] == '\\') ++at;
  }
  return at + 1 < json.size() ? at + 1 : json.size();
}

/// Appends the byte, escaped if terminals treat it as a control character: DEL, and U+0080 to U+009F, whose two bytes
/// are both consumed.
void append_safely(std::string& result, std::string_view json, std::size_t& at) {
  const auto next = static_cast<unsigned char>(at + 1 < json.size() ? json[at + 1] : 0);
  const bool is_c1 = json[at] == '\xC2' && next >= 0x80 && next < 0xA0;
  if (!is_c1 && json[at] != '\x7F') {
    result += json[at];
    return;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  const unsigned code = is_c1 ? next : 0x7F;
  result.append("\\u00").append(1, digits[code >> 4]).append(1, digits[code & 15]);
  if (is_c1) ++at;
}

class Writer {
 public:
  explicit Writer(JsonLayout layout) : is_pretty_(layout == JsonLayout::pretty) {}

  void open(char bracket) {
    result_ += bracket;
    ++depth_;
    is_empty_ = true;
  }
  void close(char bracket) {
    --depth_;
    if (!is_empty_) break_line();
    is_empty_ = false;
    result_ += bracket;
  }
  void token(std::string_view text) {
    begin_element();
    for (std::size_t at = 0; at < text.size(); ++at) append_safely(result_, text, at);
  }
  void begin_element() {
    if (is_empty_ && depth_ > 0) break_line();
    is_empty_ = false;
  }
  void comma() {
    result_ += ',';
    break_line();
  }
  void colon() { result_ += is_pretty_ ? ": " : ":"; }
  std::string take() { return std::move(result_); }

 private:
  void break_line() {
    if (!is_pretty_) return;
    result_ += '\n';
    result_.append(2 * depth_, ' ');
  }

  bool is_pretty_;
  // True if nothing has followed the last opening bracket.
  bool is_empty_ = false;
  std::size_t depth_ = 0;
  std::string result_;
};

}  // namespace

std::string lay_out(std::string_view json, JsonLayout layout) {
  Writer writer(layout);
  for (std::size_t at = 0; at < json.size();) {
    const char byte = json[at];
    if (byte == '{' || byte == '[') {
      writer.begin_element();
      writer.open(byte);
      ++at;
    } else if (byte == '}' || byte == ']') {
      writer.close(byte);
      ++at;
    } else if (byte == ',') {
      writer.comma();
      ++at;
    } else if (byte == ':') {
      writer.colon();
      ++at;
    } else if (is_space(byte)) {
      ++at;
    } else {
      const std::size_t end = byte == '"' ? end_of_text(json, at) : json.find_first_of(" \t\r\n,:]}", at);
      writer.token(json.substr(at, end - at));
      at = end == std::string_view::npos ? json.size() : end;
    }
  }
  return writer.take();
}

}  // namespace trunkline::cli::json
