// SPDX-License-Identifier: MIT
// own_uri: abstract socket names, which all processes of a machine share, made those of this process.
#pragma once

#include <unistd.h>

#include <string>
#include <string_view>

namespace trunkline::kit {

/// `uri` with the number of this process behind an abstract name; any other URI as it is.
inline std::string own_uri(std::string_view uri) {
  std::string own(uri);
  return uri.starts_with("unix:@") ? own.append("-").append(std::to_string(::getpid())) : own;
}

}  // namespace trunkline::kit
