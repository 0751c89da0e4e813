// SPDX-License-Identifier: MIT
// The vectors of the native protocol: tests/vectors/README.md of the repository describes them.
import { readFileSync } from "node:fs";
import { Flag, FrameType, type Frame } from "../../src/native/frame.js";

export interface Meaning {
  preface?: boolean;
  type: string | number;
  flags: string[];
  codec: number;
  compressor: number;
  call: number;
  number: number;
  hello?: Record<string, number | boolean | string[]>;
  headers?: {
    method?: string;
    timeout_us?: number;
    message_bytes?: number;
    status_message?: string;
    metadata?: [string, string][];
    status_details?: [string, string][];
  };
  message?: string;
  uncompressed_bytes?: number;
  value?: string;
  reason?: string;
  skipped_bytes?: number;
}

export interface SingleFrame {
  name: string;
  from: "client" | "server";
  bytes: string;
  meaning: Meaning;
  code: number;
  decode_only?: boolean;
}

export interface ContextVector {
  name: string;
  receiver: "client" | "server";
  hello?: boolean;
  calls?: number;
  frames: { bytes: string; fill?: { byte: string; times: number }; times?: number }[];
  sends: { type: string; call: number; number: number; times?: number }[];
}

export interface Vectors {
  preface: string;
  wrong_prefaces: { name: string; bytes: string }[];
  valid: SingleFrame[];
  invalid: SingleFrame[];
  conversations: { name: string; frames: SingleFrame[] }[];
  context: ContextVector[];
  served: { name: string; frames: { bytes: string }[] }[];
  compressed: { name: string; compressor: string; plain: string; bytes: string }[];
}

export const vectors: Vectors = JSON.parse(
  readFileSync(new URL("../../../../tests/vectors/native_v1.json", import.meta.url), "utf8"),
);

export function bytesOf(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.replaceAll(" ", ""), "hex"));
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex").toUpperCase();
}

const flagNames: Record<string, number> = {
  headers: Flag.headers,
  message: Flag.message,
  more: Flag.more,
  end: Flag.end,
  one_way: Flag.oneWay,
  unprocessed: Flag.unprocessed,
};

const helloNames: Record<string, string> = {
  version: "version",
  max_frame_bytes: "maxFrameBytes",
  max_message_bytes: "maxMessageBytes",
  max_concurrent_calls: "maxConcurrentCalls",
  connection_credit: "connectionCredit",
  call_credit: "callCredit",
  max_header_bytes: "maxHeaderBytes",
  max_methods: "maxMethods",
  codecs: "codecs",
  compressors: "compressors",
  features: "features",
  ordered: "ordered",
};

/** What a vector means, as the frame that this package has for it. */
export function frameOf(meaning: Meaning): Frame {
  const flags = meaning.flags.reduce((sum, name) => sum | flagNames[name], 0);
  const { codec, compressor, call, number, headers, message, value, reason } = meaning;
  const type = FrameType[meaning.type as keyof typeof FrameType];
  const frame: Frame = { type, flags, codec, compressor, call, number, bodyBytes: 0 };
  if (meaning.hello) {
    const entries = Object.entries(meaning.hello).map(([name, held]) => [helloNames[name], held]);
    frame.hello = Object.fromEntries(entries);
  }
  if (headers) {
    frame.headers = {};
    if (headers.method !== undefined) frame.headers.method = headers.method;
    if (headers.timeout_us !== undefined) frame.headers.timeout = headers.timeout_us;
    if (headers.message_bytes !== undefined) frame.headers.messageBytes = headers.message_bytes;
    if (headers.status_message !== undefined) frame.headers.statusMessage = headers.status_message;
    if (headers.metadata) frame.headers.metadata = headers.metadata.map(([name, held]) => [name, bytesOf(held)]);
    if (headers.status_details) {
      frame.headers.details = headers.status_details.map(([typeUrl, held]) => ({ typeUrl, value: bytesOf(held) }));
    }
  }
  if (message !== undefined) frame.message = bytesOf(message);
  if (value !== undefined) frame.value = bytesOf(value);
  if (reason !== undefined) frame.reason = reason;
  return frame;
}

/** The same frame with copies in place of views of a larger buffer, so that it can be compared. */
export function plain(frame: Frame): Frame {
  return structuredClone({
    ...frame,
    bodyBytes: 0,
    ...(frame.message && { message: frame.message.slice() }),
    ...(frame.value && { value: frame.value.slice() }),
    ...(frame.headers && {
      headers: {
        ...frame.headers,
        ...(frame.headers.metadata && { metadata: frame.headers.metadata.map(([name, held]) => [name, held.slice()]) }),
        ...(frame.headers.details && {
          details: frame.headers.details.map(({ typeUrl, value }) => ({ typeUrl, value: value.slice() })),
        }),
      },
    }),
  }) as Frame;
}

/** The size, in LEB128, that a compressed message begins with. */
export function uncompressedSizeOf(message: Uint8Array): number {
  const end = message.findIndex((byte) => byte < 0x80);
  return message.subarray(0, end + 1).reduceRight((sum, byte) => sum * 128 + (byte & 0x7f), 0);
}
