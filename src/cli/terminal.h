// SPDX-License-Identifier: MIT
// What is known of the terminal, and text that does it no harm.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::cli {

/// `file` is a descriptor: STDOUT_FILENO or STDERR_FILENO.
bool is_terminal(int file) noexcept;
/// A terminal that shows colours, and nobody who objects (https://no-color.org).
bool takes_colours(int file) noexcept;

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};
/// Of standard output's terminal; COLUMNS where it says nothing.
TerminalSize terminal_size() noexcept;

/// Control characters escaped as "\x1b", line ends and tabs too unless `keeps_lines`: what a server says must not steer
/// the terminal.
std::string harmless(std::string_view text, bool keeps_lines = false);

/// Characters of UTF-8 text, each taken to fill one cell.
std::size_t text_width(std::string_view text) noexcept;
/// Cut to at most `width` characters, the last of which is then an ellipsis.
std::string fit_text(std::string_view text, std::size_t width);

/// Texts in a colour, or as they are where the descriptor takes none.
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

}  // namespace trunkline::cli
