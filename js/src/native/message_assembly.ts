// SPDX-License-Identifier: MIT
// MessageAssembly: a message that arrives in several frames. Memory follows what has arrived, not what the peer announces.
import { ByteWriter } from "../byte_writer.js";

export class MessageAssembly extends ByteWriter {
  readonly codec: number;
  readonly compressor: number;
  /** How long the message is to become. */
  readonly total: number;
  /** Whether the receiver has room for it, so that its credit is granted as it arrives. */
  hasRoom = false;

  constructor(codec: number, compressor: number, total: number) {
    super(total);
    this.codec = codec;
    this.compressor = compressor;
    this.total = total;
  }
}
