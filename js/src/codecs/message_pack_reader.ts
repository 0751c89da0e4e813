// SPDX-License-Identifier: MIT
// MessagePackReader: MessagePack to values (github.com/msgpack/msgpack/blob/master/spec.md).
const maxDepth = 100;
// Not that of ../text.js, as in MessagePackWriter.
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class MessagePackReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;
  #depth = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** The one value that the bytes hold. Throws if there are more or fewer bytes, or if they are malformed. */
  only(): unknown {
    const value = this.#value();
    if (this.#at !== this.#bytes.length) throw new RangeError("decode msgpack: bytes after the value");
    return value;
  }

  /** Where the next `size` bytes begin. */
  #take(size: number): number {
    const at = this.#at;
    if (size > this.#bytes.length - at) throw new RangeError("decode msgpack: the value is cut off");
    this.#at = at + size;
    return at;
  }

  #unsigned(size: number): number {
    const at = this.#take(size);
    return size === 1 ? this.#bytes[at] : size === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at);
  }

  #value(): unknown {
    const type = this.#unsigned(1);
    if (type < 0x80) return type;
    if (type < 0x90) return this.#map(type & 15);
    if (type < 0xa0) return this.#array(type & 15);
    if (type < 0xc0) return this.#text(type & 31);
    if (type >= 0xe0) return type - 0x100;
    // Lengths and integers of 1, 2, 4 and 8 bytes have types in a row.
    switch (type) {
      case 0xc0:
        return null;
      case 0xc2:
      case 0xc3:
        return type === 0xc3;
      case 0xc4:
      case 0xc5:
      case 0xc6:
        return this.#binary(this.#unsigned(1 << (type - 0xc4)));
      case 0xc7:
      case 0xc8:
      case 0xc9:
        return this.#extension(this.#unsigned(1 << (type - 0xc7)));
      case 0xca:
        return this.#view.getFloat32(this.#take(4));
      case 0xcb:
        return this.#view.getFloat64(this.#take(8));
      case 0xcc:
      case 0xcd:
      case 0xce:
        return this.#unsigned(1 << (type - 0xcc));
      case 0xcf:
        return safe(this.#view.getBigUint64(this.#take(8)));
      case 0xd0:
        return this.#view.getInt8(this.#take(1));
      case 0xd1:
        return this.#view.getInt16(this.#take(2));
      case 0xd2:
        return this.#view.getInt32(this.#take(4));
      case 0xd3:
        return safe(this.#view.getBigInt64(this.#take(8)));
      case 0xd9:
      case 0xda:
      case 0xdb:
        return this.#text(this.#unsigned(1 << (type - 0xd9)));
      case 0xdc:
      case 0xdd:
        return this.#array(this.#unsigned(2 << (type - 0xdc)));
      case 0xde:
      case 0xdf:
        return this.#map(this.#unsigned(2 << (type - 0xde)));
      case 0xc1:
        throw new RangeError("decode msgpack: type 0xc1 is never used");
      default:
        return this.#extension(1 << (type - 0xd4));
    }
  }

  #binary(size: number): Uint8Array {
    const at = this.#take(size);
    return this.#bytes.slice(at, at + size);
  }

  #text(size: number): string {
    const at = this.#take(size);
    return decoder.decode(this.#bytes.subarray(at, at + size));
  }

  #enter(): void {
    if (++this.#depth > maxDepth) throw new RangeError(`decode msgpack: deeper than ${maxDepth} levels`);
  }

  #array(size: number): unknown[] {
    this.#enter();
    const items: unknown[] = [];
    for (let index = 0; index < size; ++index) items.push(this.#value());
    --this.#depth;
    return items;
  }

  #map(size: number): object {
    this.#enter();
    const entries: [unknown, unknown][] = [];
    for (let index = 0; index < size; ++index) entries.push([this.#value(), this.#value()]);
    --this.#depth;
    // Object.fromEntries defines properties, so that a key __proto__ is one like others.
    if (entries.every(([key]) => typeof key === "string" || typeof key === "number")) {
      return Object.fromEntries(entries as [string, unknown][]);
    }
    return new Map(entries);
  }

  /** Timestamps are the only extension that is known. */
  #extension(size: number): Date {
    const type = this.#view.getInt8(this.#take(1));
    const at = this.#take(size);
    let seconds = 0;
    let nanoseconds = 0;
    if (type !== -1 || (size !== 4 && size !== 8 && size !== 12)) {
      throw new RangeError(`decode msgpack: unknown extension type ${type} of ${size} bytes`);
    }
    nanoseconds = size === 4 ? 0 : this.#view.getUint32(at);
    if (size === 4) seconds = this.#view.getUint32(at);
    else if (size === 12) seconds = Number(this.#view.getBigInt64(at + 4));
    else {
      seconds = (nanoseconds & 3) * 2 ** 32 + this.#view.getUint32(at + 4);
      nanoseconds >>>= 2;
    }
    return new Date(seconds * 1000 + Math.floor(nanoseconds / 1e6));
  }
}

/** As a number if it is exact. */
function safe(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
