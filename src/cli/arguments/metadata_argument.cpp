// SPDX-License-Identifier: MIT
// Splits at the first colon; the JSON codec of the library handles base64.
#include "cli/arguments/metadata_argument.h"

#include "base/token.h"
#include "cli/output/terminal.h"

#include <trunkline/codec.h>
#include <trunkline/value.h>

#include <cctype>
#include <utility>

namespace trunkline::cli::arguments {
namespace {

/// Returns the bytes in base64. The JSON codec writes bytes as a base64 text in quotes.
std::string to_base64(std::string_view bytes) {
  static const CodecRegistry codecs = CodecRegistry::with_defaults();
  BufferWriter out;
  const Status status = codecs.find("json")->encode(MessageView::of(Value::bytes(as_bytes(bytes))), out);
  if (!status.is_ok() || out.size() < 2) return {};
  return std::string(as_text(out.bytes()).substr(1, out.size() - 2));
}

}  // namespace

Status add_metadata(std::string_view argument, Metadata& metadata) {
  const std::size_t colon = argument.find(':');
  if (colon == std::string_view::npos) {
    return {StatusCode::invalid_argument, "metadata: expected NAME:VALUE, but there is no colon"};
  }
  std::string name(base::trim_blanks(argument.substr(0, colon)));
  for (char& letter : name) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  if (!Metadata::is_valid_name(name)) {
    return {StatusCode::invalid_argument,
            "metadata: name '" + output::escaped(name) + "' is not 1 to 255 of letters, digits, '-', '_' and '.'"};
  }
  const std::string_view value = base::trim_blanks(argument.substr(colon + 1));
  if (!name.ends_with("-bin")) {
    metadata.add(name, value);
    return {};
  }
  std::string padded(value);
  while (padded.size() % 4 != 0) padded.push_back('=');
  const Result<Value::Bytes> bytes = Value(std::move(padded)).decode_bytes();
  if (!bytes) return {StatusCode::invalid_argument, "metadata: value of '" + name + "' is not base64"};
  metadata.add(name, as_text(*bytes));
  return {};
}

std::string format_metadata(const Metadata::Entry& entry) {
  const bool is_binary = entry.name.ends_with("-bin");
  return output::escaped(entry.name) + ": " + (is_binary ? to_base64(entry.value) : output::escaped(entry.value));
}

}  // namespace trunkline::cli::arguments
