// SPDX-License-Identifier: MIT
// Fuzz target: what reads a peer's header fields of gRPC, and what writes a status; the first byte of the input chooses
// one.
#include "fuzz/requirement.h"
#include "session/web/content_type.h"
#include "session/web/metadata_fields.h"
#include "session/web/metadata_reader.h"
#include "session/web/method_path.h"
#include "session/web/status_fields.h"
#include "session/web/timeout.h"

#include <cstdint>
#include <string>

namespace trunkline::session::web {
namespace {

using fuzz::require;

void read_timeout(std::string_view text) {
  if (const auto timeout = parse_timeout(text)) require(*timeout >= base::Duration::zero());
}

void read_path(std::string_view text) {
  BufferWriter room;
  const std::string_view method = method_of_path(text, room);
  if (method.empty()) return;
  // The same name with every byte encoded is the same method.
  std::string path = "/";
  for (const char letter : method) {
    constexpr std::string_view digits = "0123456789abcdef";
    const auto byte = static_cast<unsigned char>(letter);
    path.append({'%', digits[byte >> 4], digits[byte & 15]});
  }
  BufferWriter again;
  require(method_of_path(path, again) == method);
}

void read_metadata(std::string_view text) {
  constexpr std::size_t max_list_bytes = 4096;
  MetadataReader reader(max_list_bytes);
  Metadata metadata;
  const Status status = reader.add("a-bin", text, metadata);
  require(metadata.total_bytes() + 32 * metadata.size() <= max_list_bytes);
  if (!status) return;
  BufferWriter room;
  Metadata again;
  reader.begin();
  for (const Metadata::Entry& entry : metadata) {
    require(reader.add(entry.name, field_value(entry.name, entry.value, room), again).is_ok());
  }
  require(again == metadata);
}

void write_status(std::string_view text) {
  constexpr std::size_t room = 300;
  Status status(StatusCode::aborted, text);
  status.add_detail(std::string(text.substr(text.size() / 2)), std::string(text));
  StatusFields fields;
  fields.assign(status, room);
  std::size_t taken = status_field_name.size() + fields.code().size() + 32;
  if (!fields.message().empty()) taken += message_field_name.size() + fields.message().size() + 32;
  if (!fields.details().empty()) taken += details_field_name.size() + fields.details().size() + 32;
  require(fields.code() == "10" && taken <= room);
  for (const char letter : fields.message()) require(letter >= ' ' && letter <= '~');
}

}  // namespace
}  // namespace trunkline::session::web

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trunkline::session::web;
  if (size == 0) return 0;
  const trunkline::ByteSpan bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const std::string_view text = trunkline::as_text(bytes);
  switch (data[0] % 5) {
    case 0:
      read_timeout(text);
      break;
    case 1:
      read_path(text);
      break;
    case 2:
      read_metadata(text);
      break;
    case 3:
      write_status(text);
      break;
    default:
      if (const auto subtype = subtype_of_content_type(text)) trunkline::fuzz::require(!subtype->empty());
  }
  return 0;
}
