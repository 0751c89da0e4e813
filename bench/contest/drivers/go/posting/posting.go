// SPDX-License-Identifier: MIT

// Package posting is protobuf in the bodies of POST requests, by net/http; what its contestants share.
package posting

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"trunkline/contest/load"
	"trunkline/contest/work"
)

const prefix = "/contest.Contest/"

type coding struct {
	contentType string
	marshal     func(proto.Message) ([]byte, error)
	unmarshal   func([]byte, proto.Message) error
}

var (
	binary = coding{"application/x-protobuf", proto.Marshal, proto.Unmarshal}
	text   = coding{"application/json", protojson.Marshal, protojson.Unmarshal}
)

func codingOf(contentType string) coding {
	if contentType == text.contentType {
		return text
	}
	return binary
}

// Invoke posts to a server; `base` is its scheme and authority.
func Invoke(options load.Options, client *http.Client, base string) work.Invoke {
	coding := binary
	if options.Codec == "json" {
		coding = text
	}
	return func(method string, request, response proto.Message) error {
		body, err := coding.marshal(request)
		if err != nil {
			return err
		}
		answer, err := client.Post(base+prefix+method, coding.contentType, bytes.NewReader(body))
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		content, err := readAll(answer.Body, answer.ContentLength)
		if err != nil {
			return err
		}
		if answer.StatusCode != http.StatusOK {
			return errors.New(answer.Status + ": " + string(content))
		}
		return coding.unmarshal(content, response)
	}
}

func readAll(body io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		return io.ReadAll(body)
	}
	content := make([]byte, length)
	_, err := io.ReadFull(body, content)
	return content, err
}

// Run calls by clients of `newClient`, one for each connection.
func Run(options load.Options, newClient func() *http.Client) {
	base := "http://" + options.Target
	if options.Certificate != "" {
		base = "https://" + options.Target
	}
	load.Run(options, func() (func() load.Call, error) {
		invoke := Invoke(options, newClient(), base)
		return func() load.Call { return work.NewCaller(options, invoke) }, nil
	})
}

// Serve serves by `server`, whose handler and certificates it sets; `newClient` is for calls to a backend.
func Serve(options load.Options, server *http.Server, newClient func() *http.Client) {
	service := work.Service{}
	if options.Backend != "" {
		service.Backend = Invoke(options, newClient(), "http://"+options.Backend)
	}
	server.Handler = handler(service)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	load.Must(err)
	if server.TLSConfig = options.ServerTLS(); server.TLSConfig != nil {
		go func() { load.Must(server.ServeTLS(listener, "", "")) }()
	} else {
		go func() { load.Must(server.Serve(listener)) }()
	}
	load.Serve(listener.Addr().String())
}

func handler(service work.Service) http.Handler {
	return http.HandlerFunc(func(writer http.ResponseWriter, asked *http.Request) {
		method := strings.TrimPrefix(asked.URL.Path, prefix)
		if request := work.NewRequest(method); request != nil {
			answer(service, method, request, writer, asked)
			return
		}
		http.NotFound(writer, asked)
	})
}

func answer(
	service work.Service, method string, request proto.Message, writer http.ResponseWriter, asked *http.Request,
) {
	coding := codingOf(asked.Header.Get("Content-Type"))
	content, err := readAll(asked.Body, asked.ContentLength)
	if err == nil {
		err = coding.unmarshal(content, request)
	}
	if err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	response, err := service.Answer(method, request)
	if err == nil {
		content, err = coding.marshal(response)
	}
	if err != nil {
		http.Error(writer, err.Error(), http.StatusInternalServerError)
		return
	}
	writer.Header().Set("Content-Type", coding.contentType)
	_, _ = writer.Write(content)
}
