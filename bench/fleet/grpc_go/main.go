// SPDX-License-Identifier: MIT

// grpc_go is client.py by gRPC Go, with its policy round_robin and a goroutine for each call.
// Usage: grpc_go HOST:PORT,HOST:PORT... CALLS_PER_SECOND SECONDS SEED
package main

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/resolver"
	"google.golang.org/grpc/resolver/manual"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "grpc_go:", err)
		os.Exit(1)
	}
}

func number(text string) float64 {
	value, err := strconv.ParseFloat(text, 64)
	must(err)
	return value
}

func connect(servers string) *grpc.ClientConn {
	builder := manual.NewBuilderWithScheme("fleet")
	var addresses []resolver.Address
	for _, server := range strings.Split(servers, ",") {
		addresses = append(addresses, resolver.Address{Addr: server})
	}
	builder.InitialState(resolver.State{Addresses: addresses})
	connection, err := grpc.NewClient("fleet:///servers", grpc.WithResolvers(builder),
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultServiceConfig(`{"loadBalancingConfig":[{"round_robin":{}}]}`))
	must(err)
	return connection
}

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: grpc_go HOST:PORT,HOST:PORT... CALLS_PER_SECOND SECONDS SEED")
		os.Exit(2)
	}
	connection := connect(os.Args[1])
	rate, seconds := number(os.Args[2]), number(os.Args[3])
	random := rand.New(rand.NewSource(int64(number(os.Args[4]))))
	// LoadMessage and BytesValue are the same on the wire.
	request := wrapperspb.Bytes([]byte("x"))
	var lines []string
	var lock sync.Mutex
	var open sync.WaitGroup
	call := func(due time.Time) {
		defer open.Done()
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		var response wrapperspb.BytesValue
		err := connection.Invoke(ctx, "/trunkline.bench.LoadEcho/Echo", request, &response)
		line := fmt.Sprint(time.Since(due).Microseconds(), " ", string(response.Value))
		if err != nil {
			line = "failed " + err.Error()
		}
		lock.Lock()
		defer lock.Unlock()
		lines = append(lines, line)
	}
	begun := time.Now()
	for at := 0.0; at < seconds; at += random.ExpFloat64() / rate {
		due := begun.Add(time.Duration(at * float64(time.Second)))
		time.Sleep(time.Until(due))
		open.Add(1)
		go call(due)
	}
	open.Wait()
	for _, line := range lines {
		fmt.Println(line)
	}
}
