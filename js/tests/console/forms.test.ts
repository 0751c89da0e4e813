// SPDX-License-Identifier: MIT
// JSON as the console writes and shows it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { fromJson, indented, toJson } from "../../console/src/forms/json_text.js";
import { RawNumber } from "../../console/src/forms/raw_number.js";

describe("JSON of the console", () => {
  test("keeps all digits of a number", () => {
    assert.equal(
      toJson({ id: new RawNumber("18446744073709551615"), list: [1.5, null] }),
      '{"id":18446744073709551615,"list":[1.5,null]}',
    );
  });

  test("leaves out what is undefined", () => {
    assert.equal(toJson({ a: undefined, b: false, c: "" }), '{"b":false,"c":""}');
    assert.equal(toJson(undefined), "null");
  });

  test("escapes names and texts", () => {
    assert.deepEqual(fromJson(toJson({ 'a"\n': "</script>" })), { 'a"\n': "</script>" });
  });

  test("is indented without a change of its content", () => {
    const json =
      '{"empty":{},"none":[],"short":[1,2],"text":"a, {b}: \\"c\\"","long":[{"name":"aaaaaaaaaaaaaaaaaaaaaaaaa"},{"name":"bbbbbbbbbbbbbbbbbbbbbbbbbbb"}],"id":18446744073709551615}';
    const text = indented(json);
    assert.equal(text.replace(/\s+/g, ""), json.replace(/\s+/g, ""));
    assert.match(text, /^\{\n  "empty": \{\},\n  "none": \[\],\n  "short": \[1, 2\],\n/);
    assert.match(text, /\n    \{ "name": "aaaaaaaaaaaaaaaaaaaaaaaaa" \},\n/);
  });
});
