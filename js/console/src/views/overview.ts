// SPDX-License-Identifier: MIT
// Overview: what the server does now and has done in the last minutes.
import { statusCodeNames } from "../../../src/status_code.js";
import { LineChart } from "../charts/line_chart.js";
import { element } from "../page/element.js";
import type { History } from "../statistics/history.js";
import type { Interval } from "../statistics/interval.js";
import { bytes, count, duration } from "../statistics/units.js";
import { MethodTable } from "./method_table.js";
import { SlowHandlers } from "./slow_handlers.js";
import { Tile } from "./tile.js";

const time = { capacity: 301, step: 1 };
const palette = [1, 2, 3, 4, 5, 6].map((each) => `var(--series-${each})`);

export class Overview {
  readonly node: HTMLElement;
  readonly #tiles = {
    rate: new Tile("Calls per second"),
    errors: new Tile("Errors per second"),
    latency: new Tile("p99 latency"),
    open: new Tile("Open calls"),
    connections: new Tile("Connections"),
    memory: new Tile("Memory for clients"),
    cpu: new Tile("CPU"),
    lag: new Tile("p99 lag of loops"),
  };
  readonly #charts = {
    rate: new LineChart({ title: "Calls per second", format: count, least: 1, ...time }),
    latency: new LineChart({ title: "Latency of all calls", format: duration, isLogarithmic: true, ...time }),
    errors: new LineChart({ title: "Errors per second by code", format: count, least: 1, isStacked: true, ...time }),
    connections: new LineChart({ title: "Connections by protocol", format: count, least: 1, isStacked: true, ...time }),
    memory: new LineChart({ title: "Memory", format: bytes, base: 1024, ...time }),
    cpu: new LineChart({ title: "CPU cores used", format: count, least: 0.1, ...time }),
  };
  readonly #methods: MethodTable;
  readonly #slow: SlowHandlers;
  readonly #waiting = element("p.hint", {}, "Waiting for statistics …");

  constructor() {
    this.#methods = new MethodTable();
    this.#slow = new SlowHandlers();
    this.node = element(
      "article.overview",
      {},
      element("h1", {}, "Overview"),
      this.#waiting,
      element(
        "div.tiles",
        {},
        Object.values(this.#tiles).map((each) => each.node),
      ),
      element(
        "div.charts.panel",
        {},
        Object.values(this.#charts).map((each) => each.node),
      ),
      element("section.panel", {}, element("h2", {}, "Methods"), this.#methods.node),
      element("section.panel", {}, element("h2", {}, "Slow handlers"), this.#slow.node),
    );
  }

  show(history: History): void {
    const { last, latest, intervals } = history;
    if (!last) return;
    this.#waiting.hidden = true;
    const { rate, errors, latency, open, connections, memory, cpu, lag } = this.#tiles;
    open.show(count(last.openCalls), last.queued ? `${count(last.queued)} wait for a worker` : "none waits");
    connections.show(
      count(last.connections),
      [...last.byProtocol].map(([name, number]) => `${number} ${name}`).join(", "),
    );
    memory.show(bytes(last.used), `of ${bytes(last.budget)}`, last.budget ? last.used / last.budget : 0);
    if (latest) {
      const failing = [...latest.errors].filter(([code]) => code > 1).reduce((sum, [, each]) => sum + each, 0);
      rate.show(count(latest.rate), `${count(last.refused)} refused, ${count(last.shed)} shed so far`);
      errors.show(count(failing), `${count(last.exceptions)} exceptions so far`, undefined, failing > 0);
      latency.show(duration(latest.p99), `p50 ${duration(latest.p50)}, max ${duration(latest.max)}`);
      cpu.show(`${Math.round(latest.cpu * 100)} %`, "of a core");
      lag.show(duration(latest.lag), "how late timers are");
    }
    this.#drawCharts(intervals);
    if (latest) this.#methods.show(history);
    this.#slow.show(history);
  }

  #drawCharts(intervals: Interval[]): void {
    const { rate, latency, errors, connections, memory, cpu } = this.#charts;
    const series = (label: string, colour: string, value: (each: Interval) => number | undefined) => ({
      label,
      colour,
      values: intervals.map(value),
    });
    rate.show([series("ended", palette[0]!, (each) => each.rate)]);
    latency.show([
      series("p50", palette[0]!, (each) => each.p50),
      series("p90", palette[1]!, (each) => each.p90),
      series("p99", palette[2]!, (each) => each.p99),
    ]);
    const codes = [...new Set(intervals.flatMap((each) => [...each.errors.keys()]))].sort((a, b) => a - b);
    errors.show(
      codes.map((code, index) =>
        series(
          statusCodeNames[code] ?? `code ${code}`,
          palette[index % palette.length]!,
          (each) => each.errors.get(code) ?? 0,
        ),
      ),
    );
    const protocols = [...new Set(intervals.flatMap((each) => [...each.sample.byProtocol.keys()]))].sort();
    connections.show(
      protocols.length
        ? protocols.map((name, index) =>
            series(name, palette[index % palette.length]!, (each) => each.sample.byProtocol.get(name) ?? 0),
          )
        : [series("all", palette[0]!, (each) => each.sample.connections)],
    );
    memory.show([
      series("for clients", palette[0]!, (each) => each.sample.used),
      series("its budget", "var(--bad)", (each) => each.sample.budget),
      series("process", palette[1]!, (each) => each.sample.memory),
    ]);
    cpu.show([series("process", palette[0]!, (each) => each.cpu)]);
  }
}
