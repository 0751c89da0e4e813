// SPDX-License-Identifier: MIT
// BigEndianWriter: a buffer that grows, for MessagePack. It shares nothing with ByteWriter, so that bundlers put it into
// the file that only pages with MessagePack load.

export class BigEndianWriter {
  #bytes = new Uint8Array(256);
  #view = new DataView(this.#bytes.buffer);
  #size = 0;

  /** Room for so many more bytes; returns where they begin, and counts them as written. */
  #take(count: number): number {
    const at = this.#size;
    this.#size += count;
    if (this.#size > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#size, 2 * this.#bytes.length));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }

  u8(value: number): this {
    const at = this.#take(1);
    this.#bytes[at] = value;
    return this;
  }

  u16(value: number): this {
    const at = this.#take(2);
    this.#view.setUint16(at, value);
    return this;
  }

  u32(value: number): this {
    const at = this.#take(4);
    this.#view.setUint32(at, value);
    return this;
  }

  /** Of either sign. */
  i64(value: bigint): this {
    const at = this.#take(8);
    this.#view.setBigInt64(at, value);
    return this;
  }

  f64(value: number): this {
    const at = this.#take(8);
    this.#view.setFloat64(at, value);
    return this;
  }

  bytes(value: Uint8Array): this {
    const at = this.#take(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  /** What has been written; the writer is not to be used further. */
  result(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#size);
  }
}
