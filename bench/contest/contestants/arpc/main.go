// SPDX-License-Identifier: MIT

// contest_arpc is lesismal/arpc with protobuf as its codec, its buffered reads on, and handlers run in place.
package main

import (
	"context"
	"net"
	"time"

	"github.com/lesismal/arpc"
	"github.com/lesismal/arpc/log"
	"google.golang.org/protobuf/proto"

	"trunkline/contest/load"
	"trunkline/contest/work"
)

const dialTimeout = 30 * time.Second

// codec is what arpc takes for its messages.
type codec struct{}

func (codec) Marshal(value any) ([]byte, error) { return proto.Marshal(value.(proto.Message)) }

func (codec) Unmarshal(data []byte, value any) error {
	return proto.Unmarshal(data, value.(proto.Message))
}

func main() {
	log.SetLevel(log.LevelNone)
	options := load.Parse()
	if options.Serves {
		serve(options)
		return
	}
	load.Run(options, func() (func() load.Call, error) {
		client, err := connect(options.Target)
		return func() load.Call { return newCaller(options, client) }, err
	})
}

func connect(target string) (*arpc.Client, error) {
	client, err := arpc.NewClient(func() (net.Conn, error) { return net.DialTimeout("tcp", target, dialTimeout) })
	if err == nil {
		client.Codec = codec{}
	}
	return client, err
}

func invoke(client *arpc.Client) work.Invoke {
	ctx := context.Background() // Call sets a timer for each call
	return func(method string, request, response proto.Message) error {
		return client.CallContext(ctx, method, request, response)
	}
}

func newCaller(options load.Options, client *arpc.Client) load.Call {
	if options.Work != "oneway" {
		return work.NewCaller(options, invoke(client))
	}
	ctx, factors := context.Background(), work.NewRequest("Multiply")
	return func(load.Turn) error { return client.NotifyContext(ctx, "Multiply", factors) }
}

func serve(options load.Options) {
	service := work.Service{}
	if options.Backend != "" {
		backend, err := connect(options.Backend)
		load.Must(err)
		service.Backend = invoke(backend)
	}
	server := arpc.NewServer()
	server.Codec = codec{}
	server.Handler.SetBatchRecv(true)
	server.Handler.SetBatchSend(true)
	// What waits must not hold back the connection that it came by.
	async := options.Work == "long_tail" || options.Work == "fan_out"
	for _, method := range []string{"Echo", "Say", "Multiply", "FindOne", "FanOut"} {
		server.Handler.Handle(method, func(context *arpc.Context) {
			request := work.NewRequest(method)
			err := context.Bind(request)
			var response proto.Message
			if err == nil {
				response, err = service.Answer(method, request)
			}
			if err != nil {
				_ = context.Error(err)
				return
			}
			_ = context.Write(response)
		}, async)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	load.Must(err)
	go func() { load.Must(server.Serve(listener)) }()
	load.Serve(listener.Addr().String())
}
