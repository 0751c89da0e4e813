// SPDX-License-Identifier: MIT
// Compiles Asio's own code, which happens only here (ASIO_SEPARATE_COMPILATION).

// This header comes first, because Asio's configuration looks at the standard library's macros: without them this file
// would free with operator delete what the others have got from aligned_alloc.
#include <cstddef>

#include <asio/impl/src.hpp>
#ifdef TRUNKLINE_HAS_TLS
#include <asio/ssl/impl/src.hpp>
#endif
