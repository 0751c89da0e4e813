// SPDX-License-Identifier: MIT
// Names of encodings to compressors and back.
#include "session/grpc/message_encodings.h"

#include <memory>
#include <vector>

namespace trunkline::session::grpc {
namespace {

/// The first name of a list, which loses it.
std::string_view take_name(std::string_view& list) noexcept {
  const std::size_t end = list.find(',');
  std::string_view name = list.substr(0, end);
  list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  while (name.starts_with(' ') || name.starts_with('\t')) name.remove_prefix(1);
  while (name.ends_with(' ') || name.ends_with('\t')) name.remove_suffix(1);
  return name;
}

}  // namespace

MessageEncodings::MessageEncodings(const CompressorRegistry* registry) : registry_(registry) {
  if (registry_ == nullptr) return;
  for (const auto& compressor : registry_->compressors()) {
    if (compressor->has_unsized_form()) names_.append(",").append(compressor->name());
  }
}

const Compressor* MessageEncodings::find(std::string_view name) const noexcept {
  const Compressor* const found = registry_ != nullptr ? registry_->find(name) : nullptr;
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

CompressorSet MessageEncodings::read_list(std::string_view value) const noexcept {
  CompressorSet set;
  while (registry_ != nullptr && !value.empty()) {
    const std::string_view name = take_name(value);
    const auto& all = registry_->compressors();
    for (std::size_t position = 0; position < all.size(); ++position) {
      if (all[position]->name() == name && all[position]->has_unsized_form()) set.insert(position);
    }
  }
  return set;
}

}  // namespace trunkline::session::grpc
