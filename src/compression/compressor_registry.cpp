// SPDX-License-Identifier: MIT
// CompressorRegistry, and the table of built-in compressors.
#include <trunkline/compressor.h>

#include <compression/brotli_compressor.h>
#include <compression/deflate_compressor.h>
#include <compression/gzip_compressor.h>
#include <compression/lz4_compressor.h>
#include <compression/snappy_compressor.h>
#include <compression/zstd_compressor.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace trunkline {
namespace {

using Make = std::shared_ptr<const Compressor> (*)();

template <class BuiltIn>
std::shared_ptr<const Compressor> make() {
  return std::make_shared<BuiltIn>();
}

/// The compressors in the order of their numbers on the wire. Each feature is a row of cmake/TrunklineFeatures.cmake.
constexpr Make built_in[] = {
    &make<compression::SnappyCompressor>,
#ifdef TRUNKLINE_HAS_ZSTD
    &make<compression::ZstdCompressor>,
#endif
#ifdef TRUNKLINE_HAS_LZ4
    &make<compression::Lz4Compressor>,
#endif
#ifdef TRUNKLINE_HAS_GZIP
    &make<compression::GzipCompressor>,
#endif
#ifdef TRUNKLINE_HAS_DEFLATE
    &make<compression::DeflateCompressor>,
#endif
#ifdef TRUNKLINE_HAS_BROTLI
    &make<compression::BrotliCompressor>,
#endif
};

constexpr std::size_t max_compressors = 32;
constexpr std::size_t max_name_bytes = 64;

bool is_valid_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= max_name_bytes && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  });
}

}  // namespace

CompressorRegistry CompressorRegistry::with_defaults() {
  CompressorRegistry registry;
  for (const Make make : built_in) registry.add(make());
  return registry;
}

CompressorRegistry& CompressorRegistry::add(std::shared_ptr<const Compressor> compressor) {
  if (compressor == nullptr) throw std::invalid_argument("add compressor: null");
  const std::string_view name = compressor->name();
  if (!is_valid_name(name)) {
    throw std::invalid_argument("add compressor: name '" + std::string(name) + "' is not 1 to 64 of [a-z0-9._-]");
  }
  const auto same =
      std::find_if(compressors_.begin(), compressors_.end(), [&](const auto& other) { return other->name() == name; });
  if (same != compressors_.end()) {
    *same = std::move(compressor);
    return *this;
  }
  if (compressors_.size() == max_compressors) {
    throw std::invalid_argument("add compressor: '" + std::string(name) + "' would be one more than 32");
  }
  compressors_.push_back(std::move(compressor));
  return *this;
}

const Compressor* CompressorRegistry::find(std::string_view name) const noexcept {
  for (const auto& compressor : compressors_) {
    if (compressor->name() == name) return compressor.get();
  }
  return nullptr;
}

}  // namespace trunkline
