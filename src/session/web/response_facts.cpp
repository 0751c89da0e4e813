// SPDX-License-Identifier: MIT
// Says which responses are those of a protocol.
#include "session/web/response_facts.h"

#include <string>

namespace trunkline::session::web {
namespace {

/// Returns the content-type for a family and a codec, which was read before.
std::string type_of(ContentType::Family family, const Codec& codec) {
  const std::string subtype(codec.name() == "protobuf" ? protobuf_subtype : codec.name());
  switch (family) {
    case ContentType::Family::grpc:
      return "application/grpc+" + subtype;
    case ContentType::Family::grpc_web:
      return "application/grpc-web+" + subtype;
    case ContentType::Family::grpc_web_text:
      return "application/grpc-web-text+" + subtype;
    case ContentType::Family::connect:
      return "application/connect+" + subtype;
    case ContentType::Family::body:
      return "application/" + subtype;
    case ContentType::Family::form:
      return "text/plain";
  }
  return subtype;
}

}  // namespace

void ResponseFacts::take_content_type(std::string_view value, const CodecRegistry& codecs) {
  const auto type = read_content_type(value);
  content = type ? ResponseContent::of_codec : ResponseContent::other;
  codec = nullptr;
  if (!type) return;
  family = type->family;
  const bool is_body = family == ContentType::Family::body;
  is_json = is_body && web::is_json(type->subtype);
  codec = is_body ? find_body_codec(type->subtype, codecs) : find_codec(type->subtype, codecs);
}

Status ResponseFacts::unlike(ClientProtocol protocol, std::string_view other_type) const {
  std::string text = "receive headers: HTTP status " + std::to_string(http_status);
  if (content == ResponseContent::none) text += " without content-type";
  if (content == ResponseContent::other) text.append(" with content-type ").append(other_type);
  if (content == ResponseContent::of_codec) {
    text += " with content-type " + (codec != nullptr ? type_of(family, *codec) : std::string(other_type));
  }
  constexpr std::uint32_t unsupported_media_type = 415;
  if (http_status == unsupported_media_type && protocol != ClientProtocol::grpc) {
    text += ": the method is of another kind, or the server lacks the codec";
  }
  return {code_of_http_status(http_status), text, StatusOrigin::transport};
}

Status ResponseFacts::check(Format format, const Codec& wanted, std::string_view other_type) const {
  using Family = ContentType::Family;
  const Family family_wanted = format == Format::grpc_web         ? Family::grpc_web
                               : format == Format::grpc_web_text  ? Family::grpc_web_text
                               : format == Format::connect_stream ? Family::connect
                                                                  : Family::body;
  const ClientProtocol protocol = is_connect(format) ? ClientProtocol::connect : ClientProtocol::grpc_web;
  const bool is_of_family = content == ResponseContent::of_codec && family == family_wanted;
  const bool is_error = http_status != 200;
  const bool may_be_error = family_wanted == Family::body && is_json;
  if (!is_of_family || (is_error && !may_be_error)) return unlike(protocol, other_type);
  if (!is_error && codec != &wanted) {
    const std::string name =
        codec != nullptr ? std::string(codec->name()) : "of content-type " + std::string(other_type);
    return {StatusCode::internal,
            "receive headers: the codec " + name + " is not that of the request, " + std::string(wanted.name())};
  }
  if (!has_unknown_encoding) return {};
  return {StatusCode::internal, "receive headers: the response is compressed in a way that this side does not know"};
}

StatusCode code_of_http_status(std::uint32_t http_status) noexcept {
  switch (http_status) {
    case 400:
      return StatusCode::internal;
    case 401:
      return StatusCode::unauthenticated;
    case 403:
      return StatusCode::permission_denied;
    case 404:
      return StatusCode::unimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return StatusCode::unavailable;
    default:
      return StatusCode::unknown;
  }
}

}  // namespace trunkline::session::web
