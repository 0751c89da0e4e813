// SPDX-License-Identifier: MIT
// Codec: how messages become bytes, by the name that both sides know.

export interface Codec {
  /** The name in the protocol: 1 to 64 lower-case letters, digits, `-`, `_` and `.`. */
  readonly name: string;
  /** Throws if the message cannot be encoded. */
  encode(message: unknown): Uint8Array;
  /** Throws if the bytes are no message. The bytes may be part of a larger buffer, and must not be changed. */
  decode(bytes: Uint8Array): unknown;
}
