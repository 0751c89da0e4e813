// SPDX-License-Identifier: MIT
// SnippetCall: the call that snippets of code make; and Language, which writes one.
import type { MethodDescriptor } from "../schema/descriptors.js";

export interface SnippetCall {
  method: MethodDescriptor;
  /** JSON of the requests, one for methods that take one; none if there is no message. */
  requests: string[];
  metadata: [string, string][];
  /** Milliseconds. */
  timeout: number | undefined;
  /** Of the server: host and port, as the page reached it. */
  host: string;
  isEncrypted: boolean;
}

export interface Language {
  name: string;
  write(call: SnippetCall): string;
}

/** A word of a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`;
}

/** Seconds, such as 2.5. */
export function seconds(milliseconds: number): string {
  return String(milliseconds / 1000);
}
