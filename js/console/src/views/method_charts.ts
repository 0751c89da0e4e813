// SPDX-License-Identifier: MIT
// MethodCharts: rate, errors and latency of one method over time.
import { LineChart } from "../charts/line_chart.js";
import { element } from "../page/element.js";
import type { History } from "../statistics/history.js";
import { count, duration } from "../statistics/units.js";

export class MethodCharts {
  readonly node: HTMLElement;
  readonly #path: string;
  readonly #rate = new LineChart({ title: "Calls per second", format: count, least: 1, capacity: 301, step: 1 });
  readonly #latency = new LineChart({
    title: "Latency on the server",
    format: duration,
    isLogarithmic: true,
    capacity: 301,
    step: 1,
  });

  constructor(path: string) {
    this.#path = path;
    this.node = element("div.charts", {}, this.#rate.node, this.#latency.node);
  }

  show({ intervals }: History): void {
    const mine = intervals.map((each) => each.methods.get(this.#path));
    this.#rate.show([
      { label: "all", colour: "var(--series-1)", values: mine.map((each) => each?.rate ?? 0) },
      { label: "failed", colour: "var(--bad)", values: mine.map((each) => each?.errorRate ?? 0) },
    ]);
    this.#latency.show([
      { label: "p50", colour: "var(--series-1)", values: mine.map((each) => each?.p50) },
      { label: "p90", colour: "var(--series-2)", values: mine.map((each) => each?.p90) },
      { label: "p99", colour: "var(--series-3)", values: mine.map((each) => each?.p99) },
    ]);
  }
}
