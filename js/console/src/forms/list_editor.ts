// SPDX-License-Identifier: MIT
// ListEditor: values of a repeated field, in order.
import { element } from "../page/element.js";
import type { Editor } from "./editor.js";

export class ListEditor implements Editor {
  readonly node: HTMLElement;
  readonly #make: () => Editor;
  readonly #rows: HTMLElement;
  #editors: Editor[] = [];

  constructor(make: () => Editor) {
    this.#make = make;
    this.#rows = element("div.rows");
    const add = () => {
      const editor = this.#add();
      const { node } = editor;
      (node.matches("input, textarea, select")
        ? node
        : node.querySelector<HTMLElement>("input, textarea, select, button")
      )?.focus();
      this.#changed();
    };
    this.node = element(
      "div.list",
      {},
      this.#rows,
      element("button.small.add", { type: "button", onclick: add }, "+ add"),
    );
  }

  read(): unknown {
    const values = this.#editors.map((each) => each.read() ?? {});
    return values.length ? values : undefined;
  }

  write(value: unknown): void {
    this.#editors = [];
    this.#rows.replaceChildren();
    if (Array.isArray(value)) for (const each of value) this.#add().write(each);
  }

  #add(): Editor {
    const editor = this.#make();
    this.#editors.push(editor);
    const remove = () => {
      this.#editors = this.#editors.filter((each) => each !== editor);
      row.remove();
      this.#changed();
    };
    const button = element(
      "button.small.remove",
      { type: "button", "aria-label": "remove", title: "remove", onclick: remove },
      "✕",
    );
    const row = element("div.list-row", {}, editor.node, button);
    this.#rows.append(row);
    return editor;
  }

  #changed(): void {
    this.node.dispatchEvent(new Event("input", { bubbles: true }));
  }
}
