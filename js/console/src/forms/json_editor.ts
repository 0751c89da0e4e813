// SPDX-License-Identifier: MIT
// JsonEditor: any value, as its JSON.
import { element } from "../page/element.js";
import { InputError, type Editor } from "./editor.js";
import { fromJson, indented, toJson } from "./json_text.js";

export class JsonEditor implements Editor {
  readonly node: HTMLTextAreaElement;
  /** What stands for an empty text; undefined: nothing. */
  readonly #empty: unknown;

  constructor(id: string, options: { rows: number; label: string; hint?: string; empty?: unknown }) {
    this.#empty = options.empty;
    this.node = element("textarea.code", {
      id,
      rows: options.rows,
      spellcheck: false,
      hint: options.hint ?? "JSON",
      "aria-label": options.label,
    });
    this.node.addEventListener("keydown", (event) => this.#onKey(event));
  }

  read(): unknown {
    this.node.removeAttribute("aria-invalid");
    const text = this.node.value.trim();
    if (!text) return this.#empty;
    try {
      return fromJson(text);
    } catch (error) {
      this.node.setAttribute("aria-invalid", "true");
      throw new InputError(this.node, error instanceof Error ? error.message : String(error));
    }
  }

  write(value: unknown): void {
    this.node.value = value === undefined ? "" : indented(toJson(value));
  }

  /** A new line begins where the last one did. */
  #onKey(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { node } = this;
    const before = node.value.slice(0, node.selectionStart);
    const indent = /^[ \t]*/.exec(before.slice(before.lastIndexOf("\n") + 1))![0];
    event.preventDefault();
    node.setRangeText(`\n${indent}${/[{[]$/.test(before) ? "  " : ""}`, node.selectionStart, node.selectionEnd, "end");
    node.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
