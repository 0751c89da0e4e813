// SPDX-License-Identifier: MIT
// EmptyEditor: a message without fields.
import { element } from "../page/element.js";
import type { Editor } from "./editor.js";

export class EmptyEditor implements Editor {
  readonly node: HTMLElement = element("p.hint", {}, "The request is empty.");
  readonly #value: unknown;

  /** `value`: what is sent; undefined: no message. */
  constructor(value: unknown) {
    this.#value = value;
  }

  read(): unknown {
    return this.#value;
  }

  write(): void {}
}
