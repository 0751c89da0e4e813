// SPDX-License-Identifier: MIT

package main

import (
	"context"
	"net"
	"net/http"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"trunkline/contest/load"
	"trunkline/contest/work"
	"trunkline/contestpb"
)

type service struct {
	contestpb.UnimplementedContestServer
	work work.Service
}

func (s *service) Echo(_ context.Context, request *contestpb.EchoMessage) (*contestpb.EchoMessage, error) {
	return answer[contestpb.EchoMessage](s, "Echo", request)
}

func (s *service) FanOut(_ context.Context, request *contestpb.EchoMessage) (*contestpb.EchoMessage, error) {
	return answer[contestpb.EchoMessage](s, "FanOut", request)
}

func (s *service) Say(_ context.Context, request *contestpb.TextMessage) (*contestpb.TextMessage, error) {
	return answer[contestpb.TextMessage](s, "Say", request)
}

func (s *service) Multiply(_ context.Context, request *contestpb.Factors) (*contestpb.Product, error) {
	return answer[contestpb.Product](s, "Multiply", request)
}

func (s *service) FindOne(_ context.Context, request *contestpb.PersonName) (*contestpb.Person, error) {
	return answer[contestpb.Person](s, "FindOne", request)
}

func (s *service) Talk(stream grpc.BidiStreamingServer[contestpb.TextMessage, contestpb.TextMessage]) error {
	for {
		message, err := stream.Recv()
		if err != nil {
			return nil // the caller has gone
		}
		if err := stream.Send(message); err != nil {
			return err
		}
	}
}

func (s *service) Pour(request *contestpb.EchoMessage, stream grpc.ServerStreamingServer[contestpb.EchoMessage]) error {
	for {
		if err := stream.Send(request); err != nil {
			return err
		}
	}
}

func answer[Response any](s *service, method string, request proto.Message) (*Response, error) {
	response, err := s.work.Answer(method, request)
	if err != nil {
		return nil, err
	}
	return any(response).(*Response), nil
}

func serve(options load.Options) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	load.Must(err)
	made := &service{}
	if options.Backend != "" {
		backend, err := connect(options, options.Backend)
		load.Must(err)
		made.work.Backend = func(method string, request, response proto.Message) error {
			return backend.Invoke(context.Background(), "/contest.Contest/"+method, request, response)
		}
	}
	settings := []grpc.ServerOption{grpc.MaxRecvMsgSize(2 * load.LargeBytes)}
	config := options.ServerTLS()
	if config != nil && !options.BehindHTTP {
		settings = append(settings, grpc.Creds(credentials.NewTLS(config)))
	}
	server := grpc.NewServer(settings...)
	contestpb.RegisterContestServer(server, made)
	if options.BehindHTTP {
		protocols := new(http.Protocols)
		protocols.SetHTTP2(true)
		protocols.SetUnencryptedHTTP2(true)
		front := &http.Server{
			Handler: server, Protocols: protocols, TLSConfig: config, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 1 << 20},
		}
		if config != nil {
			go func() { load.Must(front.ServeTLS(listener, "", "")) }()
		} else {
			go func() { load.Must(front.Serve(listener)) }()
		}
	} else {
		go func() { load.Must(server.Serve(listener)) }()
	}
	load.Serve(listener.Addr().String())
}
