// SPDX-License-Identifier: MIT
// onNextTurn: runs something in a later turn of the event loop, without the delay that browsers add to timers.

export function onNextTurn(run: () => void): void {
  const { setImmediate } = globalThis as { setImmediate?: (run: () => void) => void };
  if (setImmediate) return setImmediate(run);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    run();
  };
  port2.postMessage(0);
}
