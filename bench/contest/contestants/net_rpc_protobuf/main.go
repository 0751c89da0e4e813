// SPDX-License-Identifier: MIT

// contest_net_rpc_protobuf is the standard library's net/rpc with a codec that writes protobuf behind its length.
package main

import (
	"io"
	"net/rpc"

	"trunkline/contest/netrpc"
)

func main() {
	netrpc.Run(netrpc.Codec{
		Client: func(connection io.ReadWriteCloser) *rpc.Client {
			return rpc.NewClientWithCodec(&clientCodec{newFrames(connection)})
		},
		Serve: func(connection io.ReadWriteCloser) { rpc.ServeCodec(&serverCodec{newFrames(connection)}) },
	})
}
