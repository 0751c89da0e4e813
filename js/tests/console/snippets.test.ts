// SPDX-License-Identifier: MIT
// Calls as code of each language.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { MethodDescriptor, MethodKind } from "../../console/src/schema/descriptors.js";
import { commandSnippet } from "../../console/src/snippets/command_snippet.js";
import { cppSnippet } from "../../console/src/snippets/cpp_snippet.js";
import { curlSnippet } from "../../console/src/snippets/curl_snippet.js";
import { pythonSnippet } from "../../console/src/snippets/python_snippet.js";
import type { SnippetCall } from "../../console/src/snippets/snippet.js";

function call(kind: MethodKind, requests: string[], more: Partial<MethodDescriptor> = {}): SnippetCall {
  const method: MethodDescriptor = {
    name: "Say",
    service: "acme.Echo",
    path: "acme.Echo/Say",
    kind,
    request: "acme.Text",
    response: "acme.Text",
    codec: "",
    isIdempotent: false,
    isDeprecated: false,
    comment: "",
    ...more,
  };
  return { method, requests, metadata: [["who", "it's me"]], timeout: 1500, host: "host:80", isEncrypted: false };
}

describe("the call as code", () => {
  test("of the command", () => {
    assert.equal(
      commandSnippet.write(call("unary", [`{"text":"it's"}`])),
      `trunkline call tcp://host:80 acme.Echo/Say \\\n  --metadata 'who:it'\\''s me' \\\n  --timeout 1500ms \\\n  --json '{"text":"it'\\''s"}'`,
    );
    assert.equal(
      commandSnippet.write({
        ...call("unary", [], { path: "a b" }),
        metadata: [],
        timeout: undefined,
        isEncrypted: true,
      }),
      "trunkline call tls://host:80 'a b'",
    );
  });

  test("of curl", () => {
    assert.equal(
      curlSnippet.write(call("server_stream", ["{}"], { path: "a b/c" })),
      "curl -N http://host:80/a%20b/c \\\n  -H 'who: it'\\''s me' \\\n  -H 'Connect-Timeout-Ms: 1500' \\\n  -d '{}'",
    );
    assert.match(curlSnippet.write(call("bidirectional", [])), /^# Plain HTTP has one request for each call/);
  });

  test("of Python", () => {
    assert.equal(
      pythonSnippet.write(call("unary", ['{"text":"a","ok":true,"no":null,"id":12345678901234567}'])),
      'import trunkline\n\nwith trunkline.Channel("tcp://host:80") as channel:\n    print(channel.call("acme.Echo/Say", ' +
        '{"text": "a", "ok": True, "no": None, "id": 12345678901234567}, codec="json", timeout=1.5, metadata=[("who", "it\'s me")]))',
    );
    assert.match(
      pythonSnippet.write(call("bidirectional", ["1", "2"], { codec: "msgpack" })),
      /stream = channel\.stream\("acme\.Echo\/Say", timeout=1\.5, .*\)\n    stream\.write\(1\)\n    stream\.write\(2\)\n    stream\.close_writes\(\)\n/,
    );
  });

  test("of C++", () => {
    const unary = cppSnippet.write(call("unary", ['{"text":"a"}']));
    assert.match(unary, /acme::Text request;/);
    assert.match(unary, /JsonStringToMessage\(R"json\(\{"text":"a"\}\)json", &request\)/);
    assert.match(
      unary,
      /channel\.call<acme::Text>\("acme\.Echo\/Say", request, \{\.timeout = 1500ms, \.metadata = \{\{"who", "it's me"\}\}\}\)/,
    );
    const plain = cppSnippet.write(
      call("unary", ['"a"'], {
        codec: "msgpack",
        request: "google.protobuf.StringValue",
        response: "google.protobuf.Int64Value",
      }),
    );
    assert.match(plain, /const std::string request = "a";/);
    assert.match(plain, /channel\.call<std::int64_t>/);
  });
});
