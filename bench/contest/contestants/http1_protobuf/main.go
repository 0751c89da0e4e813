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
		// One connection serves one call at a time, so that there are as many as calls under way.
		return &http.Client{Transport: &http.Transport{
			TLSClientConfig:     options.ClientTLS(),
			MaxIdleConnsPerHost: options.Outstanding,
			DisableCompression:  true,
		}}
	}
	if options.Serves {
		posting.Serve(options, &http.Server{}, newClient)
	} else {
		posting.Run(options, newClient)
	}
}
