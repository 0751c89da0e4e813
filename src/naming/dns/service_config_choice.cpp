// SPDX-License-Identifier: MIT
// ServiceConfigChoice: checks every member of the choices.
#include "naming/dns/service_config_choice.h"

#include "balance/key_hash.h"
#include "codec/json_codec.h"

#include <trunkline/slice.h>
#include <trunkline/value.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trunkline::naming::dns {

namespace {

constexpr CodecLimits limits{.max_value_nodes = 1u << 16};
/// The language that gRPC's core names, in the languages that are bound to it too.
constexpr std::string_view client_language = "c++";

Status wrong(const std::string& path, const std::string& problem) {
  return {StatusCode::invalid_argument, path + ": " + problem};
}

std::string name_of_this_machine() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return {};
  return name.data();
}

bool equals_ignoring_case(std::string_view left, std::string_view right) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

/// Returns true if `wanted` is in the list, or the list is empty.
template <class Equal>
Result<bool> lists(const Value& list, const std::string& path, std::string_view wanted, Equal equal) {
  if (!list.is_array()) return wrong(path, "is not an array");
  bool is_listed = list.size() == 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!list.at(i).is_string()) return wrong(path + "[" + std::to_string(i) + "]", "is not text");
    is_listed = is_listed || equal(list.at(i).as_string(), wanted);
  }
  return is_listed;
}

Result<bool> exceeds(const Value& value, const std::string& path, std::uint32_t percentile) {
  if (value.kind() != Value::Kind::int64 || value.as_int64() < 0 || value.as_int64() > 100) {
    return wrong(path, "is not 0 to 100");
  }
  return value.as_int64() > percentile;
}

}  // namespace

ServiceConfigChoice::ServiceConfigChoice(std::string client_host, std::string_view name)
    : client_host_(std::move(client_host)),
      percentile_(static_cast<std::uint32_t>(balance::hash_of_key(client_host_ + " " + std::string(name)) % 100)) {}

ServiceConfigChoice::ServiceConfigChoice(std::string_view name) : ServiceConfigChoice(name_of_this_machine(), name) {}

Result<std::string> ServiceConfigChoice::choose(std::string_view choices) const {
  const codec::JsonCodec json(limits);
  Value root;
  if (Status status = json.decode(Slice::copy_of(choices), MutableMessageView::of(root)); !status.is_ok()) {
    return status;
  }
  if (!root.is_array()) return wrong("the choices", "are not an array");
  const Value* chosen = nullptr;
  for (std::size_t i = 0; i < root.size(); ++i) {
    const std::string path = "choice " + std::to_string(i);
    const Value& choice = root.at(i);
    if (!choice.is_object()) return wrong(path, "is not an object");
    const Value* config = nullptr;
    bool is_for_this = true;
    for (const auto& [name, value] : choice.as_object()) {
      const std::string member = path + "." + name;
      Result<bool> fits = true;
      if (name == "clientLanguage") {
        fits = lists(value, member, client_language, equals_ignoring_case);
      } else if (name == "clientHostname") {
        fits = lists(value, member, client_host_, std::equal_to<std::string_view>());
      } else if (name == "percentage") {
        fits = exceeds(value, member, percentile_);
      } else if (name == "serviceConfig") {
        if (!value.is_object()) return wrong(member, "is not an object");
        config = &value;
      } else {
        return wrong(member, "unknown, use clientLanguage, percentage, clientHostname, serviceConfig");
      }
      if (!fits) return std::move(fits).status();
      is_for_this = is_for_this && *fits;
    }
    if (config == nullptr) return wrong(path + ".serviceConfig", "is missing");
    if (is_for_this && chosen == nullptr) chosen = config;
  }
  if (chosen == nullptr) return std::string();
  BufferWriter written;
  if (Status status = json.encode(MessageView::of(*chosen), written); !status.is_ok()) return status;
  return std::string(as_text(written.take().bytes()));
}

}  // namespace trunkline::naming::dns
