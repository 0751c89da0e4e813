// SPDX-License-Identifier: MIT
// Writes the texts of compression errors.
#include <compression/compression_error.h>

#include <string>

namespace trunkline::compression {
namespace {

std::string joined(std::string_view verb, std::string_view name, std::string_view reason) {
  std::string text(verb);
  text.append(name).append(": ").append(reason);
  return text;
}

}  // namespace

Status compress_error(std::string_view name, std::string_view reason) {
  return {StatusCode::internal, joined("compress ", name, reason)};
}

Status input_too_long(std::string_view name, std::size_t size, std::size_t limit) {
  return compress_error(name, "input of " + std::to_string(size) + " bytes exceeds " + std::to_string(limit));
}

Status decompress_error(std::string_view name, std::string_view reason) {
  return {StatusCode::invalid_argument, joined("decompress ", name, reason)};
}

Status corrupt(std::string_view name, std::size_t input_bytes, std::size_t out_bytes) {
  return decompress_error(name,
                          std::to_string(input_bytes) + " bytes do not decompress to " + std::to_string(out_bytes));
}

Status corrupt_unsized(std::string_view name, std::size_t input_bytes) {
  return decompress_error(name, std::to_string(input_bytes) + " bytes are corrupt");
}

Status exceeds_limit(std::string_view name, std::size_t input_bytes, std::size_t limit) {
  const std::string text = std::to_string(input_bytes) + " bytes make more than " + std::to_string(limit);
  return {StatusCode::resource_exhausted, joined("decompress ", name, text)};
}

Status out_of_memory(std::string_view name) {
  return {StatusCode::resource_exhausted, joined("decompress ", name, "out of memory")};
}

}  // namespace trunkline::compression
