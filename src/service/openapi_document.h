// SPDX-License-Identifier: MIT
// openapi_document(): makes the OpenAPI document of a server's methods.
#pragma once

#include <trunkline/method_info.h>
#include <trunkline/openapi.h>
#include <trunkline/value.h>

#include <vector>

namespace trunkline::service {

/// Returns the document of the unary and server-streaming methods among `methods`.
Value openapi_document(const std::vector<MethodInfo>& methods, const OpenApiOptions& options);

}  // namespace trunkline::service
