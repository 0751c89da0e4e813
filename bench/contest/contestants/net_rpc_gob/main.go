// SPDX-License-Identifier: MIT

// contest_net_rpc_gob is the standard library's net/rpc with its own codec, gob.
package main

import (
	"crypto/tls"
	"net"
	"net/rpc"

	"google.golang.org/protobuf/proto"

	"trunkline/contest/load"
	"trunkline/contest/work"
	"trunkline/contestpb"
)

// Contest has the methods in the form that net/rpc wants; gob takes the messages as plain structs.
type Contest struct {
	work work.Service
}

func (c *Contest) Echo(request *contestpb.EchoMessage, response *contestpb.EchoMessage) error {
	load.Delay(request.DelayUs)
	response.Payload = request.Payload
	return nil
}

func (c *Contest) FanOut(request *contestpb.EchoMessage, response *contestpb.EchoMessage) error {
	_, err := c.work.Answer("FanOut", request)
	response.Payload = request.Payload
	return err
}

func (c *Contest) Say(request *contestpb.TextMessage, response *contestpb.TextMessage) error {
	response.Msg = request.Msg
	return nil
}

func (c *Contest) Multiply(request *contestpb.Factors, response *contestpb.Product) error {
	response.Pro = request.A * request.B
	return nil
}

func (c *Contest) FindOne(request *contestpb.PersonName, response *contestpb.Person) error {
	response.Id, response.Name, response.Email, response.Phone = work.Ada.Id, request.Name, work.Ada.Email, work.Ada.Phone
	response.City, response.Company, response.Age = work.Ada.City, work.Ada.Company, work.Ada.Age
	return nil
}

func main() {
	options := load.Parse()
	if options.Serves {
		serve(options)
		return
	}
	load.Run(options, func() (func() load.Call, error) {
		client, err := connect(options, options.Target)
		return func() load.Call { return work.NewCaller(options, invoke(client)) }, err
	})
}

func connect(options load.Options, target string) (*rpc.Client, error) {
	if config := options.ClientTLS(); config != nil {
		connection, err := tls.Dial("tcp", target, config)
		if err != nil {
			return nil, err
		}
		return rpc.NewClient(connection), nil
	}
	return rpc.Dial("tcp", target)
}

func invoke(client *rpc.Client) work.Invoke {
	return func(method string, request, response proto.Message) error {
		return client.Call("Contest."+method, request, response)
	}
}

func serve(options load.Options) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	load.Must(err)
	target := listener.Addr().String()
	if config := options.ServerTLS(); config != nil {
		listener = tls.NewListener(listener, config)
	}
	contest := &Contest{}
	if options.Backend != "" {
		backend, err := connect(options, options.Backend)
		load.Must(err)
		contest.work.Backend = invoke(backend)
	}
	load.Must(rpc.Register(contest))
	go rpc.Accept(listener)
	load.Serve(target)
}
