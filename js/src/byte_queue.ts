// SPDX-License-Identifier: MIT
// ByteQueue: bytes that come in parts and are taken in other parts.

export class ByteQueue {
  #parts: Uint8Array[] = [];
  /** How much there is. */
  size = 0;

  feed(bytes: Uint8Array): void {
    if (bytes.length) this.#parts.push(bytes);
    this.size += bytes.length;
  }

  /** The next bytes, if there are so many; they stay where they are. What was fed is copied only to join it. */
  peek(count: number): Uint8Array | undefined {
    if (this.size < count) return undefined;
    if (!count) return new Uint8Array();
    if (this.#parts[0].length < count) {
      const joined = new Uint8Array(this.size);
      let end = 0;
      for (const part of this.#parts) {
        joined.set(part, end);
        end += part.length;
      }
      this.#parts = [joined];
    }
    return this.#parts[0].subarray(0, count);
  }

  /** What `peek` has returned. */
  skip(count: number): void {
    this.size -= count;
    if (!count) return;
    const rest = this.#parts[0].subarray(count);
    if (rest.length) this.#parts[0] = rest;
    else this.#parts.shift();
  }
}
