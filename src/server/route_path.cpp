// SPDX-License-Identifier: MIT
// check_route(): checks routes that are registered.
#include "server/route_path.h"

#include "base/utf8.h"

#include <algorithm>
#include <string>

namespace trunkline::server {
namespace {

bool is_dot_part(std::string_view part) noexcept { return part == "." || part == ".."; }

}  // namespace

Status check_route(std::string_view http_method, std::string_view path) {
  constexpr std::size_t longest = 1000;
  const auto refusal = [&](std::string_view reason) {
    std::string text = "register route ";
    text.append(http_method.substr(0, 16)).append(" ").append(path.substr(0, 128)).append(": ").append(reason);
    return Status(StatusCode::invalid_argument, text);
  };
  if (std::find(route_verbs.begin(), route_verbs.end(), http_method) == route_verbs.end()) {
    return refusal("its method is not one of GET, HEAD, POST, PUT, PATCH, DELETE and OPTIONS");
  }
  if (path.empty() || path.front() != '/') return refusal("its path does not begin with '/'");
  if (path.size() > longest) return refusal("its path has more than 1000 bytes");
  const bool is_text = base::is_utf8(path) && std::none_of(path.begin(), path.end(), [](char letter) {
                         return base::is_ascii_control(static_cast<unsigned char>(letter));
                       });
  if (!is_text) return refusal("its path is not UTF-8 without control characters");
  if (path.find_first_of("?#%") != path.npos) {
    return refusal("its path has '?', '#' or '%'; write it decoded and without a query");
  }
  const std::size_t star = path.find('*');
  if (star != path.npos && (star + 1 != path.size() || path[star - 1] != '/')) {
    return refusal("its path has '*' elsewhere than in \"/*\" at the end");
  }
  for (std::string_view rest = path; !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find('/'));
    if (is_dot_part(part)) return refusal("its path has a part \".\" or \"..\", which no request has");
    rest.remove_prefix(part.size());
  }
  return {};
}

}  // namespace trunkline::server
