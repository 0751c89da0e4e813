// SPDX-License-Identifier: MIT
// until: waits for something to come about.
import assert from "node:assert/strict";

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 60000; performance.now() < end;) {
    if (await holds()) return;
    await new Promise((done) => setTimeout(done, 5));
  }
  assert.fail("it has not come about within 60 seconds");
}
