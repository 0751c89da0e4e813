// SPDX-License-Identifier: MIT
// The client in Node, against servers in C++ and Python.
import * as cases from "./browser/cases.js";
import { defineClientTests, type Cases, type Client, type Outcome } from "./kit/client_tests.js";

const client: Client = {
  run<Name extends keyof Cases>(name: Name, ...words: Parameters<Cases[Name]>): Promise<Outcome<Name>> {
    const call = cases[name] as (...words: Parameters<Cases[Name]>) => Outcome<Name> | Promise<Outcome<Name>>;
    return Promise.resolve(call(...words)) as Promise<Outcome<Name>>;
  },
  close: async () => cases.close(),
};

defineClientTests("Node", async () => client);
