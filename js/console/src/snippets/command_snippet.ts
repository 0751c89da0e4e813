// SPDX-License-Identifier: MIT
// commandSnippet: a call by the command trunkline.
import { shellWord, type Language } from "./snippet.js";

export const commandSnippet: Language = {
  name: "trunkline",
  write({ method, requests, metadata, timeout, host, isEncrypted }) {
    const parts = [`trunkline call ${isEncrypted ? "tls" : "tcp"}://${host} ${shellWord(method.path)}`];
    for (const [name, value] of metadata) parts.push(`--metadata ${shellWord(`${name}:${value}`)}`);
    if (timeout !== undefined) parts.push(`--timeout ${timeout}ms`);
    if (requests.length) parts.push(`--json ${shellWord(requests.join("\n"))}`);
    return parts.join(" \\\n  ");
  },
};
