// SPDX-License-Identifier: MIT
// Fuzz target: messages of HTTP/1.1; the first byte of the input selects requests, responses or chunks. Whole and byte
// by byte they are read alike, and a head that is taken means the same when it is written again.
#include "fuzz/requirement.h"
#include "http/http1/chunk_reader.h"
#include "http/http1/head_writer.h"
#include "http/http1/request_reader.h"
#include "http/http1/response_reader.h"

#include <cstdint>
#include <string>

namespace trunkline::http::http1 {
namespace {

using fuzz::require;

constexpr HeadLimits limits{.max_head_bytes = 1024, .max_first_line_bytes = 256, .max_fields = 16};

void require_same(const MessageFields& a, const MessageFields& b) {
  require(a.fields.size() == b.fields.size() && a.content_length == b.content_length && a.is_chunked == b.is_chunked);
  require(a.has_close == b.has_close && a.has_keep_alive == b.has_keep_alive && a.upgrade == b.upgrade);
  require(!a.is_chunked || !a.content_length);
  for (std::size_t i = 0; i < a.fields.size(); ++i) {
    require(a.fields[i].name == b.fields[i].name && a.fields[i].value == b.fields[i].value);
  }
}

void write_fields(const MessageFields& fields, HeadWriter& writer) {
  for (const Field& field : fields.fields) require(writer.field(field.name, field.value));
  writer.end();
}

void write_again(const RequestHead& head, HeadWriter& writer) {
  require(writer.request_line(head.method, head.target));
  write_fields(head, writer);
}

void write_again(const ResponseHead& head, HeadWriter& writer) {
  writer.status_line(head.status);
  write_fields(head, writer);
}

/// Reads the first head of `text` byte by byte: as a whole it must be read alike.
template <class Reader>
void read_head(const std::string& text) {
  using Outcome = typename Reader::Outcome;
  Reader whole(limits);
  Reader split(limits);
  const Outcome outcome = whole.read(text);
  Outcome last = Outcome::needs_input;
  std::size_t size = 0;
  for (; size <= text.size() && last == Outcome::needs_input; ++size) {
    // A copy of exactly the size, so that a sanitizer detects a read past the end.
    const std::string part = text.substr(0, size);
    last = split.read(part);
    if (last == Outcome::head) require(split.size() == size);
  }
  require(last == outcome);
  if (outcome != Outcome::head) return require(outcome == Outcome::needs_input || whole.error() != MessageError::none);
  require(last == Outcome::head && whole.size() <= text.size());
  BufferWriter again;
  HeadWriter writer(again);
  write_again(whole.head(), writer);
  Reader reread({.max_head_bytes = 1 << 20, .max_first_line_bytes = 1 << 20, .max_fields = 16});
  const Outcome second = reread.read(as_text(again.bytes()));
  // The version is written as HTTP/1.1, which wants a Host.
  if (whole.head().minor_version == 0 && reread.error() == MessageError::no_host) return;
  require(second == Outcome::head);
  require_same(whole.head(), reread.head());
}

struct Chunks {
  ChunkReader reader{limits};
  ChunkReader::Outcome outcome = ChunkReader::Outcome::needs_input;
  std::string content;
  std::size_t consumed_bytes = 0;

  Chunks(const std::string& text, std::size_t part) {
    std::string input;
    std::size_t given = 0;
    while (outcome == ChunkReader::Outcome::needs_input || outcome == ChunkReader::Outcome::data) {
      const std::string copy = input;
      std::size_t consumed = 0;
      outcome = reader.read(copy, consumed);
      require(consumed <= copy.size());
      if (outcome == ChunkReader::Outcome::data) content += reader.data();
      consumed_bytes += consumed;
      input.erase(0, consumed);
      if (outcome != ChunkReader::Outcome::needs_input) continue;
      if (given == text.size()) return;
      const std::size_t size = std::min(part, text.size() - given);
      input += text.substr(given, size);
      given += size;
    }
  }
};

void read_chunks(const std::string& text) {
  const Chunks whole(text, text.size() + 1);
  const Chunks split(text, 1);
  require(whole.outcome == split.outcome && whole.content == split.content);
  require(whole.consumed_bytes == split.consumed_bytes || whole.outcome == ChunkReader::Outcome::refused);
  require(whole.content.size() <= text.size());
}

}  // namespace
}  // namespace trunkline::http::http1

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline::http::http1;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      read_head<RequestReader>(text);
      break;
    case 1:
      read_head<ResponseReader>(text);
      break;
    default:
      read_chunks(text);
  }
  return 0;
}
