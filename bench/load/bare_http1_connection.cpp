// SPDX-License-Identifier: MIT
// Just enough of RFC 9112 to serve the calls of a load generator.
#include "bare_http1_connection.h"

#include <charconv>
#include <string_view>

namespace trunkline::bench {
namespace {

constexpr std::string_view response =
    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-limit: 1\r\ncontent-length: 10\r\n\r\n{\"pro\":12}";

std::size_t content_length(std::string_view head) noexcept {
  constexpr std::string_view name = "ontent-";
  std::size_t length = 0;
  for (std::size_t at = head.find(name); at != std::string_view::npos; at = head.find(name, at + name.size())) {
    std::string_view rest = head.substr(at + name.size());
    if (!rest.starts_with("length: ") && !rest.starts_with("Length: ")) continue;
    rest.remove_prefix(8);
    std::from_chars(rest.data(), rest.data() + rest.size(), length);
    break;
  }
  return length;
}

}  // namespace

std::size_t BareHttp1Connection::take_requests(const std::uint8_t* bytes, std::size_t size) {
  constexpr std::string_view head_end = "\r\n\r\n";
  const std::string_view input(reinterpret_cast<const char*>(bytes), size);
  std::size_t done = 0;
  for (;;) {
    const std::string_view rest = input.substr(done);
    const std::size_t end = rest.find(head_end);
    if (end == std::string_view::npos) return done;
    const std::size_t request = end + head_end.size() + content_length(rest.substr(0, end));
    if (request > rest.size()) return done;
    done += request;
    output().insert(output().end(), response.begin(), response.end());
  }
}

}  // namespace trunkline::bench
