// SPDX-License-Identifier: MIT
// Hello: what each side says of itself first (docs/wire.md, section 3).
import { FieldWriter, readFields, readInteger } from "./fields.js";
import { must } from "./protocol_error.js";

export interface HelloLimits {
  version: number;
  maxFrameBytes: number;
  maxMessageBytes: number;
  maxConcurrentCalls: number;
  connectionCredit: number;
  callCredit: number;
  maxHeaderBytes: number;
  maxMethods: number;
}

export interface Hello extends HelloLimits {
  codecs: string[];
  compressors: string[];
  features: string[];
  ordered: boolean;
}

/** The fields in the order of their tags from 1 on, with the early and the least value of each. */
const integers: [keyof HelloLimits, early: number, least: number][] = [
  ["version", 1, 1],
  ["maxFrameBytes", 65536, 65536],
  ["maxMessageBytes", 4194304, 1],
  ["maxConcurrentCalls", 128, 1],
  ["connectionCredit", 1048576, 1048576],
  ["callCredit", 65536, 65536],
  ["maxHeaderBytes", 8192, 8192],
  ["maxMethods", 256, 256],
];
const orderedTag = 0x0c;
const namePattern = /^[a-z0-9._-]+$/;
export const maxCredit = 2 ** 31 - 1;
export const maxHelloBytes = 16384;

/** What a side assumes until the hello of its peer has come. */
export function earlyHello(): Hello {
  const limits = Object.fromEntries(integers.map(([key, early]) => [key, early])) as unknown as HelloLimits;
  return { ...limits, codecs: [], compressors: [], features: [], ordered: false };
}

export function decodeHello(body: Uint8Array): Hello {
  const hello = earlyHello();
  const lists = [hello.codecs, hello.compressors, hello.features];
  const seen = new Set<number>();
  readFields(body, "hello", (tag, value, rule) => {
    rule(tag >= 1 && tag <= orderedTag, "unknown");
    const list = lists[tag - integers.length - 1];
    if (list) {
      rule(value.length <= 64, "exceeds 64 bytes", 8);
      const name = String.fromCharCode(...value);
      rule(namePattern.test(name) && !list.includes(name), "malformed or repeated");
      rule(list.push(name) <= 32, "exceeds 32 names", 8);
      return;
    }
    rule(!seen.has(tag), "repeated");
    seen.add(tag);
    const integer = readInteger(value, "hello");
    if (tag === orderedTag) {
      rule(integer <= 1, "not 0 or 1");
      hello.ordered = integer === 1;
      return;
    }
    const [key, , least] = integers[tag - 1];
    rule(integer >= least, `${integer} is below ${least}`);
    if (key.endsWith("Credit")) rule(integer <= maxCredit, "exceeds 2^31 - 1", 8);
    hello[key] = key === "maxMessageBytes" ? integer : Math.min(integer, 2 ** 32 - 1);
  });
  must(seen.has(1), "hello has no version");
  return hello;
}

/** Values that are the early ones are left out. */
export function encodeHello(hello: Hello): Uint8Array {
  const out = new FieldWriter();
  integers.forEach(([key, early], index) => {
    if (hello[key] !== early || key === "version") out.integer(index + 1, hello[key]);
  });
  [hello.codecs, hello.compressors, hello.features].forEach((list, index) => {
    for (const name of list) out.text(integers.length + 1 + index, name);
  });
  if (hello.ordered) out.integer(orderedTag, 1);
  return out.result();
}
