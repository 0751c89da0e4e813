// SPDX-License-Identifier: MIT

// contest_grpc_go is gRPC Go by its generated code: a goroutine for each call, as its documentation advises.
package main

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/proto"

	"trunkline/contest/load"
	"trunkline/contest/work"
	"trunkline/contestpb"
)

func main() {
	options := load.Parse()
	if options.Serves {
		serve(options)
		return
	}
	if options.Work == "slow_reader" {
		readSlowly(options)
		return
	}
	load.Run(options, func() (func() load.Call, error) {
		connection, err := connect(options, options.Target)
		if err != nil {
			return nil, err
		}
		return func() load.Call { return newCaller(options, connection) }, nil
	})
}

func connect(options load.Options, target string) (*grpc.ClientConn, error) {
	security := insecure.NewCredentials()
	if config := options.ClientTLS(); config != nil {
		security = credentials.NewTLS(config)
	}
	connection, err := grpc.NewClient(target, grpc.WithTransportCredentials(security),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(2*load.LargeBytes)))
	if err == nil {
		connection.Connect()
	}
	return connection, err
}

func newCaller(options load.Options, connection *grpc.ClientConn) load.Call {
	ctx := context.Background()
	if options.Work != "stream" {
		return work.NewCaller(options, func(method string, request, response proto.Message) error {
			return connection.Invoke(ctx, "/contest.Contest/"+method, request, response)
		})
	}
	stream, err := contestpb.NewContestClient(connection).Talk(ctx)
	load.Must(err)
	return work.NewCaller(options, func(_ string, request, response proto.Message) error {
		if err := stream.SendMsg(request); err != nil {
			return err
		}
		return stream.RecvMsg(response)
	})
}

func readSlowly(options load.Options) {
	connection, err := connect(options, options.Target)
	load.Must(err)
	request := &contestpb.EchoMessage{Payload: work.Letters(options.Bytes)}
	stream, err := contestpb.NewContestClient(connection).Pour(context.Background(), request)
	load.Must(err)
	load.Slowly(func() error {
		_, err := stream.Recv()
		return err
	})
}
