// SPDX-License-Identifier: MIT
// PythonServer: service.py in a process of its own.
import { fileURLToPath } from "node:url";
import { ServerProcess } from "./server_process.js";

const program = fileURLToPath(new URL("../../../tests/kit/service.py", import.meta.url));
/** The Python that has the package. */
export const installedPython =
  process.env.TRUNKLINE_PYTHON ?? fileURLToPath(new URL("../../../../build/python/bin/python", import.meta.url));

export class PythonServer extends ServerProcess {
  /** `options`: those of the server, as Python writes them. */
  static start(options: Record<string, string> = {}): Promise<PythonServer> {
    const words = Object.entries(options).map(([name, value]) => `${name}=${value}`);
    return ServerProcess.launch(PythonServer, { command: installedPython, words: [program, ...words] });
  }

  /** No further calls; resolves when those that run have ended. */
  async drain(): Promise<void> {
    await this.ask("drain");
  }
}
