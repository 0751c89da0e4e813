// SPDX-License-Identifier: MIT

// contest_http2_protobuf is protobuf in POST requests over HTTP/2 by net/http, in the clear or over TLS.
package main

import (
	"net/http"

	"trunkline/contest/load"
	"trunkline/contest/posting"
)

func main() {
	options := load.Parse()
	protocols := new(http.Protocols)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	// Not even the deepest window of the contest opens a second connection.
	settings := &http.HTTP2Config{MaxConcurrentStreams: 1 << 20}
	newClient := func() *http.Client {
		return &http.Client{Transport: &http.Transport{
			TLSClientConfig:    options.ClientTLS(),
			Protocols:          protocols,
			DisableCompression: true,
		}}
	}
	if options.Serves {
		posting.Serve(options, &http.Server{Protocols: protocols, HTTP2: settings}, newClient)
	} else {
		posting.Run(options, newClient)
	}
}
