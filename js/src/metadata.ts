// SPDX-License-Identifier: MIT
// Metadata: names and values that go with a call or a response, in order; a name may occur several times.
import { decodeAnyText, encodeText } from "./text.js";

/** Text, or bytes. Over HTTP only names that end in `-bin` carry bytes. */
export type MetadataValue = string | Uint8Array;

export type MetadataLike =
  | Iterable<readonly [string, MetadataValue]>
  | { readonly [name: string]: MetadataValue | readonly MetadataValue[] | undefined };

const namePattern = /^[a-z0-9!#$%&'*+.^_`|~-]{1,255}$/;
/** 1 to 255 characters of HTTP's tokens, in lower case. */
export function isMetadataName(name: string): boolean {
  return namePattern.test(name);
}

export class Metadata implements Iterable<[string, MetadataValue]> {
  readonly #entries: [string, MetadataValue][] = [];

  /** Names are taken in lower case. Throws TypeError for a name that is no token of HTTP. */
  constructor(like?: MetadataLike) {
    const pairs = like && (Symbol.iterator in like ? like : Object.entries(like));
    for (const [name, values] of pairs ?? []) {
      for (const value of Array.isArray(values) ? values : [values]) if (value !== undefined) this.append(name, value);
    }
  }

  append(name: string, value: MetadataValue): void {
    const lower = name.toLowerCase();
    if (!isMetadataName(lower)) throw new TypeError(`metadata: '${name}' is not 1 to 255 characters of a token`);
    this.#entries.push([lower, value]);
  }

  /** The first value of a name, as text; bytes are taken as UTF-8. */
  get(name: string): string | undefined {
    const [value] = this.getAll(name);
    return value instanceof Uint8Array ? decodeAnyText(value) : value;
  }

  /** The first value of a name, as bytes; text is taken as UTF-8. */
  getBytes(name: string): Uint8Array | undefined {
    const [value] = this.getAll(name);
    return typeof value === "string" ? encodeText(value) : value;
  }

  getAll(name: string): MetadataValue[] {
    return this.#entries.filter(([other]) => other === name.toLowerCase()).map(([, value]) => value);
  }

  has(name: string): boolean {
    return this.getAll(name).length > 0;
  }

  get size(): number {
    return this.#entries.length;
  }

  [Symbol.iterator](): IterableIterator<[string, MetadataValue]> {
    return this.#entries.values();
  }
}
