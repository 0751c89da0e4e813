// SPDX-License-Identifier: MIT
// bytesCodec: the message is the payload.
import type { Codec } from "./codec.js";

export const bytesCodec: Codec = {
  name: "bytes",
  encode(message) {
    if (message instanceof Uint8Array) return message;
    if (message instanceof ArrayBuffer) return new Uint8Array(message);
    if (ArrayBuffer.isView(message)) return new Uint8Array(message.buffer, message.byteOffset, message.byteLength);
    throw new TypeError(`encode bytes: ${typeof message} is no Uint8Array, ArrayBuffer or view of one`);
  },
  decode: (bytes) => bytes.slice(),
};
