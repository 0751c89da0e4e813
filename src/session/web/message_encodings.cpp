// SPDX-License-Identifier: MIT
// Finds compressors by the names of encodings, and lists their names.
#include "session/web/message_encodings.h"

#include "base/token.h"
#include "session/web/encoding_name.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace trunkline::session::web {
namespace {

/// Takes the first name from the front of a list.
std::string_view take_name(std::string_view& list) noexcept {
  const std::size_t end = list.find(',');
  std::string_view name = list.substr(0, end);
  list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  return base::trim_blanks(name);
}

/// Returns true for weights such as ";q=0" and ";Q=0.000".
bool has_zero_weight(std::string_view parameters) noexcept {
  const std::size_t weight = std::min(parameters.find("q="), parameters.find("Q="));
  if (weight == parameters.npos) return false;
  return parameters.find_first_not_of("0.", weight + 2) == parameters.npos;
}

}  // namespace

MessageEncodings::MessageEncodings(const CompressorRegistry* registry) : registry_(registry) {
  if (registry_ == nullptr) return;
  for (const auto& compressor : registry_->compressors()) {
    if (compressor->has_unsized_form()) names_.append(",").append(compressor->name());
  }
}

const Compressor* MessageEncodings::find(std::string_view name) const noexcept {
  if (registry_ == nullptr) return nullptr;
  const Compressor* found = registry_->find(name);
  if (found == nullptr) {
    const auto& all = registry_->compressors();
    const auto same =
        std::find_if(all.begin(), all.end(), [name](const auto& one) { return names_encoding(name, one->name()); });
    if (same != all.end()) found = same->get();
  }
  return found != nullptr && found->has_unsized_form() ? found : nullptr;
}

bool MessageEncodings::contains(CompressorSet set, const Compressor& compressor) const noexcept {
  if (registry_ == nullptr || set.empty()) return false;
  const auto& all = registry_->compressors();
  for (std::size_t position = 0; position < all.size(); ++position) {
    if (all[position].get() == &compressor) return set.contains(position) && compressor.has_unsized_form();
  }
  return false;
}

CompressorSet MessageEncodings::read_http_list(std::string_view value) const noexcept {
  CompressorSet set;
  while (!value.empty()) {
    std::string_view name = take_name(value);
    const std::size_t semicolon = std::min(name.find(';'), name.size());
    const bool is_refused = has_zero_weight(name.substr(semicolon));
    name = name.substr(0, semicolon);
    if (!is_refused) set.insert(read_list(name));
  }
  return set;
}

CompressorSet MessageEncodings::read_list(std::string_view value) const noexcept {
  CompressorSet set;
  while (registry_ != nullptr && !value.empty()) {
    const std::string_view name = take_name(value);
    const auto& all = registry_->compressors();
    for (std::size_t position = 0; position < all.size(); ++position) {
      if (names_encoding(name, all[position]->name()) && all[position]->has_unsized_form()) set.insert(position);
    }
  }
  return set;
}

}  // namespace trunkline::session::web
