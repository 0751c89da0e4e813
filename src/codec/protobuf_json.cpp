// SPDX-License-Identifier: MIT
// Uses protobuf's converter between JSON and the binary form.
#include <codec/protobuf_json.h>

#include <codec/codec_error.h>
#include <codec/value_reader.h>

#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <limits>
#include <memory>

namespace trunkline::codec {
namespace {

constexpr const char* url_prefix = "type.googleapis.com";
constexpr std::size_t max_message_bytes = std::numeric_limits<int>::max();

/// Finds types for the converter; the resolver of the default pool is created once.
class Resolver {
 public:
  explicit Resolver(const google::protobuf::Descriptor& type) {
    const auto* pool = type.file()->pool();
    if (pool == google::protobuf::DescriptorPool::generated_pool()) {
      // Never destroyed, because calls may still run while the process exits.
      static auto* const generated = google::protobuf::util::NewTypeResolverForDescriptorPool(url_prefix, pool);
      resolver_ = generated;
    } else {
      owned_.reset(google::protobuf::util::NewTypeResolverForDescriptorPool(url_prefix, pool));
      resolver_ = owned_.get();
    }
  }
  google::protobuf::util::TypeResolver* get() const noexcept { return resolver_; }

 private:
  std::unique_ptr<google::protobuf::util::TypeResolver> owned_;
  google::protobuf::util::TypeResolver* resolver_ = nullptr;
};

std::string type_url(const google::protobuf::Descriptor& type) {
  return std::string(url_prefix).append("/").append(type.full_name());
}

/// Describes an error of the converter by its field and the reason, because the converter's texts quote the payload:
///   "(inner.list[1]) nam: Cannot find field."            the unknown name comes last
///   "(inner.count): invalid value \"x\" for type TYPE_INT32"
std::string reason_of(std::string_view error, const std::string& type) {
  constexpr std::string_view unknown = ": Cannot find field.";
  std::string_view path;
  if (error.starts_with('(')) {
    const std::size_t close = error.find(')');
    if (close != std::string_view::npos) path = error.substr(1, close - 1), error.remove_prefix(close + 1);
  }
  if (error.ends_with(unknown)) {
    error.remove_suffix(unknown.size());
    if (error.starts_with(' ')) error.remove_prefix(1);
    const std::string full = path.empty() ? std::string(error) : std::string(path).append(".").append(error);
    return "unknown field " + printable(full) + " in " + type;
  }
  if (error.starts_with("Message too deep")) return "nesting exceeds 100 levels";
  if (!path.empty()) return "field " + printable(path) + " of " + type + ": value does not match its type";
  return "payload is not a valid " + type;
}

Status decode_failure(ByteSpan payload, const CodecLimits& limits, std::string_view error, const std::string& type) {
  Value checked;
  Status syntax = read_json(payload, limits, checked);
  // An exceeded limit of Values is not the reason: the converter accepts deeper nesting and more nodes.
  const bool is_syntax = syntax.code() == StatusCode::invalid_argument && !syntax.message().ends_with("levels");
  if (is_syntax) return syntax;
  return decode_error("json", reason_of(error, type));
}

}  // namespace

Status write_protobuf_json(const google::protobuf::MessageLite& lite, BufferWriter& out) {
  const auto* message = dynamic_cast<const google::protobuf::Message*>(&lite);
  if (message == nullptr)
    return encode_error("json", lite.GetTypeName() + " is a lite message, which has no JSON form");
  const auto& type = *message->GetDescriptor();
  if (!message->IsInitialized()) {
    return encode_error("json",
                        type.full_name() + ": missing required fields: " + message->InitializationErrorString());
  }
  if (message->ByteSizeLong() > max_message_bytes)
    return encode_error("json", type.full_name() + ": message exceeds 2147483647 bytes");

  std::string json;
  const Resolver resolver(type);
  const auto status = google::protobuf::util::BinaryToJsonString(resolver.get(), type_url(type),
                                                                 message->SerializePartialAsString(), &json);
  if (!status.ok()) return encode_error("json", type.full_name() + ": message has no JSON form");
  out.append(json);
  return Status::ok();
}

Status read_protobuf_json(ByteSpan payload, const CodecLimits& limits, google::protobuf::MessageLite& lite) {
  auto* message = dynamic_cast<google::protobuf::Message*>(&lite);
  if (message == nullptr) {
    return {StatusCode::internal, "decode json: " + lite.GetTypeName() + " is a lite message, which has no JSON form"};
  }
  const auto& type = *message->GetDescriptor();
  if (payload.size() > max_message_bytes) return decode_error("json", "payload exceeds 2147483647 bytes");

  std::string binary;
  const Resolver resolver(type);
  const std::string_view text = as_text(payload);
  const auto status =
      google::protobuf::util::JsonToBinaryString(resolver.get(), type_url(type), {text.data(), text.size()}, &binary);
  if (!status.ok()) {
    const auto reason = status.message();
    return decode_failure(payload, limits, {reason.data(), reason.size()}, type.full_name());
  }
  if (!message->ParsePartialFromString(binary))
    return decode_error("json", "payload is not a valid " + type.full_name());
  if (!message->IsInitialized()) {
    return decode_error("json",
                        type.full_name() + ": missing required fields: " + message->InitializationErrorString());
  }
  return Status::ok();
}

}  // namespace trunkline::codec
