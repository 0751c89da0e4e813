// SPDX-License-Identifier: MIT
// All public headers at once. A source file that is compiled often includes only the headers that it uses.
//
// protobuf.h is among them where the library was built with protobuf: the CMake target and the pkg-config file then
// define TRUNKLINE_HAS_PROTOBUF.
#pragma once

#include <trunkline/announce_options.h>
#include <trunkline/blocking.h>
#include <trunkline/breaker_options.h>
#include <trunkline/call_options.h>
#include <trunkline/channel.h>
#include <trunkline/channel_options.h>
#include <trunkline/channel_state.h>
#include <trunkline/client_method.h>
#include <trunkline/client_stream.h>
#include <trunkline/codec.h>
#include <trunkline/compressor.h>
#include <trunkline/connection_limits.h>
#include <trunkline/console_options.h>
#include <trunkline/endpoint.h>
#include <trunkline/event_loop.h>
#include <trunkline/fields.h>
#include <trunkline/health.h>
#include <trunkline/hedging_options.h>
#include <trunkline/http_request.h>
#include <trunkline/http_response.h>
#include <trunkline/interceptor.h>
#include <trunkline/log.h>
#include <trunkline/memory_usage.h>
#include <trunkline/message.h>
#include <trunkline/metadata.h>
#include <trunkline/method.h>
#include <trunkline/method_handler.h>
#include <trunkline/method_info.h>
#include <trunkline/method_options.h>
#include <trunkline/openapi.h>
#include <trunkline/outlier_options.h>
#include <trunkline/overload_options.h>
#include <trunkline/plain.h>
#include <trunkline/reflection.h>
#include <trunkline/result.h>
#include <trunkline/retry_options.h>
#include <trunkline/server.h>
#include <trunkline/server_context.h>
#include <trunkline/server_options.h>
#include <trunkline/server_statistics.h>
#include <trunkline/server_stream.h>
#include <trunkline/server_totals.h>
#include <trunkline/service.h>
#include <trunkline/service_config.h>
#include <trunkline/slice.h>
#include <trunkline/statistics_service.h>
#include <trunkline/status.h>
#include <trunkline/status_code_set.h>
#include <trunkline/stream_range.h>
#include <trunkline/tls.h>
#include <trunkline/transport_options.h>
#include <trunkline/type_description.h>
#include <trunkline/value.h>

#ifdef TRUNKLINE_HAS_PROTOBUF
#include <trunkline/protobuf.h>
#endif
