// SPDX-License-Identifier: MIT
// WireReader: the fields of a serialized protobuf message, one after the other.

const text = new TextDecoder();

export class WireReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  number = 0;
  wireType = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads the next tag; false at the end. Its value must then be read or skipped. Throws RangeError. */
  next(): boolean {
    if (this.isAtEnd) return false;
    const tag = Number(this.varint());
    this.number = Math.floor(tag / 8);
    this.wireType = tag % 8;
    return true;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#take(1)[0]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError("protobuf: a number has more than ten bytes");
  }

  int(): number {
    return Number(BigInt.asIntN(64, this.varint()));
  }

  bool(): boolean {
    return this.varint() !== 0n;
  }

  bytes(): Uint8Array {
    return this.#take(Number(this.varint()));
  }

  string(): string {
    return text.decode(this.bytes());
  }

  fixed(size: 4 | 8): DataView {
    const taken = this.#take(size);
    return new DataView(taken.buffer, taken.byteOffset, size);
  }

  skip(): void {
    if (this.wireType === 0) this.varint();
    else if (this.wireType === 1) this.#take(8);
    else if (this.wireType === 2) this.bytes();
    else if (this.wireType === 5) this.#take(4);
    else throw new RangeError(`protobuf: wire type ${this.wireType} is unknown`);
  }

  #take(size: number): Uint8Array {
    if (size > this.#bytes.length - this.#at) throw new RangeError("protobuf: the message is cut off");
    this.#at += size;
    return this.#bytes.subarray(this.#at - size, this.#at);
  }
}
