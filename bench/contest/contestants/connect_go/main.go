// SPDX-License-Identifier: MIT

// contest_connect_go is connect-go: Echo and Multiply by Connect, over HTTP/1.1 and HTTP/2. It only serves.
package main

import (
	"context"
	"net"
	"net/http"

	"connectrpc.com/connect"

	"trunkline/contest/load"
	"trunkline/contestpb"
)

func echo(_ context.Context, request *connect.Request[contestpb.EchoMessage]) (*connect.Response[contestpb.EchoMessage], error) {
	return connect.NewResponse(&contestpb.EchoMessage{Payload: request.Msg.Payload}), nil
}

func multiply(_ context.Context, request *connect.Request[contestpb.Factors]) (*connect.Response[contestpb.Product], error) {
	return connect.NewResponse(&contestpb.Product{Pro: request.Msg.A * request.Msg.B}), nil
}

func main() {
	load.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	load.Must(err)
	mux := http.NewServeMux()
	mux.Handle("/contest.Contest/Echo", connect.NewUnaryHandler("/contest.Contest/Echo", echo))
	mux.Handle("/contest.Contest/Multiply", connect.NewUnaryHandler("/contest.Contest/Multiply", multiply))
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	// As many calls as the deepest window.
	server := &http.Server{Handler: mux, Protocols: protocols, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 1000}}
	go func() { load.Must(server.Serve(listener)) }()
	load.Serve(listener.Addr().String())
}
