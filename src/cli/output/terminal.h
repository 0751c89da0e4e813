// SPDX-License-Identifier: MIT
// Knows the properties of the terminal, and makes text safe to print on it.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::cli::output {

/// Returns true for a terminal. `file` is a descriptor: STDOUT_FILENO or STDERR_FILENO.
bool is_terminal(int file) noexcept;
/// Returns true if the descriptor is a terminal with colours and NO_COLOR is not set (https://no-color.org).
bool takes_colours(int file) noexcept;

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};
/// Returns the size of the terminal of standard output, or COLUMNS if there is none.
TerminalSize terminal_size() noexcept;

/// Escapes control characters as "\x1b", including line ends and tabs unless `keeps_lines`, because text from a server
/// must not control the terminal.
std::string escaped(std::string_view text, bool keeps_lines = false);

/// Returns the number of characters of UTF-8 text, each of which is assumed to fill one cell.
std::size_t text_width(std::string_view text) noexcept;
/// Returns the text, cut to at most `width` characters; a cut text ends in an ellipsis.
std::string fit_text(std::string_view text, std::size_t width);

/// A style that colours text if the descriptor supports colours.
class Style {
 public:
  explicit Style(int file) noexcept : is_on_(takes_colours(file)) {}
  std::string error(std::string_view text) const { return in("1;31", text); }
  std::string strong(std::string_view text) const { return in("1", text); }
  std::string faint(std::string_view text) const { return in("2", text); }

 private:
  std::string in(std::string_view code, std::string_view text) const;
  bool is_on_;
};

}  // namespace trunkline::cli::output
