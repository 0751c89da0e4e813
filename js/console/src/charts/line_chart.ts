// SPDX-License-Identifier: MIT
// LineChart: series over time as lines or stacked areas, with values under the pointer.
import { drawing, element } from "../page/element.js";
import { linearAxis, logarithmicAxis } from "./axis.js";

export interface Series {
  label: string;
  /** A colour of CSS. */
  colour: string;
  /** One for each time; undefined: a gap. */
  values: (number | undefined)[];
}

export interface ChartOptions {
  title: string;
  /** Of a value, for the axis and the legend. */
  format: (value: number) => string;
  isStacked?: boolean;
  /** For values of very different sizes. */
  isLogarithmic?: boolean;
  /** The axis reaches at least so far. */
  least?: number;
  /** 1024: numbers of bytes. */
  base?: 1000 | 1024;
  /** How many times are shown at most; fewer at first. */
  capacity: number;
  /** Seconds between two times. */
  step: number;
}

/** How many times are shown, until there are more. */
const fewest = 61;
const height = 132;
const margin = { left: 52, right: 8, top: 8, bottom: 18 };

export class LineChart {
  readonly node: HTMLElement;
  readonly #options: ChartOptions;
  readonly #legend = element("div.legend");
  readonly #plot = element("div.plot");
  #series: Series[] = [];
  /** From the right; undefined: none. */
  #pointed: number | undefined;
  #width = 0;
  #capacity = fewest;

  constructor(options: ChartOptions) {
    this.#options = options;
    const title = element("h3", {}, options.title);
    this.node = element(
      "figure.chart",
      { "aria-label": options.title },
      element("figcaption", {}, title, this.#legend),
      this.#plot,
    );
    new ResizeObserver(([entry]) => {
      this.#width = Math.floor(entry!.contentRect.width);
      this.#draw();
    }).observe(this.#plot);
    this.#plot.addEventListener("pointermove", (event) => this.#point(event.offsetX));
    this.#plot.addEventListener("pointerleave", () => this.#point(undefined));
  }

  show(series: Series[]): void {
    this.#series = series;
    const count = Math.max(...series.map((each) => each.values.length), fewest);
    this.#capacity = Math.min(this.#options.capacity, Math.ceil((count - 1) / (fewest - 1)) * (fewest - 1) + 1);
    this.#draw();
  }

  #point(x: number | undefined): void {
    const capacity = this.#capacity;
    const inner = this.#width - margin.left - margin.right;
    this.#pointed =
      x === undefined ? undefined : Math.round(((this.#width - margin.right - x) / inner) * (capacity - 1));
    this.#draw();
  }

  #draw(): void {
    if (this.#width < 80) return;
    const { format, isStacked = false, step, title } = this.#options;
    const capacity = this.#capacity;
    const shown = isStacked ? stacked(this.#series) : this.#series;
    const values = shown.flatMap((each) => each.values.slice(-capacity).filter((value) => value !== undefined));
    const highest = Math.max(this.#options.least ?? 0, ...values);
    const axis = this.#options.isLogarithmic
      ? logarithmicAxis(values.length ? Math.min(...values) : 1e4, highest)
      : linearAxis(highest, this.#options.base);
    const right = this.#width - margin.right;
    const bottom = height - margin.bottom;
    const x = (fromRight: number) => right - (fromRight / (capacity - 1)) * (right - margin.left);
    const y = (value: number) => bottom - axis.place(value) * (bottom - margin.top);
    const svg = drawing("svg", {
      width: this.#width,
      height,
      viewBox: `0 0 ${this.#width} ${height}`,
      role: "img",
      "aria-label": title,
    });
    for (const mark of axis.marks) {
      const line = y(mark);
      svg.append(drawing("line", { class: "grid", x1: margin.left, x2: right, y1: line, y2: line }));
      svg.append(label(margin.left - 6, line + 3.5, "end", format(mark)));
    }
    const span = (capacity - 1) * step;
    for (const part of [0, 0.5, 1])
      svg.append(
        label(
          x(part * (capacity - 1)),
          height - 4,
          part === 0 ? "end" : part === 1 ? "start" : "middle",
          part === 0 ? "now" : `−${ago(part * span)}`,
        ),
      );
    [...shown].reverse().forEach((each) => this.#drawSeries(svg, each, x, y, bottom, isStacked));
    if (this.#pointed !== undefined && this.#pointed >= 0 && this.#pointed < capacity) {
      const at = x(this.#pointed);
      svg.append(drawing("line", { class: "pointer", x1: at, x2: at, y1: margin.top, y2: bottom }));
    }
    this.#plot.replaceChildren(svg);
    this.#drawLegend();
  }

  #drawSeries(
    svg: SVGElement,
    each: Series,
    x: (n: number) => number,
    y: (n: number) => number,
    bottom: number,
    isFilled: boolean,
  ): void {
    const { values, colour } = each;
    const visible = Math.min(values.length, this.#capacity);
    const runs: [number, number][][] = [];
    let run: [number, number][] | undefined;
    for (let index = values.length - visible; index < values.length; index++) {
      const value = values[index];
      if (value === undefined) run = undefined;
      else {
        if (!run) runs.push((run = []));
        run.push([x(values.length - 1 - index), y(value)]);
      }
    }
    for (const points of runs) {
      const path = points.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" ");
      if (isFilled && points.length > 1)
        svg.append(
          drawing("polygon", {
            points: `${points[0]![0]},${bottom} ${path} ${points.at(-1)![0]},${bottom}`,
            fill: colour,
            class: "area",
          }),
        );
      if (points.length > 1) svg.append(drawing("polyline", { points: path, stroke: colour, class: "line" }));
      else svg.append(drawing("circle", { cx: points[0]![0], cy: points[0]![1], r: 1.5, fill: colour }));
    }
  }

  #drawLegend(): void {
    const entries = this.#series.map(({ label: name, colour, values }) => {
      const value = values.at(-1 - (this.#pointed ?? 0));
      const text = value === undefined ? "–" : this.#options.format(value);
      const swatch = element("span.swatch");
      swatch.style.background = colour;
      return element("span.key", {}, swatch, `${name} `, element("b", {}, text));
    });
    const time = this.#pointed
      ? element("span.key.time", {}, `−${ago(this.#pointed * this.#options.step)}`)
      : undefined;
    this.#legend.replaceChildren(...entries, ...(time ? [time] : []));
  }
}

function stacked(series: Series[]): Series[] {
  const sums: number[] = [];
  return series.map((each) => ({
    ...each,
    values: each.values.map((value, index) => (sums[index] = (sums[index] ?? 0) + (value ?? 0))),
  }));
}

function ago(seconds: number): string {
  return seconds >= 60 ? `${Math.round((seconds / 60) * 10) / 10} min` : `${Math.round(seconds)} s`;
}

function label(x: number, y: number, anchor: string, text: string): SVGElement {
  return drawing("text", { x, y, "text-anchor": anchor }, document.createTextNode(text));
}
