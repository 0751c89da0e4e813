// SPDX-License-Identifier: MIT
// TokenPrompt: asks for the token of the console.
import { element, freshId } from "../page/element.js";

export class TokenPrompt {
  readonly node: HTMLElement;
  readonly #input = element("input", {
    id: freshId(),
    type: "password",
    autocomplete: "current-password",
    required: true,
  });

  constructor(text: string, onToken: (token: string) => void) {
    this.node = element(
      "form.token",
      {},
      element("h1", {}, "Trunkline console"),
      element("p", {}, text || "This console needs its token."),
      // For managers of passwords, which want a name beside it.
      element("input", { type: "text", name: "username", autocomplete: "username", value: "console", hidden: true }),
      element("label", { for: this.#input.id }, "Token"),
      this.#input,
      element("button.primary", { type: "submit" }, "Open"),
    );
    this.node.addEventListener("submit", (event) => {
      event.preventDefault();
      onToken(this.#input.value.trim());
    });
  }

  focus(): void {
    this.#input.focus();
  }
}
