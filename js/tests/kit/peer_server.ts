// SPDX-License-Identifier: MIT
// PeerServer: the service of tests/interop/wrapper_types.proto, in C++ or Python, in a process of its own.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtTests, type Language } from "./interop_server.js";
import { installedPython } from "./python_server.js";
import { ServerProcess } from "./server_process.js";

const inPython = fileURLToPath(new URL("../../../../tests/proxies/backend.py", import.meta.url));
const endpoint = "tcp://127.0.0.1:0";

export class PeerServer extends ServerProcess {
  static start(language: Language): Promise<PeerServer> {
    const command =
      language === "C++"
        ? { command: join(builtTests, "interop/grpc_server"), words: [endpoint] }
        : { command: installedPython, words: [inPython, endpoint] };
    return ServerProcess.launch(PeerServer, command);
  }

  protected override requestStop(): void {
    this.process.kill("SIGTERM");
  }
}
