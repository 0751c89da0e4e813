// SPDX-License-Identifier: MIT
// json_testee: answers the requests of protobuf's conformance suite with Trunkline's codec for JSON. Requests and
// responses come on standard input and output, each behind its size in four bytes, the lowest first.
#include <trunkline/codec.h>
#include <trunkline/protobuf.h>

#include <conformance.pb.h>
#include <google/protobuf/test_messages_proto2.pb.h>
#include <google/protobuf/test_messages_proto3.pb.h>

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace {

using conformance::ConformanceRequest;
using conformance::ConformanceResponse;
using google::protobuf::Message;
using trunkline::Codec;
using trunkline::CodecRegistry;

bool read_all(std::byte* to, std::size_t size) {
  while (size > 0) {
    const ssize_t got = read(STDIN_FILENO, to, size);
    if (got <= 0) return false;
    to += got, size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t put = write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (put <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(put));
  }
  return true;
}

/// By the type that the suite names.
std::unique_ptr<Message> make_message(const std::string& type) {
  if (type == "protobuf_test_messages.proto3.TestAllTypesProto3") {
    return std::make_unique<protobuf_test_messages::proto3::TestAllTypesProto3>();
  }
  if (type == "protobuf_test_messages.proto2.TestAllTypesProto2") {
    return std::make_unique<protobuf_test_messages::proto2::TestAllTypesProto2>();
  }
  if (type == "conformance.FailureSet") return std::make_unique<conformance::FailureSet>();
  return nullptr;
}

ConformanceResponse respond(const ConformanceRequest& request, const Codec& json) {
  ConformanceResponse response;
  const bool is_of_json = request.payload_case() == ConformanceRequest::kJsonPayload ||
                          request.requested_output_format() == conformance::JSON;
  const bool is_plain = request.message_type() == "conformance.FailureSet" ||
                        request.payload_case() == ConformanceRequest::kProtobufPayload ||
                        request.payload_case() == ConformanceRequest::kJsonPayload;
  if (!is_plain || request.test_category() == conformance::JSON_IGNORE_UNKNOWN_PARSING_TEST ||
      (!is_of_json && request.requested_output_format() != conformance::PROTOBUF)) {
    response.set_skipped("neither JSON nor the binary form");
    return response;
  }
  const std::unique_ptr<Message> message = make_message(request.message_type());
  if (message == nullptr) {
    response.set_skipped("unknown type " + request.message_type());
    return response;
  }
  using trunkline::MutableMessageView;
  using trunkline::Slice;
  if (request.payload_case() == ConformanceRequest::kJsonPayload) {
    const auto status = json.decode(Slice::copy_of(request.json_payload()), MutableMessageView::of<Message>(*message));
    if (!status) {
      response.set_parse_error(std::string(status.message()));
      return response;
    }
  } else if (!message->ParseFromString(request.protobuf_payload())) {
    response.set_parse_error("not the binary form");
    return response;
  }
  if (request.requested_output_format() == conformance::PROTOBUF) {
    response.set_protobuf_payload(message->SerializeAsString());
    return response;
  }
  trunkline::BufferWriter out;
  const auto status = json.encode(trunkline::MessageView::of<Message>(*message), out);
  if (status) {
    response.set_json_payload(std::string(trunkline::as_text(out.bytes())));
  } else {
    response.set_serialize_error(std::string(status.message()));
  }
  return response;
}

}  // namespace

int main() {
  const CodecRegistry codecs = CodecRegistry::with_defaults();
  const Codec& json = *codecs.find("json");
  std::array<std::byte, 4> prefix;
  while (read_all(prefix.data(), prefix.size())) {
    std::uint32_t size = 0;
    for (std::size_t i = 0; i < prefix.size(); ++i) size |= std::to_integer<std::uint32_t>(prefix[i]) << 8 * i;
    std::string bytes(size, '\0');
    ConformanceRequest request;
    if (!read_all(reinterpret_cast<std::byte*>(bytes.data()), size) || !request.ParseFromString(bytes)) {
      std::fputs("json_testee: a request is cut off or malformed\n", stderr);
      return 1;
    }
    const std::string response = respond(request, json).SerializeAsString();
    std::string out;
    for (int i = 0; i < 4; ++i) out += static_cast<char>(response.size() >> 8 * i & 0xFF);
    if (!write_all(out + response)) return 1;
  }
  return 0;
}
