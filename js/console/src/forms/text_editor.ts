// SPDX-License-Identifier: MIT
// TextEditor: a value whose JSON is a text of a given form, such as a time.
import { element } from "../page/element.js";
import { InputError, type Editor } from "./editor.js";

export interface TextForm {
  hint: string;
  pattern: RegExp;
  /** What is expected, for the error. */
  expected: string;
  /** A button that fills in a value. */
  fill?: { label: string; value: () => string };
}

export const textForms: Record<string, TextForm> = {
  "google.protobuf.Timestamp": {
    hint: "2026-01-31T12:00:00Z",
    pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i,
    expected: "a time such as 2026-01-31T12:00:00Z",
    fill: { label: "now", value: () => new Date().toISOString() },
  },
  "google.protobuf.Duration": {
    hint: "1.5s",
    pattern: /^-?\d+(\.\d{1,9})?s$/,
    expected: "a number of seconds such as 1.5s",
  },
  "google.protobuf.FieldMask": { hint: "name,address.city", pattern: /^[\w.,]*$/, expected: "names of fields" },
};

export class TextEditor implements Editor {
  readonly node: HTMLElement;
  readonly #input: HTMLInputElement;
  readonly #form: TextForm;

  constructor(id: string, form: TextForm) {
    this.#form = form;
    this.#input = element("input", { id, type: "text", hint: form.hint, autocomplete: "off" });
    const { fill } = form;
    const button =
      fill &&
      element("button.small", { type: "button", onclick: () => (this.#input.value = fill.value()) }, fill.label);
    this.node = element("div.joined", {}, this.#input, button);
  }

  read(): unknown {
    const text = this.#input.value.trim();
    this.#input.removeAttribute("aria-invalid");
    if (!text) return undefined;
    if (this.#form.pattern.test(text)) return text;
    this.#input.setAttribute("aria-invalid", "true");
    throw new InputError(this.#input, `'${text}' is not ${this.#form.expected}`);
  }

  write(value: unknown): void {
    this.#input.value = value === undefined ? "" : String(value);
  }
}
