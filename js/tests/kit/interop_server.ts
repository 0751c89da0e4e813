// SPDX-License-Identifier: MIT
// InteropServer: the service of tests/interop, in C++ or Python, in a process of its own.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installedPython } from "./python_server.js";
import { ServerProcess } from "./server_process.js";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const built = process.env.TRUNKLINE_BUILT_INTEROP ?? join(root, "build/dev/tests/interop");
/** The folder of what the build makes of tests/. */
export const builtTests = dirname(built);
const endpoint = "tcp://127.0.0.1:0";

export type Language = "C++" | "Python";

export class InteropServer extends ServerProcess {
  static start(language: Language): Promise<InteropServer> {
    const command =
      language === "C++"
        ? { command: join(built, "interop_server"), words: [endpoint] }
        : {
            command: installedPython,
            words: ["-m", "python.interop.server", "blocking", endpoint],
            folder: join(root, "tests"),
          };
    return ServerProcess.launch(InteropServer, command);
  }

  protected override requestStop(): void {
    this.process.kill("SIGTERM");
  }
}
