// SPDX-License-Identifier: MIT
// messagePackCodec: messages as MessagePack.
import type { Codec } from "./codec.js";
import { MessagePackReader } from "./message_pack_reader.js";
import { MessagePackWriter } from "./message_pack_writer.js";

/**
 * Objects are maps with their own enumerable properties whose value is not undefined; a Map may have any keys. Whole
 * numbers within 2^53 are integers and others are floats of 64 bits; a bigint is an integer of 64 bits. Uint8Array and
 * ArrayBuffer are binary. A Date is a timestamp. Integers beyond 2^53 are read as bigint, and maps with a key that is
 * neither text nor a number as a Map.
 */
export const messagePackCodec: Codec = {
  name: "msgpack",
  encode: (message) => new MessagePackWriter().write(message).bytes(),
  decode: (bytes) => new MessagePackReader(bytes).only(),
};
