// SPDX-License-Identifier: MIT

// contest_net_rpc_gob is the standard library's net/rpc with its own codec, gob, which takes the messages as plain structs.
package main

import (
	"net/rpc"

	"trunkline/contest/netrpc"
)

func main() {
	netrpc.Run(netrpc.Codec{Client: rpc.NewClient, Serve: rpc.ServeConn})
}
