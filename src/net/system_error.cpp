// SPDX-License-Identifier: MIT
// Translates the system's error numbers.
#include "net/system_error.h"

#include <cctype>

namespace trunkline::net {

namespace {

StatusCode code_of(const std::error_code& error) {
  if (error == std::errc::address_in_use) return StatusCode::already_exists;
  if (error == std::errc::permission_denied || error == std::errc::operation_not_permitted)
    return StatusCode::permission_denied;
  if (error == std::errc::too_many_files_open || error == std::errc::too_many_files_open_in_system ||
      error == std::errc::no_buffer_space || error == std::errc::not_enough_memory) {
    return StatusCode::resource_exhausted;
  }
  return StatusCode::unavailable;
}

}  // namespace

std::string system_text(const std::error_code& error) {
  std::string text = error.message();
  const auto is_upper = [&](std::size_t index) { return std::isupper(static_cast<unsigned char>(text[index])) != 0; };
  if (text.size() > 1 && is_upper(0) && !is_upper(1))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

std::string system_text(int error_number) {
  return system_text(std::error_code(error_number, std::generic_category()));
}

Status system_status(std::string_view tried, const std::error_code& error) {
  std::string text = std::string(tried) + ": " + system_text(error);
  if (error == std::errc::too_many_files_open) text += "; raise the limit (ulimit -n)";
  return {code_of(error), text, StatusOrigin::transport};
}

Status system_status(std::string_view tried, int error_number) {
  return system_status(tried, std::error_code(error_number, std::generic_category()));
}

}  // namespace trunkline::net
