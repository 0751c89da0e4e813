// SPDX-License-Identifier: MIT
// Text as UTF-8, and back.

const encoder = new TextEncoder();
const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder();

export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Throws TypeError if the bytes are not UTF-8. */
export function decodeText(bytes: Uint8Array): string {
  return strict.decode(bytes);
}

/** With a replacement character for what is not UTF-8. */
export function decodeAnyText(bytes: Uint8Array): string {
  return lenient.decode(bytes);
}
