// SPDX-License-Identifier: MIT
// pythonSnippet: a call in Python.
import { fromJson } from "../forms/json_text.js";
import { RawNumber } from "../forms/raw_number.js";
import { seconds, type Language } from "./snippet.js";

/** A literal of Python. */
function literal(value: unknown, indent = ""): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (value instanceof RawNumber) return value.digits;
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = `${indent}    `;
  const [open, close, parts] = Array.isArray(value)
    ? ["[", "]", value.map((each) => literal(each, inner))]
    : ["{", "}", Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${literal(each, inner)}`)];
  const line = open + parts.join(", ") + close;
  if (line.length + indent.length <= 72 && !line.includes("\n")) return line;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

export const pythonSnippet: Language = {
  name: "Python",
  write({ method, requests, metadata, timeout, host, isEncrypted }) {
    const values = requests.map((each) =>
      method.codec === "bytes" ? `b64decode(${each})` : literal(fromJson(each), "    "),
    );
    const isPlain = method.codec !== "" && method.codec !== "json";
    const options = [
      ...(isPlain ? [] : ['codec="json"']),
      ...(timeout === undefined ? [] : [`timeout=${seconds(timeout)}`]),
      ...(metadata.length
        ? [
            `metadata=[${metadata.map(([name, value]) => `(${JSON.stringify(name)}, ${JSON.stringify(value)})`).join(", ")}]`,
          ]
        : []),
    ];
    const path = JSON.stringify(method.path);
    const one = [path, ...values.slice(0, 1), ...options].join(", ");
    const many = [path, `[${values.join(", ")}]`, ...options].join(", ");
    const lines =
      method.kind === "unary"
        ? [`print(channel.call(${one}))`]
        : method.kind === "server_stream"
          ? [`for response in channel.server_stream(${one}):`, "    print(response)"]
          : method.kind === "client_stream"
            ? [`print(channel.client_stream(${many}))`]
            : [
                `stream = channel.stream(${[path, ...options].join(", ")})`,
                ...values.map((value) => `stream.write(${value})`),
                "stream.close_writes()",
                "for response in stream:",
                "    print(response)",
              ];
    const imports = method.codec === "bytes" ? "from base64 import b64decode\n\n" : "";
    const uri = `${isEncrypted ? "tls" : "tcp"}://${host}`;
    return `${imports}import trunkline\n\nwith trunkline.Channel("${uri}") as channel:\n${lines.map((line) => `    ${line}`).join("\n")}`;
  },
};
