// SPDX-License-Identifier: MIT
// Metadata as header fields of HTTP, and back.
import { Metadata } from "../metadata.js";
import { RpcError } from "../rpc_error.js";
import { StatusCode } from "../status_code.js";
import { decodeAnyText, encodeText } from "../text.js";
import { decodeBase64, encodeBase64 } from "./base64.js";

/** Fields that are HTTP's or the protocol's own, not metadata of the application. */
const reserved =
  /^(:|connect-|content-|accept|host$|connection$|keep-alive$|te$|trailer$|transfer-encoding$|upgrade$|user-agent$)/;

/** Throws RpcError for what HTTP cannot carry. */
export function appendMetadata(headers: Headers, metadata: Metadata): void {
  for (const [name, value] of metadata) {
    const refuse = (reason: string): never => {
      throw new RpcError(StatusCode.invalid_argument, `metadata ${name}: ${reason}`, { mayHaveRun: false });
    };
    if (reserved.test(name)) refuse("the name is reserved in HTTP");
    if (name.endsWith("-bin")) {
      const bytes = typeof value === "string" ? encodeText(value) : value;
      headers.append(name, encodeBase64(bytes).replace(/=+$/, ""));
    } else {
      const text = typeof value === "string" ? value : decodeAnyText(value);
      if (!/^[\x20-\x7e]*$/.test(text)) refuse("a value beyond printable ASCII needs a name that ends in -bin");
      headers.append(name, text);
    }
  }
}

/** From pairs of names and values; those that begin with `prefix`, without it. */
export function metadataOf(pairs: Iterable<readonly [string, string]>, prefix = ""): Metadata {
  const metadata = new Metadata();
  for (const [field, text] of pairs) {
    const name = field.toLowerCase();
    if (!name.startsWith(prefix)) continue;
    // Without a prefix, what has one is not meant.
    if (!prefix && name.startsWith("trailer-")) continue;
    const bare = name.slice(prefix.length);
    try {
      if (!bare.endsWith("-bin")) metadata.append(bare, text);
      else for (const value of text.split(",")) metadata.append(bare, decodeBase64(value.trim()));
    } catch {
      // A field that is no metadata, or is not base 64, is not worth the response.
    }
  }
  return metadata;
}
