// SPDX-License-Identifier: MIT
// The descriptors of services and messages, as far as the console shows them.

/** The numbers of google.protobuf.FieldDescriptorProto.Type. */
export const FieldType = {
  double: 1,
  float: 2,
  int64: 3,
  uint64: 4,
  int32: 5,
  fixed64: 6,
  fixed32: 7,
  bool: 8,
  string: 9,
  group: 10,
  message: 11,
  bytes: 12,
  uint32: 13,
  enum: 14,
  sfixed32: 15,
  sfixed64: 16,
  sint32: 17,
  sint64: 18,
} as const;

export const fieldTypeNames = Object.fromEntries(Object.entries(FieldType).map(([name, number]) => [number, name]));

export interface FieldDescriptor {
  name: string;
  jsonName: string;
  number: number;
  type: number;
  /** The full name of a message or an enumeration. */
  typeName: string;
  isRepeated: boolean;
  /** `optional` in proto3: absent is not the same as the default. */
  isOptional: boolean;
  /** The name of the oneof that it belongs to. */
  oneof: string | undefined;
  isDeprecated: boolean;
  comment: string;
}

export interface MessageDescriptor {
  name: string;
  comment: string;
  fields: FieldDescriptor[];
  isMapEntry: boolean;
}

export interface EnumDescriptor {
  name: string;
  comment: string;
  values: { name: string; number: number; comment: string }[];
}

export type MethodKind = "unary" | "client_stream" | "server_stream" | "bidirectional";

export interface MethodDescriptor {
  name: string;
  service: string;
  /** The name on the wire. */
  path: string;
  kind: MethodKind;
  request: string;
  response: string;
  /** Of a method without protobuf messages: the name of its codec. Empty for protobuf. */
  codec: string;
  isIdempotent: boolean;
  isDeprecated: boolean;
  comment: string;
}

export interface ServiceDescriptor {
  name: string;
  comment: string;
  methods: MethodDescriptor[];
}
