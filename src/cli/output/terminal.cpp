// SPDX-License-Identifier: MIT
// Uses isatty(3) and the window size, and escapes control characters.
#include "cli/output/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace trunkline::cli::output {
namespace {

bool is_set(const char* name) noexcept {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

bool is_continuation(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// Returns true for control characters: C0, DEL, and C1 in UTF-8 (0xC2 0x80 to 0xC2 0x9F).
bool is_control(std::string_view text, std::size_t at) noexcept {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7F) return true;
  return byte == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

/// Finds a character at `at` that changes the direction of text: U+202A to U+202E, U+2066 to U+2069. Returns the
/// position of its last byte, or 0.
std::size_t direction_at(std::string_view text, std::size_t at) noexcept {
  const std::string_view three = text.substr(at, 3);
  const bool is_one = (three >= "\u202A" && three <= "\u202E") || (three >= "\u2066" && three <= "\u2069");
  return is_one ? at + 2 : 0;
}

}  // namespace

bool is_terminal(int file) noexcept { return isatty(file) == 1; }

bool takes_colours(int file) noexcept {
  const char* const kind = std::getenv("TERM");
  return is_terminal(file) && !is_set("NO_COLOR") && kind != nullptr && std::string_view(kind) != "dumb";
}

TerminalSize terminal_size() noexcept {
  TerminalSize size;
  winsize window{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 0 && window.ws_row > 0) {
    return {.columns = window.ws_col, .rows = window.ws_row};
  }
  const char* const columns = std::getenv("COLUMNS");
  const long wanted = columns != nullptr ? std::strtol(columns, nullptr, 10) : 0;
  if (wanted > 0 && wanted < 10000) size.columns = static_cast<std::size_t>(wanted);
  return size;
}

std::string escaped(std::string_view text, bool keeps_lines) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (const std::size_t last = direction_at(text, at); last > 0) {
      result += text[last - 1] == '\x80' ? "\\u202" : "\\u206";
      result += "0123456789abcdef"[text[last] & 0xF];
      at = last;
      continue;
    }
    const bool is_layout = text[at] == '\n' || text[at] == '\t';
    if (!is_control(text, at) || (keeps_lines && is_layout)) {
      result.push_back(text[at]);
      continue;
    }
    if (text[at] == '\xC2') ++at;
    std::array<char, 8> escape;
    std::snprintf(escape.data(), escape.size(), "\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(text[at])));
    result += escape.data();
  }
  return result;
}

std::size_t text_width(std::string_view text) noexcept {
  std::size_t width = 0;
  for (const char byte : text) width += is_continuation(byte) ? 0 : 1;
  return width;
}

std::string fit_text(std::string_view text, std::size_t width) {
  if (text_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t kept = 0;
  for (std::size_t left = width - 1; left > 0; --left) {
    ++kept;
    while (kept < text.size() && is_continuation(text[kept])) ++kept;
  }
  return std::string(text.substr(0, kept)) + "\u2026";
}

std::string Style::in(std::string_view code, std::string_view text) const {
  if (!is_on_) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace trunkline::cli::output
