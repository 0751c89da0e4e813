// SPDX-License-Identifier: MIT
// Base 64 in both alphabets, for what HTTP carries as text.

export function encodeBase64(bytes: Uint8Array): string {
  let text = "";
  // Arguments of a call are limited in number.
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}

/** Without padding, for URLs. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** Either alphabet, with or without padding. Throws if it is neither. */
export function decodeBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
}
