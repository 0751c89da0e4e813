// SPDX-License-Identifier: MIT
// JSON as text: written and read without loss of digits, indented, and coloured.
import { element } from "../page/element.js";
import { RawNumber } from "./raw_number.js";

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g;

export function toJson(value: unknown): string {
  if (value instanceof RawNumber) return value.digits;
  if (Array.isArray(value)) return `[${value.map((each) => toJson(each)).join(",")}]`;
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value).filter(([, each]) => each !== undefined);
    return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${toJson(each)}`).join(",")}}`;
  }
  return JSON.stringify(value) ?? "null";
}

/** Throws SyntaxError. */
export function fromJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  const tokens = text.match(token)!;
  // Long numbers have lost digits.
  return tokens.some((each) => isLongNumber(each)) ? new Exact(tokens).read() : value;
}

function isLongNumber(digits: string): boolean {
  return /^-?\d{16,}$/.test(digits) && !Number.isSafeInteger(Number(digits));
}

/** Builds a value from the tokens of JSON that is known to be right. */
class Exact {
  readonly #tokens: string[];
  #at = 0;

  constructor(tokens: string[]) {
    this.#tokens = tokens;
  }

  read(): unknown {
    const first = this.#next();
    if (first === "[") {
      const list: unknown[] = [];
      this.#until("]", () => list.push(this.read()));
      return list;
    }
    if (first === "{") {
      const entries: [string, unknown][] = [];
      this.#until("}", () => {
        const name = JSON.parse(this.#next()) as string;
        this.#next();
        entries.push([name, this.read()]);
      });
      return Object.fromEntries(entries);
    }
    return isLongNumber(first) ? new RawNumber(first) : JSON.parse(first);
  }

  #next(): string {
    return this.#tokens[this.#at++]!;
  }

  #until(end: string, readOne: () => void): void {
    while (this.#tokens[this.#at] !== end) {
      if (this.#tokens[this.#at] === ",") this.#at++;
      readOne();
    }
    this.#at++;
  }
}

/** The same JSON over several lines; short lists and objects stay on one. */
export function indented(json: string): string {
  const tokens = json.match(token) ?? [];
  let at = 0;
  const write = (indent: string): string => {
    const first = tokens[at++] ?? "";
    const end = first === "{" ? "}" : first === "[" ? "]" : undefined;
    if (!end) return first;
    const parts: string[] = [];
    while (at < tokens.length && tokens[at] !== end) {
      if (tokens[at] === ",") at++;
      let name = "";
      if (first === "{") {
        name = `${tokens[at]}: `;
        at += 2;
      }
      parts.push(name + write(`${indent}  `));
    }
    at++;
    const line = parts.length ? `${first} ${parts.join(", ")} ${end}` : first + end;
    if (line.length + indent.length <= 52 && !line.includes("\n"))
      return first === "[" ? line.replace(/^\[ | \]$/g, (part) => part.trim()) : line;
    return `${first}\n${parts.map((part) => `${indent}  ${part}`).join(",\n")}\n${indent}${end}`;
  };
  return write("");
}

/** Text of JSON as nodes with the classes `name`, `text`, `number` and `word`. */
export function coloured(json: string): (Node | string)[] {
  const nodes: (Node | string)[] = [];
  let last = 0;
  for (const match of json.matchAll(token)) {
    const [part] = match;
    if (/^[{}[\],:]/.test(part)) continue;
    nodes.push(json.slice(last, match.index));
    last = match.index + part.length;
    const isName = part[0] === '"' && /^\s*:/.test(json.slice(last, last + 2));
    const kind = isName ? "name" : part[0] === '"' ? "text" : /[tfn]/.test(part[0]!) ? "word" : "number";
    nodes.push(element(`span.json-${kind}`, {}, part));
  }
  nodes.push(json.slice(last));
  return nodes;
}
