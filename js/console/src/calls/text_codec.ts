// SPDX-License-Identifier: MIT
// textCodec: JSON that stays text, so that no digit is lost.
import type { Codec } from "../../../src/codecs/codec.js";

export const textCodec: Codec = {
  name: "json",
  encode: (text) => new TextEncoder().encode(String(text)),
  decode: (bytes) => new TextDecoder().decode(bytes),
};
