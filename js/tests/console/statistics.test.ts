// SPDX-License-Identifier: MIT
// What the console makes of two samples of statistics.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { linearAxis, logarithmicAxis } from "../../console/src/charts/axis.js";
import { History } from "../../console/src/statistics/history.js";
import { percentilesOf } from "../../console/src/statistics/interval.js";
import { readSample, type ServerSample } from "../../console/src/statistics/server_sample.js";
import { bytes, count, duration, span } from "../../console/src/statistics/units.js";

/** As the server sends it. */
function sample(
  uptime: number,
  calls: number,
  failed: number,
  buckets: [string, string][],
  more: object = {},
  before?: ServerSample,
) {
  const latency = {
    count: String(calls),
    sumNs: "1000",
    maxNs: "900",
    buckets: buckets.map(([upperNs, count]) => ({ upperNs, count })),
  };
  const finishedByCode = { 0: String(calls - failed), 5: String(failed) };
  const method = { method: "a", started: String(calls), finishedByCode, bytesSent: String(calls * 10), latency };
  const json = {
    uptimeNs: String(uptime * 1e9),
    processId: "7",
    methods: [method, { ...method, method: "trunkline.v1.Console/Watch" }],
    ...more,
  };
  return readSample(json, uptime * 1000, before);
}

describe("statistics of the console", () => {
  test("are those of the interval between two samples", () => {
    const history = new History();
    history.add(sample(10, 100, 10, [["100", "100"]]));
    history.add(
      sample(
        12,
        200,
        30,
        [
          ["100", "150"],
          ["800", "50"],
        ],
        { cpuNs: "3000000000", memoryUsedBytes: "5", memoryMaxBytes: "10" },
      ),
    );

    const latest = history.latest!;
    assert.equal(latest.rate, 50);
    assert.deepEqual([...latest.errors], [[5, 10]]);
    assert.equal(latest.cpu, 1.5);
    assert.equal(latest.p50, 100);
    assert.equal(latest.p99, 800);
    const method = latest.methods.get("a")!;
    assert.deepEqual([method.rate, method.errorRate, method.sent, method.p90], [50, 10, 500, 800]);
    assert.deepEqual([latest.sample.used, latest.sample.budget], [5, 10]);
  });

  test("keep the buckets that have not changed", () => {
    const first = sample(10, 100, 0, [
      ["100", "90"],
      ["800", "10"],
    ]);
    const second = sample(11, 110, 0, [["100", "100"]], {}, first);
    const third = sample(12, 110, 0, [], {}, second);

    assert.deepEqual(
      [...third.methods.get("a")!.latency.buckets],
      [
        [100, 100],
        [800, 10],
      ],
    );
    assert.deepEqual([...first.methods.get("a")!.latency.buckets][0], [100, 90]);
  });

  test("begin again with another process", () => {
    const history = new History();
    history.add(sample(10, 1, 0, []));
    history.add(sample(11, 2, 0, []));
    assert.equal(history.intervals.length, 1);

    history.add(sample(12, 1, 0, [], { processId: "8" }));
    assert.equal(history.intervals.length, 0);
    history.add(sample(13, 3, 0, [], { processId: "8" }));
    assert.equal(history.latest!.rate, 2);
    history.add(sample(1, 1, 0, [], { processId: "8" }));
    assert.equal(history.intervals.length, 0);
  });

  test("are kept for five minutes", () => {
    const history = new History();
    for (let second = 0; second < 400; second++) history.add(sample(second, second, 0, []));
    assert.equal(history.intervals.length, 300);
  });

  test("have percentiles by the upper bounds of buckets", () => {
    assert.deepEqual(
      percentilesOf([
        [40, 1],
        [10, 90],
        [20, 9],
      ]),
      { p50: 10, p90: 10, p99: 20, max: 40 },
    );
    assert.deepEqual(percentilesOf([]), { p50: undefined, p90: undefined, p99: undefined, max: undefined });
  });

  test("are written with three digits and a unit", () => {
    assert.deepEqual(
      [count(0), count(7.456), count(123.4), count(9999), count(12345), count(2.5e6)],
      ["0", "7.46", "123", "9999", "12.3 k", "2.5 M"],
    );
    assert.deepEqual(
      [duration(undefined), duration(0), duration(950), duration(1500), duration(2.5e6), duration(3e9)],
      ["–", "0", "950 ns", "1.5 µs", "2.5 ms", "3 s"],
    );
    assert.deepEqual([bytes(10), bytes(1536), bytes(2 ** 30)], ["10 B", "1.5 KiB", "1 GiB"]);
    assert.deepEqual([span(0), span(61), span(90000)], ["0 s", "1 min 1 s", "1 d 1 h"]);
  });

  test("have axes that hold them", () => {
    assert.deepEqual(linearAxis(130).marks, [0, 100, 200]);
    assert.deepEqual(linearAxis(1.5 * 2 ** 20, 1024).marks, [0, 2 ** 20, 2 ** 21]);
    assert.equal(linearAxis(0).place(0), 0);
    const axis = logarithmicAxis(2e4, 3e7);
    assert.deepEqual(axis.marks, [1e4, 1e5, 1e6, 1e7, 1e8]);
    assert.equal(axis.place(1e6), 0.5);
  });
});
