// SPDX-License-Identifier: MIT
// Calls: what a client of another make is asked to do. Results are plain values, which a page can hand on.

export interface Failure {
  /** As Connect's clients write it: FailedPrecondition. */
  readonly code: string;
  readonly text: string;
  /** The seconds of a Duration; name and bytes of others. */
  readonly details: unknown[];
  /** Of the metadata, one entry of each kind. */
  readonly leading: string | null;
  readonly trailing: number[] | null;
}

export interface Calls {
  /** Whether messages of these sizes come back, all calls at once. */
  echo(sizes: number[]): Promise<boolean>;
  /** The metadata of a unary call and of a stream. */
  metadata(): Promise<unknown>;
  range(count: number): Promise<number[]>;
  fail(): Promise<unknown>;
  /** What came before the error, and the error. */
  failLate(): Promise<unknown>;
  throwAndMiss(): Promise<unknown>;
  /** Milliseconds that the server has for a call with and without a timeout. */
  timeLeft(): Promise<number[]>;
  /** The code of a call that reaches its deadline, and whether the server sees it end. */
  deadline(): Promise<unknown>;
  /** The same of a unary call that is cancelled while its handler waits. */
  cancel(): Promise<unknown>;
  /** The same of a stream without an end. */
  cancelStream(): Promise<unknown>;
  sum(values: number[]): Promise<number>;
  /** The lengths of the responses of a conversation, each of which came before the next request was sent. */
  chat(count: number): Promise<number[]>;
}
