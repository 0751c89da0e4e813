// SPDX-License-Identifier: MIT
// Reads and writes content types.
#include "session/grpc/content_type.h"

#include "base/token.h"

#include <algorithm>

namespace trunkline::session::grpc {
namespace {

constexpr std::string_view protobuf_codec_name = "protobuf";

bool equals_lower(std::string_view text, std::string_view lower) noexcept {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char left, char right) { return base::ascii_lower(left) == right; });
}

}  // namespace

std::optional<std::string_view> subtype_of_content_type(std::string_view content_type) noexcept {
  content_type = content_type.substr(0, content_type.find(';'));
  while (!content_type.empty() && (content_type.back() == ' ' || content_type.back() == '\t')) {
    content_type.remove_suffix(1);
  }
  if (!equals_lower(content_type.substr(0, media_type.size()), media_type)) return std::nullopt;
  content_type.remove_prefix(media_type.size());
  if (content_type.empty()) return protobuf_subtype;
  if (content_type[0] != '+' || content_type.size() == 1) return std::nullopt;
  content_type.remove_prefix(1);
  const bool is_token = std::all_of(content_type.begin(), content_type.end(), base::is_token_character);
  return is_token ? std::optional(content_type) : std::nullopt;
}

const Codec* find_codec(std::string_view subtype, const CodecRegistry& codecs) noexcept {
  if (equals_lower(subtype, protobuf_subtype)) subtype = protobuf_codec_name;
  for (const auto& codec : codecs.codecs()) {
    if (equals_lower(subtype, codec->name())) return codec.get();
  }
  return nullptr;
}

void append_content_type(const Codec& codec, BufferWriter& out) {
  out.append(media_type);
  out.push_back(std::byte{'+'});
  out.append(codec.name() == protobuf_codec_name ? protobuf_subtype : codec.name());
}

}  // namespace trunkline::session::grpc
