// SPDX-License-Identifier: MIT

// contest_rpcx is smallnest/rpcx with protobuf as its serialization, calls straight to one server.
package main

import (
	"context"
	"net"

	"github.com/smallnest/rpcx/client"
	rpcxlog "github.com/smallnest/rpcx/log"
	"github.com/smallnest/rpcx/protocol"
	"github.com/smallnest/rpcx/server"
	"google.golang.org/protobuf/proto"

	"trunkline/contest/load"
	"trunkline/contest/work"
	"trunkline/contestpb"
)

// Contest has the methods in the form that rpcx wants.
type Contest struct {
	work work.Service
}

func (c *Contest) Echo(_ context.Context, request *contestpb.EchoMessage, response *contestpb.EchoMessage) error {
	load.Delay(request.DelayUs)
	response.Payload = request.Payload
	return nil
}

func (c *Contest) FanOut(_ context.Context, request *contestpb.EchoMessage, response *contestpb.EchoMessage) error {
	_, err := c.work.Answer("FanOut", request)
	response.Payload = request.Payload
	return err
}

func (c *Contest) Say(_ context.Context, request *contestpb.TextMessage, response *contestpb.TextMessage) error {
	response.Msg = request.Msg
	return nil
}

func (c *Contest) Multiply(_ context.Context, request *contestpb.Factors, response *contestpb.Product) error {
	response.Pro = request.A * request.B
	return nil
}

func (c *Contest) FindOne(_ context.Context, request *contestpb.PersonName, response *contestpb.Person) error {
	response.Id, response.Name, response.Email, response.Phone = work.Ada.Id, request.Name, work.Ada.Email, work.Ada.Phone
	response.City, response.Company, response.Age = work.Ada.City, work.Ada.Company, work.Ada.Age
	return nil
}

func main() {
	rpcxlog.SetDummyLogger()
	options := load.Parse()
	if options.Serves {
		serve(options)
		return
	}
	load.Run(options, func() (func() load.Call, error) {
		connection, err := connect(options.Target)
		return func() load.Call { return work.NewCaller(options, invoke(connection)) }, err
	})
}

func connect(target string) (*client.Client, error) {
	settings := client.DefaultOption
	settings.SerializeType = protocol.ProtoBuffer
	connection := client.NewClient(settings)
	return connection, connection.Connect("tcp", target)
}

func invoke(connection *client.Client) work.Invoke {
	return func(method string, request, response proto.Message) error {
		return connection.Call(context.Background(), "Contest", method, request, response)
	}
}

func serve(options load.Options) {
	contest := &Contest{}
	if options.Backend != "" {
		backend, err := connect(options.Backend)
		load.Must(err)
		contest.work.Backend = invoke(backend)
	}
	made := server.NewServer()
	load.Must(made.RegisterName("Contest", contest, ""))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	load.Must(err)
	go func() { load.Must(made.ServeListener("tcp", listener)) }()
	load.Serve(listener.Addr().String())
}
