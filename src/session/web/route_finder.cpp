// SPDX-License-Identifier: MIT
// Decodes paths and asks for their routes.
#include "session/web/route_finder.h"

#include "base/utf8.h"
#include "session/web/method_path.h"

#include <algorithm>

namespace trunkline::session::web {
namespace {

bool has_dot_part(std::string_view path) noexcept {
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view part = path.substr(0, path.find('/'));
    if (part == "." || part == "..") return true;
    path.remove_prefix(part.size());
  }
  return false;
}

bool is_path_text(std::string_view path) noexcept {
  return base::is_utf8(path) && std::none_of(path.begin(), path.end(), [](char letter) {
           return base::is_ascii_control(static_cast<unsigned char>(letter));
         });
}

}  // namespace

RouteFinder::Outcome RouteFinder::find(std::string_view http_method, std::string_view target) {
  match_ = {};
  if (owner_.routes_version() == 0) return Outcome::none;
  std::string_view path = target.substr(0, target.find('?'));
  if (path.empty() || path.front() != '/' || path.find('#') != path.npos) return Outcome::none;
  if (path.find('%') != path.npos) {
    path_.clear();
    if (!append_decoded_path(path, path_)) return Outcome::none;
    path = as_text(path_.bytes());
  }
  if (!is_path_text(path) || has_dot_part(path)) return Outcome::none;
  match_ = owner_.find_route(http_method, path);
  if (!match_.name.empty()) return Outcome::route;
  return match_.allowed.empty() ? Outcome::none : Outcome::not_allowed;
}

}  // namespace trunkline::session::web
