// SPDX-License-Identifier: MIT
// RequestQueue: requests of a stream, which are taken from it in the order in which they were added.

export class RequestQueue implements AsyncIterable<unknown> {
  readonly #waiting: unknown[] = [];
  #hasEnded = false;
  #wake: (() => void) | undefined;

  add(request: unknown): void {
    this.#waiting.push(request);
    this.#wake?.();
  }

  end(): void {
    this.#hasEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<unknown> {
    for (;;) {
      while (this.#waiting.length) yield this.#waiting.shift();
      if (this.#hasEnded) return;
      await new Promise<void>((wake) => (this.#wake = wake));
    }
  }
}
