// SPDX-License-Identifier: MIT

// Package netrpc is the service in the form that the standard library's net/rpc wants, and its run; what its contestants
// share.
package netrpc

import (
	"crypto/tls"
	"io"
	"net"
	"net/rpc"

	"google.golang.org/protobuf/proto"

	"trunkline/contest/load"
	"trunkline/contest/work"
	"trunkline/contestpb"
)

// Codec is how either side speaks on a connection; Serve returns when the connection has ended.
type Codec struct {
	Client func(io.ReadWriteCloser) *rpc.Client
	Serve  func(io.ReadWriteCloser)
}

// Contest has the methods in the form that net/rpc wants.
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

// Run serves or calls, as the command line says.
func Run(codec Codec) {
	options := load.Parse()
	if options.Serves {
		codec.serve(options)
		return
	}
	load.Run(options, func() (func() load.Call, error) {
		client, err := codec.connect(options, options.Target)
		return func() load.Call { return work.NewCaller(options, invoke(client)) }, err
	})
}

func (c Codec) connect(options load.Options, target string) (*rpc.Client, error) {
	if config := options.ClientTLS(); config != nil {
		connection, err := tls.Dial("tcp", target, config)
		if err != nil {
			return nil, err
		}
		return c.Client(connection), nil
	}
	connection, err := net.Dial("tcp", target)
	if err != nil {
		return nil, err
	}
	return c.Client(connection), nil
}

func invoke(client *rpc.Client) work.Invoke {
	return func(method string, request, response proto.Message) error {
		return client.Call("Contest."+method, request, response)
	}
}

func (c Codec) serve(options load.Options) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	load.Must(err)
	target := listener.Addr().String()
	if config := options.ServerTLS(); config != nil {
		listener = tls.NewListener(listener, config)
	}
	contest := &Contest{}
	if options.Backend != "" {
		backend, err := c.connect(options, options.Backend)
		load.Must(err)
		contest.work.Backend = invoke(backend)
	}
	load.Must(rpc.Register(contest))
	go c.accept(listener)
	load.Serve(target)
}

func (c Codec) accept(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		load.Must(err)
		go c.Serve(connection)
	}
}
