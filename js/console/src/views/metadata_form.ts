// SPDX-License-Identifier: MIT
// MetadataForm: the metadata and the timeout of a call.
import { element, freshId } from "../page/element.js";
import { InputError } from "../forms/editor.js";

export class MetadataForm {
  readonly node: HTMLElement;
  readonly #rows = element("div.rows");
  readonly #timeout = element("input.timeout", { id: freshId(), type: "text", inputMode: "numeric", hint: "none" });
  #fields: [HTMLInputElement, HTMLInputElement][] = [];

  /** `timeout`: in milliseconds, to begin with. */
  constructor(timeout: string) {
    this.#timeout.value = timeout;
    const add = element(
      "button.small.add",
      { type: "button", onclick: () => this.#add("", "")[0].focus() },
      "+ metadata",
    );
    this.node = element(
      "div.options",
      {},
      element(
        "div.joined",
        {},
        element("label", { for: this.#timeout.id }, "timeout"),
        this.#timeout,
        element("span.unit", {}, "ms"),
        add,
      ),
      this.#rows,
    );
  }

  /** Throws InputError. */
  timeout(): number | undefined {
    const text = this.#timeout.value.trim();
    this.#timeout.removeAttribute("aria-invalid");
    if (!text) return undefined;
    if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
    this.#timeout.setAttribute("aria-invalid", "true");
    throw new InputError(this.#timeout, `timeout '${text}' is not a number of milliseconds`);
  }

  /** Throws InputError. */
  metadata(): [string, string][] {
    const entries: [string, string][] = [];
    for (const [name, value] of this.#fields) {
      const key = name.value.trim().toLowerCase();
      name.removeAttribute("aria-invalid");
      if (!key && !value.value) continue;
      if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,255}$/.test(key)) {
        name.setAttribute("aria-invalid", "true");
        throw new InputError(name, `metadata: '${key}' is not a name`);
      }
      entries.push([key, value.value]);
    }
    return entries;
  }

  #add(key: string, content: string): [HTMLInputElement, HTMLInputElement] {
    const name = element("input", {
      type: "text",
      hint: "name",
      "aria-label": "name of metadata",
      value: key,
      autocomplete: "off",
    });
    const value = element("input", {
      type: "text",
      hint: "value",
      "aria-label": "value of metadata",
      value: content,
      autocomplete: "off",
    });
    const fields: [HTMLInputElement, HTMLInputElement] = [name, value];
    this.#fields.push(fields);
    const remove = () => {
      this.#fields = this.#fields.filter((each) => each !== fields);
      row.remove();
      this.node.dispatchEvent(new Event("input", { bubbles: true }));
    };
    const button = element("button.small.remove", { type: "button", "aria-label": "remove", onclick: remove }, "✕");
    const row = element("div.list-row", {}, element("div.entry", {}, name, value), button);
    this.#rows.append(row);
    return fields;
  }
}
