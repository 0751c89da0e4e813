// SPDX-License-Identifier: MIT
// Editor: a part of a form, for one value of JSON; and InputError, for what is no value.

export interface Editor {
  readonly node: HTMLElement;
  /** Undefined: the value is left out. Throws InputError. */
  read(): unknown;
  /** Undefined: the default. */
  write(value: unknown): void;
}

export class InputError extends Error {
  /** The control whose content is wrong. */
  readonly control: HTMLElement;

  constructor(control: HTMLElement, text: string) {
    super(text);
    this.name = "InputError";
    this.control = control;
  }
}
