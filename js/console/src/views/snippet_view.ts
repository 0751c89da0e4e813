// SPDX-License-Identifier: MIT
// SnippetView: the call as code of a language, to be copied.
import { element } from "../page/element.js";
import { commandSnippet } from "../snippets/command_snippet.js";
import { cppSnippet } from "../snippets/cpp_snippet.js";
import { curlSnippet } from "../snippets/curl_snippet.js";
import { pythonSnippet } from "../snippets/python_snippet.js";
import type { Language, SnippetCall } from "../snippets/snippet.js";

const languages: Language[] = [commandSnippet, curlSnippet, cppSnippet, pythonSnippet];
/** How long the button says that the text was copied. */
const thanks = 1500;

export class SnippetView {
  readonly node: HTMLElement;
  readonly #code = element("pre.snippet", { tabIndex: 0, "aria-label": "the call as code" });
  readonly #tabs: HTMLButtonElement[];
  readonly #read: () => SnippetCall;
  #language = languages[0]!;

  /** `read`: the call as the form has it. May throw InputError; then the last code stays. */
  constructor(read: () => SnippetCall) {
    this.#read = read;
    this.#tabs = languages.map((language) => {
      const choose = () => {
        this.#language = language;
        this.update();
      };
      return element("button", { type: "button", role: "tab", onclick: choose }, language.name);
    });
    const copy = element("button.small.copy", { type: "button", "aria-label": "copy the code" }, "Copy");
    copy.addEventListener("click", () => void this.#copy(copy));
    this.node = element(
      "section.snippets",
      {},
      element(
        "div.tabs",
        { role: "tablist", "aria-label": "copy as" },
        element("span.tabs-title", {}, "Copy as"),
        this.#tabs,
        copy,
      ),
      this.#code,
    );
  }

  update(): void {
    this.#tabs.forEach((tab, index) => tab.setAttribute("aria-selected", String(languages[index] === this.#language)));
    try {
      this.#code.textContent = this.#language.write(this.#read());
    } catch {
      // What is being typed is no request yet.
    }
  }

  async #copy(button: HTMLButtonElement): Promise<void> {
    const text = this.#code.textContent ?? "";
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Without TLS there is no clipboard but for what is selected.
      getSelection()?.selectAllChildren(this.#code);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), thanks);
  }
}
