// SPDX-License-Identifier: MIT
// Descriptors as the console reads them. They are written by the package of protobuf-es.
import { create, toBinary, type MessageInitShape } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Schema } from "../../console/src/schema/schema.js";
import { WireReader } from "../../console/src/schema/wire_reader.js";
import { decodeMessage } from "../../console/src/schema/wire_value.js";

/** The option trunkline.v1.method with the path "place it" and the codec "json". */
const facts = new Uint8Array([
  10,
  8,
  ...new TextEncoder().encode("place it"),
  18,
  4,
  ...new TextEncoder().encode("json"),
]);

const file: MessageInitShape<typeof FileDescriptorProtoSchema> = {
  name: "shop.proto",
  package: "shop.v1",
  messageType: [
    {
      name: "Order",
      field: [
        { name: "order_number", number: 1, type: Type.UINT64, jsonName: "orderNumber" },
        { name: "lines", number: 2, type: Type.MESSAGE, typeName: ".shop.v1.Order.Line", label: 3 },
        { name: "labels", number: 3, type: Type.MESSAGE, typeName: ".shop.v1.Order.LabelsEntry", label: 3 },
        { name: "station", number: 4, type: Type.STRING, oneofIndex: 0 },
        { name: "note", number: 5, type: Type.STRING, oneofIndex: 1, proto3Optional: true },
        { name: "payment", number: 6, type: Type.ENUM, typeName: ".shop.v1.Payment", options: { deprecated: true } },
        { name: "change", number: 7, type: Type.SINT64 },
        { name: "rate", number: 8, type: Type.DOUBLE },
      ],
      oneofDecl: [{ name: "destination" }, { name: "_note" }],
      nestedType: [
        { name: "Line", field: [{ name: "article", number: 1, type: Type.STRING }] },
        {
          name: "LabelsEntry",
          field: [
            { name: "key", number: 1, type: Type.STRING },
            { name: "value", number: 2, type: Type.INT32 },
          ],
          options: { mapEntry: true },
        },
      ],
    },
  ],
  enumType: [
    {
      name: "Payment",
      value: [
        { name: "NONE", number: 0 },
        { name: "CARD", number: 1 },
      ],
    },
  ],
  service: [
    {
      name: "Orders",
      method: [
        { name: "Place", inputType: ".shop.v1.Order", outputType: ".shop.v1.Order" },
        {
          name: "Watch",
          inputType: ".shop.v1.Order",
          outputType: ".shop.v1.Order",
          serverStreaming: true,
          options: { deprecated: true },
        },
        {
          name: "Send",
          inputType: ".shop.v1.Order",
          outputType: ".shop.v1.Order",
          clientStreaming: true,
          options: { idempotencyLevel: 2 },
        },
        {
          name: "Talk",
          inputType: ".shop.v1.Order",
          outputType: ".shop.v1.Order",
          clientStreaming: true,
          serverStreaming: true,
        },
      ],
    },
    { name: "Hidden" },
  ],
  sourceCodeInfo: {
    location: [
      { path: [6, 0], leadingComments: " Orders of a shop.\n\n Two paragraphs.\n" },
      { path: [6, 0, 2, 1], leadingComments: " Watches.\n" },
      { path: [4, 0, 2, 0], leadingComments: " Its number.\n" },
      { path: [4, 0, 3, 0], leadingComments: " A line.\n" },
      { path: [5, 0, 2, 1], leadingComments: " By card.\n" },
    ],
  },
};

const proto = create(FileDescriptorProtoSchema, file);
proto.service[0]!.method[3]!.options = create(MethodOptionsSchema);
proto.service[0]!.method[3]!.options.$unknown = [
  { no: 57321, wireType: 2, data: new Uint8Array([facts.length, ...facts]) },
];
const schema = new Schema(["shop.v1.Orders"], [toBinary(FileDescriptorProtoSchema, proto)]);

describe("the console's schema", () => {
  test("has the services that the server offers, with comments", () => {
    assert.deepEqual(
      schema.services.map((each) => each.name),
      ["shop.v1.Orders"],
    );
    assert.equal(schema.services[0]!.comment, "Orders of a shop.\n\nTwo paragraphs.");
    assert.equal(schema.method("shop.v1.Orders/Watch")!.comment, "Watches.");
  });

  test("has kinds, options and names of methods", () => {
    const methods = schema.services[0]!.methods;
    assert.deepEqual(
      methods.map((each) => each.kind),
      ["unary", "server_stream", "client_stream", "bidirectional"],
    );
    assert.deepEqual(
      methods.map((each) => each.isDeprecated),
      [false, true, false, false],
    );
    assert.deepEqual(
      methods.map((each) => each.isIdempotent),
      [false, false, true, false],
    );
    assert.deepEqual(
      methods.map((each) => each.codec),
      ["", "", "", "json"],
    );
    assert.equal(schema.method("place it"), methods[3]);
  });

  test("has fields with types, oneofs and comments", () => {
    const { fields } = schema.message("shop.v1.Order")!;
    assert.deepEqual(
      fields.map((each) => schema.typeText(each)),
      ["uint64", "repeated Line", "map<string, int32>", "string", "optional string", "Payment", "sint64", "double"],
    );
    assert.deepEqual(
      fields.map((each) => each.oneof),
      [undefined, undefined, undefined, "destination", ...Array(4).fill(undefined)],
    );
    assert.equal(fields[0]!.comment, "Its number.");
    assert.equal(fields[0]!.jsonName, "orderNumber");
    assert.equal(fields[5]!.isDeprecated, true);
    assert.equal(schema.message("shop.v1.Order.Line")!.comment, "A line.");
    assert.deepEqual(schema.enumeration("shop.v1.Payment")!.values[1], {
      name: "CARD",
      number: 1,
      comment: "By card.",
    });
  });
});

describe("details of errors", () => {
  const bytes = (...parts: (number | string)[]) =>
    new Uint8Array(parts.flatMap((part) => (typeof part === "number" ? [part] : [...new TextEncoder().encode(part)])));

  test("are decoded by the schema", () => {
    const message = bytes(
      8,
      200,
      1,
      18,
      4,
      10,
      2,
      "A1",
      26,
      5,
      10,
      1,
      "k",
      16,
      7,
      48,
      1,
      56,
      3,
      65,
      0,
      0,
      0,
      0,
      0,
      0,
      0xf8,
      0x3f,
    );
    assert.deepEqual(decodeMessage(schema, "shop.v1.Order", message), {
      orderNumber: 200,
      lines: [{ article: "A1" }],
      labels: [{ key: "k", value: 7 }],
      payment: "CARD",
      change: "-2",
      rate: 1.5,
    });
  });

  test("of google.rpc are known", () => {
    assert.deepEqual(decodeMessage(schema, "google.rpc.ErrorInfo", bytes(10, 2, "NO", 18, 1, "d")), {
      reason: "NO",
      domain: "d",
    });
  });

  test("that nobody describes are shown by number", () => {
    assert.deepEqual(decodeMessage(schema, "a.B", bytes(10, 2, "hi", 16, 5, 10, 1, 0xff)), { 1: ["hi", "0xff"], 2: 5 });
  });

  test("that are no messages are refused", () => {
    for (const broken of [bytes(10, 200), bytes(11), bytes(255, 255), bytes(9, 1), new Uint8Array(11).fill(255)])
      assert.throws(() => decodeMessage(schema, "a.B", broken), RangeError);
    assert.throws(() => new WireReader(new Uint8Array(12).fill(0x80)).varint(), RangeError);
  });
});
