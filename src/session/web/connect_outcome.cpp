// SPDX-License-Identifier: MIT
// Takes Connect's JSON apart.
#include "session/web/connect_outcome.h"

#include "base/token.h"
#include "codec/base64.h"
#include "codec/json_text.h"
#include "codec/value_reader.h"
#include "session/web/connect_error.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace trunkline::session::web {
namespace {

constexpr std::string_view type_prefix = "type.googleapis.com/";
/// One error or end of a stream has few nodes, and may have at most this many.
constexpr std::size_t most_nodes = 1 << 16;

std::optional<StatusCode> code_of_name(std::string_view name) noexcept {
  for (std::uint32_t number = 1; is_valid_status_code(number); ++number) {
    const auto code = static_cast<StatusCode>(number);
    if (connect_code_of(code) == name) return code;
  }
  return std::nullopt;
}

/// Reads JSON strictly, but a text that has half of a surrogate pair keeps the rest of what it says.
Status read_lenient_json(ByteSpan json, Value& value) {
  const CodecLimits limits{.max_value_nodes = most_nodes};
  Status status = codec::read_json(json, limits, value);
  if (status.is_ok() || as_text(json).find("\\u") == std::string_view::npos) return status;
  const std::string mended = codec::replace_lone_surrogates(as_text(json));
  return codec::read_json(as_bytes(mended), limits, value);
}

bool is_absent(const Value* value) noexcept { return value == nullptr || value->is_null(); }

/// Returns false if `detail` is no detail of Connect.
bool add_detail(const Value& detail, Status& status) {
  const Value* const type = detail.find("type");
  const Value* const value = detail.find("value");
  if (type == nullptr || value == nullptr || !type->is_string() || !value->is_string()) return false;
  BufferWriter bytes;
  if (!codec::append_decoded_base64(value->as_string(), bytes)) return false;
  status.add_detail(std::string(type_prefix) + type->as_string(), std::string(as_text(bytes.bytes())));
  return true;
}

/// Details that are malformed do not hide what the error says.
bool read_error(const Value& error, StatusCode otherwise, Status& out) {
  const Value* const code = error.find("code");
  const Value* const message = error.find("message");
  const Value* const details = error.find("details");
  if (!error.is_object()) return false;
  if (!is_absent(code) && !code->is_string()) return false;
  if (!is_absent(message) && !message->is_string()) return false;
  if (!is_absent(details) && !details->is_array()) return false;
  const std::optional<StatusCode> known = is_absent(code) ? std::nullopt : code_of_name(code->as_string());
  Status status(known.value_or(otherwise), is_absent(message) ? std::string() : message->as_string(),
                StatusOrigin::peer);
  if (!is_absent(details)) {
    for (const Value& detail : details->as_array()) static_cast<void>(add_detail(detail, status));
  }
  out = std::move(status);
  return true;
}

Status bad_end(std::string_view reason) {
  std::string text = "receive message: the end of the stream ";
  return {StatusCode::internal, text.append(reason), StatusOrigin::transport};
}

Status read_metadata(const Value& metadata, MetadataReader& reader, Metadata& trailing) {
  if (!metadata.is_object()) return bad_end("has metadata that is no object");
  for (const auto& [name, values] : metadata.as_object()) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(), base::ascii_lower);
    if (!values.is_array()) return bad_end("has metadata whose values are no array");
    for (const Value& value : values.as_array()) {
      if (!value.is_string()) return bad_end("has metadata whose values are no strings");
      if (Status status = reader.add(lower, value.as_string(), trailing); !status.is_ok()) return status;
    }
  }
  return {};
}

}  // namespace

bool read_connect_error(ByteSpan json, StatusCode otherwise, Status& out) {
  Value value;
  return read_lenient_json(json, value).is_ok() && read_error(value, otherwise, out);
}

Status read_end_of_stream(ByteSpan json, MetadataReader& reader, Status& outcome, Metadata& trailing) {
  Value value;
  if (const Status status = read_lenient_json(json, value); !status.is_ok()) {
    return bad_end("is malformed: " + std::string(status.message()));
  }
  if (!value.is_object()) return bad_end("is no object of JSON");
  reader.begin();
  if (const Value* const metadata = value.find("metadata"); !is_absent(metadata)) {
    if (Status status = read_metadata(*metadata, reader, trailing); !status.is_ok()) return status;
  }
  outcome = {};
  const Value* const error = value.find("error");
  if (is_absent(error) || read_error(*error, StatusCode::unknown, outcome)) return {};
  return bad_end("has an error that is malformed");
}

}  // namespace trunkline::session::web
