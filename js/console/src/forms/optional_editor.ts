// SPDX-License-Identifier: MIT
// OptionalEditor: a value that may be absent, which is not the same as its default.
import { element } from "../page/element.js";
import type { Editor } from "./editor.js";

export class OptionalEditor implements Editor {
  readonly node: HTMLElement;
  readonly #make: () => Editor;
  readonly #isMessage: boolean;
  #editor: Editor | undefined;

  constructor(make: () => Editor, isMessage: boolean) {
    this.#make = make;
    this.#isMessage = isMessage;
    this.node = element("div.optional");
    this.#show();
  }

  read(): unknown {
    if (!this.#editor) return undefined;
    return this.#editor.read() ?? (this.#isMessage ? {} : undefined);
  }

  write(value: unknown): void {
    this.#editor = value === undefined || value === null ? undefined : this.#make();
    this.#editor?.write(value);
    this.#show();
  }

  #show(): void {
    const set = (editor: Editor | undefined) => {
      this.#editor = editor;
      this.#show();
      this.node.querySelector<HTMLElement>("input, textarea, select, button")?.focus();
      this.node.dispatchEvent(new Event("input", { bubbles: true }));
    };
    if (this.#editor)
      this.node.replaceChildren(
        this.#editor.node,
        element(
          "button.small.remove",
          { type: "button", title: "leave it out", onclick: () => set(undefined) },
          "unset",
        ),
      );
    else
      this.node.replaceChildren(
        element("button.small.add", { type: "button", onclick: () => set(this.#make()) }, "+ set"),
      );
  }
}
