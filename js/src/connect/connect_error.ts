// SPDX-License-Identifier: MIT
// Errors of the Connect protocol (connectrpc.com/docs/protocol#error-end-stream) as errors of calls.
import type { Detail } from "../detail.js";
import type { Metadata } from "../metadata.js";
import { RpcError } from "../rpc_error.js";
import { StatusCode } from "../status_code.js";
import { decodeBase64 } from "./base64.js";

const codesOfStatuses: Record<number, StatusCode> = {
  400: StatusCode.internal,
  401: StatusCode.unauthenticated,
  403: StatusCode.permission_denied,
  404: StatusCode.unimplemented,
  429: StatusCode.unavailable,
  502: StatusCode.unavailable,
  503: StatusCode.unavailable,
  504: StatusCode.unavailable,
};

/** What HTTP's status says where the server gives no code of its own. */
export function codeOfHttpStatus(status: number): StatusCode {
  return codesOfStatuses[status] ?? StatusCode.unknown;
}

/** The error that an object of JSON describes; `fallback` if it names no code. */
export function connectError(json: object, fallback: StatusCode, trailingMetadata: Metadata): RpcError {
  const { code, message, details } = json as { code?: unknown; message?: unknown; details?: unknown };
  const known = typeof code === "string" && Object.hasOwn(StatusCode, alias(code));
  const status = known ? StatusCode[alias(code) as keyof typeof StatusCode] : fallback;
  return new RpcError(status === StatusCode.ok ? fallback : status, typeof message === "string" ? message : "", {
    details: Array.isArray(details) ? details.flatMap(detailOf) : [],
    trailingMetadata,
    origin: "peer",
  });
}

/** Connect's spelling, which has one l. */
function alias(code: string): string {
  return code === "canceled" ? "cancelled" : code;
}

function detailOf(json: unknown): Detail[] {
  const { type, value } = (json ?? {}) as { type?: unknown; value?: unknown };
  if (typeof type !== "string" || typeof value !== "string") return [];
  try {
    return [{ typeUrl: `type.googleapis.com/${type}`, value: decodeBase64(value) }];
  } catch {
    return [];
  }
}
