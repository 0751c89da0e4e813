// SPDX-License-Identifier: MIT
// make_server_context(), make_client_context(): make TLS contexts from options, without the headers of OpenSSL.
#pragma once

#include <trunkline/result.h>
#include <trunkline/tls.h>

#include <memory>

namespace trunkline::net {

/// The contents of the files that TlsOptions name, and its rules. It is immutable, and any thread may use it. A build
/// without TLS has none, and the functions that make one return unimplemented.
class TlsContext;

/// Make a context. Errors (invalid_argument) name the option, the file and the reason.
Result<std::shared_ptr<const TlsContext>> make_server_context(const TlsOptions& options);
Result<std::shared_ptr<const TlsContext>> make_client_context(const TlsOptions& options);

}  // namespace trunkline::net
