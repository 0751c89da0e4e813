// SPDX-License-Identifier: MIT
// RpcError: what a call throws that has not ended well.
import type { Detail } from "./detail.js";
import { Metadata } from "./metadata.js";
import { StatusCode, statusCodeNames } from "./status_code.js";

/** Where a status comes from: this side, the server (its handler or its runtime), or the connection between them. */
export type Origin = "local" | "peer" | "transport";

export interface RpcErrorOptions {
  details?: readonly Detail[] | undefined;
  trailingMetadata?: Metadata | undefined;
  leadingMetadata?: Metadata | undefined;
  origin?: Origin | undefined;
  mayHaveRun?: boolean | undefined;
  cause?: unknown;
}

export class RpcError extends Error {
  readonly code: StatusCode;
  /** The text of the status, without the name of the code that `message` begins with. */
  readonly text: string;
  readonly details: readonly Detail[];
  /** What the server sent before its first message. */
  readonly leadingMetadata: Metadata;
  /** What the server sent with the status. */
  readonly trailingMetadata: Metadata;
  readonly origin: Origin;
  /** False only if it is certain that no handler has seen the call. */
  readonly mayHaveRun: boolean;

  constructor(code: StatusCode, text: string, options: RpcErrorOptions = {}) {
    const { cause, details = [], leadingMetadata = new Metadata(), trailingMetadata = new Metadata() } = options;
    super(`${statusCodeNames[code]}: ${text}`, cause === undefined ? undefined : { cause });
    this.name = "RpcError";
    this.code = code;
    this.text = text;
    this.details = details;
    this.leadingMetadata = leadingMetadata;
    this.trailingMetadata = trailingMetadata;
    this.origin = options.origin ?? "local";
    this.mayHaveRun = options.mayHaveRun ?? true;
  }

  /** The name of the code, such as `not_found`. */
  get codeName(): keyof typeof StatusCode {
    return statusCodeNames[this.code];
  }

  /** @internal The same error with other properties. */
  with(changes: RpcErrorOptions & { text?: string }): RpcError {
    return new RpcError(this.code, changes.text ?? this.text, { ...this, cause: this.cause, ...changes });
  }

  /** Anything that was thrown, as an RpcError: `unknown` unless it is one. */
  static from(error: unknown, code: StatusCode = StatusCode.unknown): RpcError {
    if (error instanceof RpcError) return error;
    return new RpcError(code, textOf(error), { cause: error });
  }
}

/** What something that was thrown says. */
export function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
