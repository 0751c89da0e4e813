// SPDX-License-Identifier: MIT
// ConsoleServer: the server whose console the tests use, in C++ or Python, in a process of its own.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtTests, type Language } from "./interop_server.js";
import { installedPython } from "./python_server.js";
import { ServerProcess } from "./server_process.js";

const inPython = fileURLToPath(new URL("../../../tests/kit/console_service.py", import.meta.url));
const inCpp = join(builtTests, "interop/console_server");

export class ConsoleServer extends ServerProcess {
  static start(language: Language, token?: string): Promise<ConsoleServer> {
    const words = token === undefined ? [] : [token];
    const command =
      language === "C++" ? { command: inCpp, words } : { command: installedPython, words: [inPython, ...words] };
    return ServerProcess.launch(ConsoleServer, command);
  }

  /** Why it cannot be started; false if it can. */
  static whyNone(language: Language): string | false {
    return language === "C++" && !existsSync(inCpp) && `${inCpp} is not built`;
  }

  /** Of the page. */
  get page(): string {
    return `http://127.0.0.1:${this.port}/console`;
  }
}
