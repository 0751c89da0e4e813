// SPDX-License-Identifier: MIT

// contest_http1_protobuf is protobuf in POST requests over HTTP/1.1 by net/http.
package main

import (
	"net/http"

	"trunkline/contest/load"
	"trunkline/contest/posting"
)

func main() {
	options := load.Parse()
	newClient := func() *http.Client {
		// One connection serves one call at a time: all that are needed stay open, also those of a server to its backend.
		return &http.Client{Transport: &http.Transport{
			TLSClientConfig:     options.ClientTLS(),
			MaxIdleConnsPerHost: 1 << 20,
			DisableCompression:  true,
		}}
	}
	if options.Serves {
		posting.Serve(options, &http.Server{}, newClient)
	} else {
		posting.Run(options, newClient)
	}
}
