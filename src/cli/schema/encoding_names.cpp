// SPDX-License-Identifier: MIT
// Asks the registries of the library for names.
#include "cli/schema/encoding_names.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>

#include <algorithm>

namespace trunkline::cli::schema {
namespace {

std::string choices(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : "|") + name;
  return text;
}

}  // namespace

const std::vector<std::string>& codec_names() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names;
    for (const auto& codec : CodecRegistry::with_defaults().codecs()) names.emplace_back(codec->name());
    if (std::find(names.begin(), names.end(), "protobuf") == names.end()) names.insert(names.begin(), "protobuf");
    return names;
  }();
  return all;
}

std::string codec_choices() { return choices(codec_names()); }

std::string compressor_choices() {
  std::vector<std::string> names = {"identity"};
  for (const auto& compressor : CompressorRegistry::with_defaults().compressors()) {
    names.emplace_back(compressor->name());
  }
  return choices(names);
}

}  // namespace trunkline::cli::schema
