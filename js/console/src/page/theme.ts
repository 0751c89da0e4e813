// SPDX-License-Identifier: MIT
// Theme: light, dark, or as the system has it; kept for the next time.

const key = "trunkline-console-theme";
const { dataset } = document.documentElement;

export function restoreTheme(): void {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const apply = () => {
    const kept = localStorage.getItem(key);
    dataset["theme"] = kept === "light" || kept === "dark" ? kept : system.matches ? "dark" : "light";
  };
  apply();
  system.addEventListener("change", apply);
}

export function switchTheme(): void {
  dataset["theme"] = dataset["theme"] === "dark" ? "light" : "dark";
  localStorage.setItem(key, dataset["theme"]);
}
