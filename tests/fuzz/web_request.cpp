// SPDX-License-Identifier: MIT
// Fuzz target: what reads a request of Connect, gRPC-Web or plain HTTP - its head with the query, and the body of the
// text form - and what writes an error; the first byte of the input chooses one.
#include "codec/base64.h"
#include "codec/bytes_codec.h"
#include "codec/json_codec.h"
#include "codec/value_reader.h"
#include "compression/snappy_compressor.h"
#include "fuzz/requirement.h"
#include "session/web/call_head_reader.h"
#include "session/web/response_body.h"
#include "session/web/text_body.h"

#include <trunkline/value.h>

#include <cstdint>
#include <memory>
#include <string>

namespace trunkline::session::web {
namespace {

using fuzz::require;

/// The part up to the next line feed, which is taken away.
std::string_view take_line(std::string_view& text) noexcept {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// The lines are the method, the target, and the fields in the order of FieldName; those that are empty are missing.
void read_head(std::string_view text) {
  const CodecRegistry codecs =
      CodecRegistry().add(std::make_shared<codec::BytesCodec>()).add(std::make_shared<codec::JsonCodec>(CodecLimits()));
  const CompressorRegistry compressors = CompressorRegistry().add(std::make_shared<compression::SnappyCompressor>());
  const SessionOptions options{.codecs = &codecs, .compressors = &compressors};
  const MessageEncodings encodings(&compressors);
  CallHeadReader reader(options, encodings);
  CallHead head;
  const std::string_view method = take_line(text);
  const std::string_view target = take_line(text);
  reader.begin();
  for (std::size_t name = 0; name < field_name_count; ++name) {
    const std::string_view value = take_line(text);
    if (!value.empty()) static_cast<void>(reader.add(static_cast<FieldName>(name), value));
  }

  switch (reader.finish({.method = method, .target = target, .authority = "host"}, head)) {
    case CallHeadReader::Outcome::call:
      require(head.codec != nullptr && head.format != Format::grpc && head.format != Format::lines);
      require(!reader.method().empty() && reader.status().is_ok());
      require(!reader.message() || head.is_get);
      require(!head.timeout || *head.timeout >= base::Duration::zero());
      return;
    case CallHeadReader::Outcome::refused:
      require(!reader.status().is_ok());
      require(reader.answer_format() || reader.http_status() >= 400);
      return;
    case CallHeadReader::Outcome::grpc:
      require(method == "POST");
      return;
  }
}

void read_text(std::string_view text) {
  TextBody body;
  if (!read_text_body(text, body).is_ok()) return;
  BufferWriter again;
  append_message(Format::grpc_web_text, body.message.bytes(), body.is_compressed, again);
  TextBody same;
  require(read_text_body(as_text(again.bytes()), same).is_ok());
  require(same.is_compressed == body.is_compressed && same.message == body.message);
}

/// What is sent is JSON whatever the texts of the status are.
void write_error(std::string_view text) {
  Status status(StatusCode::aborted, text);
  status.add_detail(std::string(text.substr(text.size() / 2)), std::string(text));
  Value value;
  for (const Format format : {Format::connect_unary, Format::plain, Format::lines}) {
    BufferWriter out;
    append_end(format, status, nullptr, out);
    require(codec::read_json(out.bytes(), {}, value).is_ok());
  }
  // A message of JSON stays in one line.
  BufferWriter line;
  append_message(Format::lines, as_bytes(text), false, line);
  require(as_text(line.bytes()).find_first_of("\r\n") == line.size() - 1);
}

}  // namespace
}  // namespace trunkline::session::web

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline::session::web;
  if (size == 0) return 0;
  const trunkline::ByteSpan bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const std::string_view text = trunkline::as_text(bytes);
  switch (data[0] % 3) {
    case 0:
      read_head(text);
      break;
    case 1:
      read_text(text);
      break;
    default:
      write_error(text);
  }
  return 0;
}
