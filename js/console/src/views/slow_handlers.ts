// SPDX-License-Identifier: MIT
// SlowHandlers: the methods whose calls took longest, in the last minutes and ever, and those that held a loop.
import { element } from "../page/element.js";
import { isBuiltIn, type History } from "../statistics/history.js";
import { duration } from "../statistics/units.js";
import { addressOf } from "./method_list.js";

const maxRows = 8;

export class SlowHandlers {
  readonly node: HTMLElement;
  readonly #body = element("tbody");

  constructor() {
    const heads = ["method", "slowest p99", "when", "mean", "longest ever", "held its loop"];
    this.node = element(
      "div.scroll",
      {},
      element(
        "table.numbers.slow",
        {},
        element(
          "thead",
          {},
          element(
            "tr",
            {},
            heads.map((each) => element("th", { scope: "col" }, each)),
          ),
        ),
        this.#body,
      ),
    );
  }

  show({ intervals, last }: History): void {
    const rows = [...(last?.methods ?? [])]
      .filter(([name, sample]) => !isBuiltIn(name) && sample.latency.count > 0)
      .map(([name, sample]) => {
        let slowest: { at: number; p99: number } | undefined;
        for (const each of intervals) {
          const p99 = each.methods.get(name)?.p99;
          if (p99 !== undefined && p99 >= (slowest?.p99 ?? 0)) slowest = { at: each.at, p99 };
        }
        return { name, sample, slowest };
      })
      .sort((a, b) => (b.slowest?.p99 ?? 0) - (a.slowest?.p99 ?? 0) || b.sample.latency.max - a.sample.latency.max)
      .slice(0, maxRows);
    this.#body.replaceChildren(
      ...rows.map(({ name, sample, slowest }) =>
        element(
          "tr",
          {},
          element("th", { scope: "row" }, element("a", { href: addressOf(name) }, name)),
          element("td.number", {}, duration(slowest?.p99)),
          element("td.number", {}, slowest ? new Date(slowest.at).toLocaleTimeString() : "–"),
          element("td.number", {}, duration(sample.latency.sum / sample.latency.count)),
          element("td.number", {}, duration(sample.latency.max)),
          element(
            sample.loopHolds ? "td.number.bad" : "td.number",
            {},
            sample.loopHolds ? `${sample.loopHolds} times` : "never",
          ),
        ),
      ),
    );
    if (!rows.length) this.#body.append(element("tr", {}, element("td.hint", { colSpan: 6 }, "No handler has run.")));
  }
}
