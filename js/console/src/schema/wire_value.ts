// SPDX-License-Identifier: MIT
// decodeMessage: a serialized message as a value for JSON, for the details of errors.
import type { FieldDescriptor } from "./descriptors.js";
import { FieldType } from "./descriptors.js";
import type { Schema } from "./schema.js";
import { WireReader } from "./wire_reader.js";

/** Messages of google.rpc that errors have as details: their fields by number, with the name and type of each. */
const known: Record<string, Record<number, [name: string, type: string]>> = {
  "google.rpc.ErrorInfo": { 1: ["reason", "string"], 2: ["domain", "string"], 3: ["metadata", "entries"] },
  "google.rpc.RetryInfo": { 1: ["retryDelay", "google.protobuf.Duration"] },
  "google.rpc.DebugInfo": { 1: ["stackEntries", "string"], 2: ["detail", "string"] },
  "google.rpc.BadRequest": { 1: ["fieldViolations", "violation"] },
  "google.rpc.PreconditionFailure": { 1: ["violations", "precondition"] },
  "google.rpc.QuotaFailure": { 1: ["violations", "violation"] },
  "google.rpc.RequestInfo": { 1: ["requestId", "string"], 2: ["servingData", "string"] },
  "google.rpc.ResourceInfo": {
    1: ["resourceType", "string"],
    2: ["resourceName", "string"],
    3: ["owner", "string"],
    4: ["description", "string"],
  },
  "google.rpc.LocalizedMessage": { 1: ["locale", "string"], 2: ["message", "string"] },
  "google.rpc.Help": { 1: ["links", "link"] },
  "google.protobuf.Duration": { 1: ["seconds", "int64"], 2: ["nanos", "int64"] },
  entries: { 1: ["key", "string"], 2: ["value", "string"] },
  violation: { 1: ["field", "string"], 2: ["description", "string"] },
  precondition: { 1: ["type", "string"], 2: ["subject", "string"], 3: ["description", "string"] },
  link: { 1: ["description", "string"], 2: ["url", "string"] },
};

/** Fields of unknown messages have their numbers as names. Throws RangeError if the bytes are no message. */
export function decodeMessage(schema: Schema | undefined, name: string, bytes: Uint8Array): unknown {
  const message = schema?.message(name);
  const result: Record<string, unknown> = {};
  const reader = new WireReader(bytes);
  while (reader.next()) {
    const field = message?.fields.find((each) => each.number === reader.number);
    const fact = known[name]?.[reader.number];
    const key = field?.jsonName ?? fact?.[0] ?? String(reader.number);
    const value = field && schema ? fieldValue(schema, field, reader) : plainValue(fact?.[1], reader);
    const before = result[key];
    if (before === undefined) result[key] = field?.isRepeated ? [value] : value;
    else if (Array.isArray(before)) before.push(value);
    else result[key] = [before, value];
  }
  return result;
}

function plainValue(type: string | undefined, reader: WireReader): unknown {
  if (reader.wireType === 0) return reader.int();
  if (reader.wireType === 1) return reader.fixed(8).getBigUint64(0, true).toString();
  if (reader.wireType === 5) return reader.fixed(4).getUint32(0, true);
  const bytes = reader.bytes();
  if (type && known[type]) return decodeMessage(undefined, type, bytes);
  return textOrHex(bytes);
}

function fieldValue(schema: Schema, field: FieldDescriptor, reader: WireReader): unknown {
  const { type } = field;
  if (reader.wireType === 0) {
    if (type === FieldType.bool) return reader.bool();
    const value = reader.varint();
    if (type === FieldType.sint32 || type === FieldType.sint64) return ((value >> 1n) ^ -(value & 1n)).toString();
    const number = type === FieldType.uint64 ? value : BigInt.asIntN(64, value);
    const named = schema.enumeration(field.typeName)?.values.find((each) => BigInt(each.number) === number);
    return named?.name ?? (Number.isSafeInteger(Number(number)) ? Number(number) : number.toString());
  }
  if (reader.wireType === 1) {
    const view = reader.fixed(8);
    return type === FieldType.double ? view.getFloat64(0, true) : view.getBigInt64(0, true).toString();
  }
  if (reader.wireType === 5) {
    const view = reader.fixed(4);
    return type === FieldType.float ? view.getFloat32(0, true) : view.getInt32(0, true);
  }
  const bytes = reader.bytes();
  if (type === FieldType.message) return decodeMessage(schema, field.typeName, bytes);
  return type === FieldType.string ? new TextDecoder().decode(bytes) : textOrHex(bytes);
}

function textOrHex(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!/[\u0000-\u0008\u000e-\u001f]/.test(text)) return text;
  } catch {
    // It is no text.
  }
  return `0x${[...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
