// SPDX-License-Identifier: MIT
// cppSnippet: a call in C++.
import { fromJson } from "../forms/json_text.js";
import { RawNumber } from "../forms/raw_number.js";
import { type Language, type SnippetCall } from "./snippet.js";

/** An expression for a trunkline::Value. */
function valueOf(value: unknown): string {
  if (value === null || value === undefined) return "Value()";
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof RawNumber) return `${value.digits}${value.digits.startsWith("-") ? "LL" : "ULL"}`;
  if (Array.isArray(value)) return `Value::array({${value.map(valueOf).join(", ")}})`;
  if (typeof value !== "object") return String(value);
  return `Value::object({${Object.entries(value)
    .map(([name, each]) => `{${JSON.stringify(name)}, ${valueOf(each)}}`)
    .join(", ")}})`;
}

const plainTypes: Record<string, string> = {
  "google.protobuf.StringValue": "std::string",
  "google.protobuf.Int32Value": "std::int32_t",
  "google.protobuf.Int64Value": "std::int64_t",
  "google.protobuf.UInt32Value": "std::uint32_t",
  "google.protobuf.UInt64Value": "std::uint64_t",
  "google.protobuf.DoubleValue": "double",
  "google.protobuf.FloatValue": "float",
  "google.protobuf.BoolValue": "bool",
};

function typeOf(name: string, isPlain: boolean): string {
  return isPlain ? (plainTypes[name] ?? "Value") : name.replace(/\./g, "::");
}

export const cppSnippet: Language = {
  name: "C++",
  write(call) {
    const { method, host, isEncrypted } = call;
    const isPlain = method.codec !== "";
    const request = typeOf(method.request, isPlain);
    const response = typeOf(method.response, isPlain);
    const includes = isPlain
      ? ["<trunkline/channel.h>", "<trunkline/plain.h>", "<trunkline/value.h>"]
      : ["<trunkline/channel.h>", "<trunkline/protobuf.h>", "", "<google/protobuf/util/json_util.h>"];
    const head = includes.map((each) => each && `#include ${each}`).join("\n");
    const print = (name: string) => {
      if (!isPlain) return `std::cout << ${name.replace(/^\*(.*)/, "(*$1)")}.ShortDebugString() << "\\n";`;
      return response === "Value" ? `std::cout << "a value\\n";` : `std::cout << ${name} << "\\n";`;
    };
    const lines = [
      `trunkline::Channel channel("${isEncrypted ? "tls" : "tcp"}://${host}");`,
      ...body(call, request, response, isPlain, print),
    ];
    const using = isPlain ? "using trunkline::Value;\n" : "";
    return `${head}\n\n#include <iostream>\n\nusing namespace std::chrono_literals;\n${using}\nint main() {\n${lines.map((line) => `  ${line}`).join("\n")}\n}`;
  },
};

function body(
  { method, requests, metadata, timeout }: SnippetCall,
  request: string,
  response: string,
  isPlain: boolean,
  print: (name: string) => string,
): string[] {
  const fields = [
    ...(timeout === undefined ? [] : [`.timeout = ${timeout}ms`]),
    ...(metadata.length
      ? [
          `.metadata = {${metadata.map(([name, value]) => `{${JSON.stringify(name)}, ${JSON.stringify(value)}}`).join(", ")}}`,
        ]
      : []),
  ];
  const options = fields.length ? `, {${fields.join(", ")}}` : "";
  const path = JSON.stringify(method.path);
  const made = (json: string | undefined, name: string): string[] =>
    isPlain
      ? [`const ${request} ${name} = ${valueOf(json === undefined ? null : fromJson(json))};`]
      : [
          `${request} ${name};`,
          ...(json && json !== "{}"
            ? [`(void)google::protobuf::util::JsonStringToMessage(R"json(${json})json", &${name});`]
            : []),
        ];
  const check = (status: string) => `if (!${status}.is_ok()) std::cerr << ${status}.to_string() << "\\n";`;
  if (method.kind === "unary")
    return [
      ...made(requests[0], "request"),
      `const auto response = channel.call<${response}>(${path}, request${options});`,
      check("response.status()"),
      `else ${print("*response")}`,
    ];
  if (method.kind === "server_stream")
    return [
      ...made(requests[0], "request"),
      "trunkline::Status status;",
      `auto stream = channel.server_stream<${response}>(${path}, request${options});`,
      `for (const ${response}& response : stream.messages(status)) ${print("response")}`,
      check("status"),
    ];
  const start =
    method.kind === "client_stream"
      ? `auto stream = channel.client_stream<${request}, ${response}>(${path}${options});`
      : `auto stream = channel.stream<${request}, ${response}>(${path}${options});`;
  const writes = requests.flatMap((json, index) => [
    ...made(json, `request${index + 1}`),
    `(void)stream.write(request${index + 1});`,
  ]);
  if (method.kind === "client_stream")
    return [
      start,
      ...writes,
      `${response} response;`,
      "const trunkline::Status status = stream.finish(response);",
      check("status"),
      `else ${print("response")}`,
    ];
  return [
    start,
    ...writes,
    "(void)stream.close_writes();",
    "trunkline::Status status;",
    `for (const ${response}& response : stream.messages(status)) ${print("response")}`,
    check("status"),
  ];
}
