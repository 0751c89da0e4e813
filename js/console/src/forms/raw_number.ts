// SPDX-License-Identifier: MIT
// RawNumber: a number of JSON by its digits, for those that JavaScript cannot hold.

export class RawNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  toString(): string {
    return this.digits;
  }
}
