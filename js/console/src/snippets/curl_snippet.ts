// SPDX-License-Identifier: MIT
// curlSnippet: a call by curl, over plain HTTP.
import { shellWord, type Language } from "./snippet.js";

export const curlSnippet: Language = {
  name: "curl",
  write({ method, requests, metadata, timeout, host, isEncrypted }) {
    if (method.kind === "client_stream" || method.kind === "bidirectional")
      return "# Plain HTTP has one request for each call, so curl cannot send a stream.\n# Use trunkline, or a client in C++, Python or JavaScript.";
    const path = method.path.split("/").map(encodeURIComponent).join("/");
    const parts = [
      `curl ${method.kind === "server_stream" ? "-N " : ""}${isEncrypted ? "https" : "http"}://${host}/${path}`,
    ];
    for (const [name, value] of metadata) parts.push(`-H ${shellWord(`${name}: ${value}`)}`);
    if (timeout !== undefined) parts.push(`-H 'Connect-Timeout-Ms: ${timeout}'`);
    parts.push(
      method.codec === "bytes"
        ? "-H 'Content-Type: application/octet-stream' --data-binary @FILE"
        : `-d ${shellWord(requests[0] ?? "")}`,
    );
    return parts.join(" \\\n  ");
  },
};
