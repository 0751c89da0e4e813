// SPDX-License-Identifier: MIT
// ScalarEditor: a text, number, flag, enumeration or bytes.
import { element } from "../page/element.js";
import type { EnumDescriptor } from "../schema/descriptors.js";
import { FieldType } from "../schema/descriptors.js";
import { InputError, type Editor } from "./editor.js";
import { RawNumber } from "./raw_number.js";

const long: number[] = [FieldType.int64, FieldType.uint64, FieldType.fixed64, FieldType.sfixed64, FieldType.sint64];
const unsigned: number[] = [FieldType.uint64, FieldType.uint32, FieldType.fixed64, FieldType.fixed32];
const real: number[] = [FieldType.double, FieldType.float];

export interface ScalarOptions {
  /** Of the label. */
  id: string;
  type: number;
  enumeration?: EnumDescriptor | undefined;
  /** Numbers of 64 bits are numbers of JSON; otherwise they are texts, as protobuf has them. */
  hasLongNumbers: boolean;
  /** The value is part of the message even if it is the default. */
  isPresent: boolean;
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export class ScalarEditor implements Editor {
  readonly node: Control;
  readonly #options: ScalarOptions;

  constructor(options: ScalarOptions) {
    this.#options = options;
    this.node = makeControl(options);
    this.node.id = options.id;
  }

  read(): unknown {
    const { type, isPresent } = this.#options;
    const { node } = this;
    node.removeAttribute("aria-invalid");
    if (node instanceof HTMLInputElement && node.type === "checkbox")
      return node.checked || isPresent ? node.checked : undefined;
    const text = node.value;
    if (type === FieldType.enum) return text === node.dataset["default"] && !isPresent ? undefined : text;
    if (type === FieldType.string) return text || isPresent ? text : undefined;
    if (type === FieldType.bytes) return this.#bytes(text);
    const trimmed = text.trim();
    if (!trimmed) return isPresent ? 0 : undefined;
    return this.#number(trimmed);
  }

  write(value: unknown): void {
    const { node } = this;
    if (node instanceof HTMLInputElement && node.type === "checkbox") node.checked = value === true;
    else if (node instanceof HTMLSelectElement && value === undefined) node.selectedIndex = 0;
    else node.value = value === undefined || value === null ? "" : String(value);
  }

  #number(text: string): unknown {
    const { type, hasLongNumbers } = this.#options;
    if (real.includes(type)) {
      if (["NaN", "Infinity", "-Infinity"].includes(text)) return text;
      const number = Number(text);
      if (Number.isNaN(number)) throw this.#wrong(`'${text}' is not a number`);
      return number;
    }
    const isUnsigned = unsigned.includes(type);
    if (!(isUnsigned ? /^\d+$/ : /^-?\d+$/).test(text))
      throw this.#wrong(`'${text}' is not a whole number${isUnsigned ? " from 0 on" : ""}`);
    const bits = long.includes(type) ? 64n : 32n;
    const number = BigInt(text);
    if (number !== (isUnsigned ? BigInt.asUintN(Number(bits), number) : BigInt.asIntN(Number(bits), number)))
      throw this.#wrong(`${text} does not fit into ${bits} bits`);
    if (bits === 32n) return Number(text);
    return hasLongNumbers ? new RawNumber(number.toString()) : number.toString();
  }

  #bytes(text: string): string | undefined {
    const trimmed = text.replace(/\s+/g, "");
    if (!trimmed) return this.#options.isPresent ? "" : undefined;
    if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(trimmed)) throw this.#wrong("bytes are given in base64");
    return trimmed;
  }

  #wrong(text: string): InputError {
    this.node.setAttribute("aria-invalid", "true");
    return new InputError(this.node, text);
  }
}

function makeControl({ type, enumeration }: ScalarOptions): Control {
  if (type === FieldType.bool) return element("input", { type: "checkbox" });
  if (type === FieldType.enum && enumeration) {
    const options = enumeration.values.map((each) =>
      element("option", { value: each.name, title: each.comment }, each.name),
    );
    const select = element("select", {}, options);
    select.dataset["default"] = enumeration.values[0]?.name ?? "";
    return select;
  }
  const properties = { autocomplete: "off", spellcheck: false, "data-1p-ignore": "" };
  if (type === FieldType.string) {
    const area = element("textarea", { ...properties, rows: 1 });
    area.addEventListener("input", () => (area.rows = Math.min(8, area.value.split("\n").length)));
    return area;
  }
  const hint = type === FieldType.bytes ? "base64" : "0";
  const inputMode = type === FieldType.bytes ? "text" : real.includes(type) ? "decimal" : "numeric";
  return element("input", { ...properties, type: "text", hint, inputMode });
}
