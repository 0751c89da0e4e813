// SPDX-License-Identifier: MIT
// ByteWriter: a buffer that grows, written from front to back. Numbers are little-endian.

export class ByteWriter {
  readonly #limit: number;
  #bytes = new Uint8Array();
  size = 0;

  /** `limit`: no more is written than so many bytes, so that there is no need for a larger buffer. */
  constructor(limit = Infinity) {
    this.#limit = limit;
  }

  /** Room for so many more bytes; returns where they begin, and counts them as written. */
  #take(count: number): number {
    const at = this.size;
    this.size += count;
    if (this.size > this.#bytes.length) {
      const grown = new Uint8Array(Math.min(this.#limit, Math.max(this.size, 2 * this.#bytes.length, 256)));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    return at;
  }

  u8(value: number): this {
    const at = this.#take(1);
    this.#bytes[at] = value;
    return this;
  }

  u32(value: number): this {
    return this.u8(value)
      .u8(value >>> 8)
      .u8(value >>> 16)
      .u8(value >>> 24);
  }

  bytes(value: Uint8Array): this {
    const at = this.#take(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  /** What has been written; the writer is not to be used further. */
  result(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.size);
  }
}
