// SPDX-License-Identifier: MIT
// read_fleet(): checks every member of the text.
#include "naming/file/read_fleet.h"

#include "codec/json_codec.h"
#include "naming/read_server.h"

#include <trunkline/slice.h>
#include <trunkline/value.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace trunkline::naming::file {

namespace {

constexpr CodecLimits limits{.max_value_nodes = 1u << 20};

Status wrong(const std::string& path, const std::string& problem) {
  return {StatusCode::invalid_argument, path + ": " + problem};
}

/// Replaces "decode json: byte N of SIZE: " by line and column.
Status with_line(std::string_view text, const Status& error) {
  const std::string message(error.message());
  const auto begin = message.find("byte ");
  std::size_t offset = 0;
  const char* const digits = begin == std::string::npos ? nullptr : message.data() + begin + 5;
  if (digits == nullptr || std::from_chars(digits, message.data() + message.size(), offset).ec != std::errc()) {
    return error;
  }
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const auto column = before.size() - (before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1);
  const auto reason = message.find(": ", begin);
  return wrong("line " + std::to_string(line) + ", column " + std::to_string(std::max<std::size_t>(column, 1)),
               reason == std::string::npos ? message : message.substr(reason + 2));
}

}  // namespace

Result<Resolution> read_fleet(std::string_view text, std::string_view server_scheme) {
  const codec::JsonCodec json(limits);
  Value root;
  if (Status status = json.decode(Slice::copy_of(text), MutableMessageView::of(root)); !status.is_ok()) {
    return with_line(text, status);
  }
  if (!root.is_object()) return wrong("the text", "is not an object");
  Resolution resolution;
  for (const auto& [name, value] : root.as_object()) {
    if (name == "servers") {
      if (!value.is_array()) return wrong(name, "is not an array");
      for (std::size_t i = 0; i < value.size(); ++i) {
        Status status = read_server(value.at(i), "servers[" + std::to_string(i) + "]", server_scheme,
                                    resolution.servers.emplace_back());
        if (!status.is_ok()) return status;
      }
    } else if (name == "service_config") {
      if (!value.is_object()) return wrong(name, "is not an object");
      BufferWriter written;
      if (Status status = json.encode(MessageView::of(value), written); !status.is_ok()) return status;
      resolution.service_config = as_text(written.take().bytes());
    } else {
      return wrong(name, "unknown, use servers, service_config");
    }
  }
  if (root.find("servers") == nullptr) return wrong("servers", "is missing");
  return resolution;
}

}  // namespace trunkline::naming::file
