// SPDX-License-Identifier: MIT
// CodecRegistry, and the table of built-in codecs.
#include <trunkline/codec.h>

#include <codec/bytes_codec.h>
#include <codec/json_codec.h>
#include <codec/msgpack_codec.h>
#include <codec/protobuf_codec.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace trunkline {
namespace {

using Make = std::shared_ptr<const Codec> (*)(const CodecLimits& limits);

template <class BuiltIn>
std::shared_ptr<const Codec> make(const CodecLimits& limits) {
  if constexpr (std::is_constructible_v<BuiltIn, const CodecLimits&>) {
    return std::make_shared<BuiltIn>(limits);
  } else {
    return std::make_shared<BuiltIn>();
  }
}

/// The codecs in the order of their numbers on the wire. Each feature is a row of cmake/TrunklineFeatures.cmake.
constexpr Make built_in[] = {
#ifdef TRUNKLINE_HAS_PROTOBUF
    &make<codec::ProtobufCodec>,
#endif
    &make<codec::JsonCodec>,
    &make<codec::MsgpackCodec>,
    &make<codec::BytesCodec>,
};

constexpr std::size_t max_codecs = 32;
constexpr std::size_t max_name_bytes = 64;

bool is_valid_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= max_name_bytes && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

}  // namespace

CodecRegistry CodecRegistry::with_defaults(const CodecLimits& limits) {
  if (limits.max_value_nodes == 0) throw std::invalid_argument("codec limits: max_value_nodes 0 is below 1");
  CodecRegistry registry;
  for (const Make make : built_in) registry.add(make(limits));
  return registry;
}

CodecRegistry& CodecRegistry::add(std::shared_ptr<const Codec> codec) {
  if (codec == nullptr) throw std::invalid_argument("add codec: null");
  const std::string_view name = codec->name();
  if (!is_valid_name(name)) {
    throw std::invalid_argument("add codec: name '" + std::string(name) + "' is not 1 to 64 of [a-z0-9._-]");
  }
  const auto same =
      std::find_if(codecs_.begin(), codecs_.end(), [&](const auto& other) { return other->name() == name; });
  if (same != codecs_.end()) {
    *same = std::move(codec);
    return *this;
  }
  if (codecs_.size() == max_codecs) {
    throw std::invalid_argument("add codec: '" + std::string(name) + "' would be one more than 32");
  }
  codecs_.push_back(std::move(codec));
  return *this;
}

const Codec* CodecRegistry::find(std::string_view name) const noexcept {
  for (const auto& codec : codecs_) {
    if (codec->name() == name) return codec.get();
  }
  return nullptr;
}

}  // namespace trunkline
