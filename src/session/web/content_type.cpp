// SPDX-License-Identifier: MIT
// Reads and writes content types.
#include "session/web/content_type.h"

#include "base/token.h"

#include <algorithm>
#include <array>
#include <utility>

namespace trunkline::session::web {
namespace {

constexpr std::string_view protobuf_codec_name = "protobuf";
constexpr std::string_view bytes_codec_name = "bytes";
/// Bytes by themselves have this subtype.
constexpr std::string_view bytes_subtype = "octet-stream";

bool equals_lower(std::string_view text, std::string_view lower) noexcept {
  return std::equal(text.begin(), text.end(), lower.begin(), lower.end(),
                    [](char left, char right) { return base::ascii_lower(left) == right; });
}

bool take_lower(std::string_view& text, std::string_view lower) noexcept {
  if (!equals_lower(text.substr(0, lower.size()), lower)) return false;
  text.remove_prefix(lower.size());
  return true;
}

/// Returns false if the text is in another charset than UTF-8.
bool accepts_parameters(std::string_view text) noexcept {
  while (!text.empty()) {
    text.remove_prefix(1);
    const std::string_view whole = text.substr(0, text.find(';'));
    text.remove_prefix(whole.size());
    std::string_view parameter = base::trim_blanks(whole);
    if (!take_lower(parameter, "charset=")) continue;
    if (!equals_lower(parameter, "utf-8") && !equals_lower(parameter, "\"utf-8\"")) return false;
  }
  return true;
}

bool is_token(std::string_view text) noexcept {
  return !text.empty() && std::all_of(text.begin(), text.end(), base::is_token_character);
}

/// Reads what stands behind a type of gRPC: nothing, or '+' and a name.
std::optional<ContentType> with_suffix(ContentType::Family family, std::string_view rest) noexcept {
  if (rest.empty()) return ContentType{family, protobuf_subtype};
  if (rest[0] != '+' || !is_token(rest.substr(1))) return std::nullopt;
  return ContentType{family, rest.substr(1)};
}

}  // namespace

std::optional<ContentType> read_content_type(std::string_view text) noexcept {
  using Family = ContentType::Family;
  const std::size_t semicolon = std::min(text.find(';'), text.size());
  std::string_view type = text.substr(0, semicolon);
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  if (equals_lower(type, "text/plain")) return ContentType{Family::form, "json"};
  if (!take_lower(type, "application/")) return std::nullopt;
  if (std::string_view rest = type; take_lower(rest, "grpc")) {
    if (rest.empty() || rest[0] == '+') return with_suffix(Family::grpc, rest);
    if (take_lower(rest, "-web-text")) return with_suffix(Family::grpc_web_text, rest);
    if (take_lower(rest, "-web")) return with_suffix(Family::grpc_web, rest);
  }
  if (equals_lower(type, "x-www-form-urlencoded")) return ContentType{Family::form, "json"};
  if (!accepts_parameters(text.substr(semicolon))) return std::nullopt;
  if (take_lower(type, "connect+")) {
    return is_token(type) ? std::optional(ContentType{Family::connect, type}) : std::nullopt;
  }
  return is_token(type) ? std::optional(ContentType{Family::body, type}) : std::nullopt;
}

std::optional<std::string_view> subtype_of_content_type(std::string_view text) noexcept {
  const auto type = read_content_type(text);
  if (!type || type->family != ContentType::Family::grpc) return std::nullopt;
  return type->subtype;
}

const Codec* find_codec(std::string_view subtype, const CodecRegistry& codecs) noexcept {
  if (equals_lower(subtype, protobuf_subtype)) subtype = protobuf_codec_name;
  for (const auto& codec : codecs.codecs()) {
    if (equals_lower(subtype, codec->name())) return codec.get();
  }
  return nullptr;
}

const Codec* find_body_codec(std::string_view subtype, const CodecRegistry& codecs) noexcept {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> other_names{{
      {bytes_subtype, bytes_codec_name},
      {"vnd.msgpack", "msgpack"},
      {"x-msgpack", "msgpack"},
      {"x-protobuf", "protobuf"},
  }};
  for (const auto& [other, name] : other_names) {
    if (equals_lower(subtype, other)) return find_codec(name, codecs);
  }
  return find_codec(subtype, codecs);
}

bool is_json(std::string_view subtype) noexcept { return equals_lower(subtype, "json"); }

std::string_view subtype_of(const Codec& codec) noexcept {
  return codec.name() == protobuf_codec_name ? protobuf_subtype : codec.name();
}

void append_content_type(Format format, const Codec& codec, BufferWriter& out) {
  switch (format) {
    case Format::grpc:
      out.append("application/grpc+");
      break;
    case Format::grpc_web:
      out.append("application/grpc-web+");
      break;
    case Format::grpc_web_text:
      out.append("application/grpc-web-text+");
      break;
    case Format::connect_stream:
      out.append("application/connect+");
      break;
    case Format::connect_unary:
      out.append("application/");
      break;
    case Format::plain:
    case Format::route:
      out.append("application/");
      // Everybody knows bytes by this name. A client of Connect expects the name of its request.
      if (codec.name() == bytes_codec_name) return out.append(bytes_subtype);
      break;
    case Format::lines:
      return out.append("application/x-ndjson");
    case Format::events:
      return out.append("text/event-stream");
  }
  out.append(subtype_of(codec));
}

}  // namespace trunkline::session::web
