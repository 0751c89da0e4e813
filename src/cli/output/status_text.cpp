// SPDX-License-Identifier: MIT
// describe_status(): prints details through protobuf's JSON mapping.
#include "cli/output/status_text.h"

#include "cli/output/terminal.h"

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <memory>

namespace trunkline::cli::output {
namespace {

namespace util = google::protobuf::util;

std::string describe_detail(const StatusDetail& detail, const google::protobuf::DescriptorPool* pool) {
  const std::string unknown = std::to_string(detail.value.size()) + " bytes";
  const std::size_t slash = detail.type_url.rfind('/');
  if (pool == nullptr || slash == std::string::npos) return unknown;
  const auto* const type = pool->FindMessageTypeByName(detail.type_url.substr(slash + 1));
  if (type == nullptr) return unknown;
  const std::string prefix = detail.type_url.substr(0, slash);
  const std::unique_ptr<util::TypeResolver> resolver(util::NewTypeResolverForDescriptorPool(prefix, pool));
  std::string json;
  return util::BinaryToJsonString(resolver.get(), detail.type_url, detail.value, &json).ok() ? json : unknown;
}

}  // namespace

std::string describe_status(const Status& status, const google::protobuf::DescriptorPool* pool) {
  std::string text;
  // Further lines of a message are indented, so that they cannot be taken for other output.
  for (const char letter : escaped(status.to_string(), true)) {
    text += letter;
    if (letter == '\n') text += "  ";
  }
  for (const StatusDetail& detail : status.details()) {
    text += "\n  " + escaped(detail.type_url) + ": " + escaped(describe_detail(detail, pool));
  }
  return text;
}

}  // namespace trunkline::cli::output
