// SPDX-License-Identifier: MIT
// ServerEntry: takes the members of gRPC's format out, and leaves the rest to read_server().
#include "naming/etcd/server_entry.h"

#include "codec/json_codec.h"
#include "naming/read_server.h"

#include <trunkline/slice.h>
#include <trunkline/value.h>

#include <utility>

namespace trunkline::naming::etcd {

namespace {

constexpr CodecLimits limits{.max_value_nodes = 1u << 16};

Status wrong(const std::string& path, const std::string& problem) {
  return {StatusCode::invalid_argument, path + ": " + problem};
}

std::string written(const codec::JsonCodec& json, const Value& value) {
  BufferWriter out;
  // A Value without bytes always can be encoded.
  if (!json.encode(MessageView::of(value), out).is_ok()) return {};
  return std::string(as_text(out.take().bytes()));
}

}  // namespace

Result<ServerEntry> ServerEntry::read(std::string_view value, std::string_view server_scheme) {
  const codec::JsonCodec json(limits);
  Value root;
  if (Status status = json.decode(Slice::copy_of(value), MutableMessageView::of(root)); !status.is_ok()) return status;
  if (!root.is_object()) return wrong("the text", "is not an object");
  ServerEntry entry;
  Value::Object members;
  const Value* address = nullptr;
  for (const Value::Member& member : root.as_object()) {
    const auto& [name, content] = member;
    if (name == "service_config") {
      if (!content.is_object()) return wrong(name, "is not an object");
      entry.service_config = written(json, content);
    } else if (name == "Op") {
      if (content != Value(0)) return wrong(name, "is not 0");
    } else if (name == "Addr") {
      address = &content;
    } else if (name != "Metadata") {
      members.push_back(member);
    }
  }
  if (address != nullptr && root.find("uri") == nullptr && root.find("address") == nullptr) {
    if (!address->is_string()) return wrong("Addr", "is not text");
    members.emplace_back("address", *address);
  }
  if (Status status = read_server(Value(std::move(members)), "", server_scheme, entry.server); !status.is_ok()) {
    return status;
  }
  return entry;
}

std::string ServerEntry::write(const ResolvedServer& server) {
  const std::string uri = server.endpoint.to_string();
  Value value = Value::object({{"uri", uri}});
  if (server.weight != 1) value["weight"] = server.weight;
  if (!server.zone.empty()) value["zone"] = server.zone;
  if (server.priority != 0) value["priority"] = server.priority;
  if (!server.host_name.empty()) value["host_name"] = server.host_name;
  if (!server.endpoint.host().empty()) {
    value["Op"] = 0;
    value["Addr"] = uri.substr(uri.find("://") + 3);
  }
  return written(codec::JsonCodec(limits), value);
}

}  // namespace trunkline::naming::etcd
