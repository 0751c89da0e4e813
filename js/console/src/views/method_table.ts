// SPDX-License-Identifier: MIT
// MethodTable: the methods that have been called, with what they do now; a column sorts them.
import { element } from "../page/element.js";
import { isBuiltIn, type History } from "../statistics/history.js";
import type { MethodInterval } from "../statistics/interval.js";
import type { MethodSample } from "../statistics/server_sample.js";
import { bytes, count, duration } from "../statistics/units.js";
import { addressOf } from "./method_list.js";

interface Row {
  name: string;
  interval: MethodInterval;
  sample: MethodSample;
  failed: number;
}

interface Column {
  title: string;
  /** For narrow screens, which leave the others out. */
  isImportant?: boolean;
  order: (row: Row) => number;
  text: (row: Row) => string;
}

const columns: Column[] = [
  { title: "calls/s", isImportant: true, order: (row) => row.interval.rate, text: (row) => count(row.interval.rate) },
  {
    title: "errors/s",
    isImportant: true,
    order: (row) => row.interval.errorRate,
    text: (row) => count(row.interval.errorRate),
  },
  { title: "in flight", order: (row) => row.interval.inFlight, text: (row) => count(row.interval.inFlight) },
  { title: "p50", order: (row) => row.interval.p50 ?? -1, text: (row) => duration(row.interval.p50) },
  { title: "p90", order: (row) => row.interval.p90 ?? -1, text: (row) => duration(row.interval.p90) },
  {
    title: "p99",
    isImportant: true,
    order: (row) => row.interval.p99 ?? -1,
    text: (row) => duration(row.interval.p99),
  },
  { title: "in", order: (row) => row.interval.received, text: (row) => `${bytes(row.interval.received)}/s` },
  { title: "out", order: (row) => row.interval.sent, text: (row) => `${bytes(row.interval.sent)}/s` },
  { title: "calls", order: (row) => row.sample.started, text: (row) => count(row.sample.started) },
  { title: "failed", order: (row) => row.failed, text: (row) => count(row.failed) },
];

export class MethodTable {
  readonly node: HTMLElement;
  readonly #heads: HTMLElement[];
  readonly #body = element("tbody");
  #column = columns[0]!;
  #isFalling = true;
  #history: History | undefined;

  constructor() {
    this.#heads = columns.map((column) => {
      const button = element("button", { type: "button", onclick: () => this.#sort(column) }, column.title);
      return element(column.isImportant ? "th" : "th.extra", { scope: "col" }, button);
    });
    this.node = element(
      "div.scroll",
      {},
      element(
        "table.numbers",
        {},
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "method"), this.#heads)),
        this.#body,
      ),
    );
  }

  show(history: History): void {
    this.#history = history;
    const { latest, last } = history;
    if (!latest || !last) return;
    const rows: Row[] = [];
    for (const [name, interval] of latest.methods) {
      const sample = last.methods.get(name);
      if (!sample || isBuiltIn(name)) continue;
      const failed = [...sample.finished].filter(([code]) => code > 1).reduce((sum, [, number]) => sum + number, 0);
      rows.push({ name, interval, sample, failed });
    }
    const sign = this.#isFalling ? -1 : 1;
    rows.sort((a, b) => sign * (this.#column.order(a) - this.#column.order(b)) || (a.name < b.name ? -1 : 1));
    // The rows are rebuilt, so that of the focused link the successor must be focused again.
    const focused = document.activeElement instanceof HTMLAnchorElement ? document.activeElement.hash : "";
    this.#body.replaceChildren(...rows.map(rowNode));
    if (focused && document.activeElement === document.body)
      [...this.#body.querySelectorAll("a")].find((each) => each.hash === focused)?.focus();
    this.#heads.forEach((head, index) => {
      if (columns[index] === this.#column) head.setAttribute("aria-sort", this.#isFalling ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    if (!rows.length)
      this.#body.append(
        element("tr", {}, element("td.hint", { colSpan: columns.length + 1 }, "No method has been called.")),
      );
  }

  #sort(column: Column): void {
    this.#isFalling = column !== this.#column || !this.#isFalling;
    this.#column = column;
    if (this.#history) this.show(this.#history);
  }
}

function rowNode(row: Row): HTMLElement {
  const cells = columns.map((column) => {
    const isBad = column.title === "errors/s" && row.interval.errorRate > 0;
    return element(`td.number${column.isImportant ? "" : ".extra"}${isBad ? ".bad" : ""}`, {}, column.text(row));
  });
  return element(
    "tr",
    {},
    element("th", { scope: "row" }, element("a", { href: addressOf(row.name) }, row.name)),
    cells,
  );
}
