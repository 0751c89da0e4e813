// SPDX-License-Identifier: MIT
// Numbers as people read them.

/** Three digits that count. */
function short(value: number): string {
  if (value === 0) return "0";
  if (value >= 100) return Math.round(value).toString();
  return Number(value.toPrecision(3)).toString();
}

export function count(value: number): string {
  if (value >= 1e9) return `${short(value / 1e9)} G`;
  if (value >= 1e6) return `${short(value / 1e6)} M`;
  if (value >= 1e4) return `${short(value / 1e3)} k`;
  return short(value);
}

export function duration(nanoseconds: number | undefined): string {
  if (nanoseconds === undefined) return "–";
  if (nanoseconds >= 1e9) return `${short(nanoseconds / 1e9)} s`;
  if (nanoseconds >= 1e6) return `${short(nanoseconds / 1e6)} ms`;
  if (nanoseconds >= 1e3) return `${short(nanoseconds / 1e3)} µs`;
  return nanoseconds ? `${Math.round(nanoseconds)} ns` : "0";
}

export function bytes(value: number): string {
  if (value >= 2 ** 30) return `${short(value / 2 ** 30)} GiB`;
  if (value >= 2 ** 20) return `${short(value / 2 ** 20)} MiB`;
  if (value >= 2 ** 10) return `${short(value / 2 ** 10)} KiB`;
  return `${Math.round(value)} B`;
}

/** Seconds as days, hours, minutes and seconds, the two largest of them. */
export function span(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86400), "d"],
    [Math.floor(seconds / 3600) % 24, "h"],
    [Math.floor(seconds / 60) % 60, "min"],
    [Math.floor(seconds) % 60, "s"],
  ];
  const first = parts.findIndex(([value]) => value > 0);
  if (first < 0) return "0 s";
  return parts
    .slice(first, first + 2)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(" ");
}
