// SPDX-License-Identifier: MIT
// Tile: one number of the server, with what explains it.
import { element } from "../page/element.js";

export class Tile {
  readonly node: HTMLElement;
  readonly #value = element("div.tile-value", {}, "–");
  readonly #note = element("div.tile-note");
  readonly #fill = element("div.meter-fill");
  readonly #meter = element("div.meter", { hidden: true }, this.#fill);

  constructor(title: string) {
    this.node = element("div.tile", {}, element("div.tile-title", {}, title), this.#value, this.#meter, this.#note);
  }

  /** `part`: of a budget, 0 to 1; undefined: there is none. */
  show(value: string, note: string, part?: number, isBad = false): void {
    this.#value.textContent = value;
    this.#note.textContent = note;
    this.node.classList.toggle("bad", isBad || (part ?? 0) > 0.9);
    this.#meter.hidden = part === undefined;
    this.#fill.style.width = `${Math.min(100, (part ?? 0) * 100)}%`;
  }
}
