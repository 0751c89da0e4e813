// SPDX-License-Identifier: MIT
// jsonCodec: messages as JSON.
import { decodeText, encodeText } from "../text.js";
import type { Codec } from "./codec.js";

export const jsonCodec: Codec = {
  name: "json",
  encode(message) {
    const text = JSON.stringify(message);
    if (text === undefined) throw new TypeError(`encode json: ${typeof message} has no form in JSON`);
    return encodeText(text);
  },
  decode: (bytes) => JSON.parse(decodeText(bytes)),
};
