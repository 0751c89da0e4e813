// SPDX-License-Identifier: MIT
// Axis: where values stand between bottom and top: linear from 0, or logarithmic.

export interface Axis {
  /** 0: bottom, 1: top. */
  place(value: number): number;
  /** Values that get a line and a label, from below. */
  marks: number[];
}

/** 1, 2 or 5 times a power of ten; with base 1024 a power of two. */
function niceCeiling(value: number, base: 1000 | 1024): number {
  if (value <= 0) return 1;
  if (base === 1024) return 2 ** Math.ceil(Math.log2(value));
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= value) ?? value;
}

export function linearAxis(highest: number, base: 1000 | 1024 = 1000): Axis {
  const top = niceCeiling(highest, base);
  return { place: (value) => value / top, marks: [0, top / 2, top] };
}

/** Whole decades, two at least. */
export function logarithmicAxis(lowest: number, highest: number): Axis {
  const bottom = Math.floor(Math.log10(Math.max(lowest, 1)));
  const top = Math.max(Math.ceil(Math.log10(Math.max(highest, 1))), bottom + 2);
  const step = Math.ceil((top - bottom) / 4);
  const marks: number[] = [];
  for (let power = bottom; power <= top; power += step) marks.push(10 ** power);
  return { place: (value) => (Math.log10(Math.max(value, 1)) - bottom) / (top - bottom), marks };
}
