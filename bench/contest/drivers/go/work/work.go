// SPDX-License-Identifier: MIT

// Package work is what a client asks and a server answers, in the messages of contest.proto.
package work

import (
	"bytes"
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"trunkline/contest/load"
	"trunkline/contestpb"
)

// Invoke makes one call: asks `request` of `method` and fills `response`.
type Invoke func(method string, request, response proto.Message) error

var errWrong = errors.New("an answer is wrong")

// Letters are random ones, the same for every contestant and run.
func Letters(count int) []byte {
	text := make([]byte, count)
	state := uint32(2463534242)
	for index := range text {
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		text[index] = byte('a' + state%26)
	}
	return text
}

// NewCaller is a caller of the work that the options name; callers share nothing.
func NewCaller(options load.Options, invoke Invoke) load.Call {
	switch options.Work {
	case "text", "stream":
		return textCaller(options, invoke)
	case "multiply", "oneway":
		return multiplyCaller(invoke)
	case "object":
		return objectCaller(invoke)
	case "fan_out":
		return echoCaller(options, "FanOut", invoke)
	}
	return echoCaller(options, "Echo", invoke)
}

func echoCaller(options load.Options, method string, invoke Invoke) load.Call {
	small := &contestpb.EchoMessage{Payload: Letters(options.Bytes)}
	delayed := &contestpb.EchoMessage{Payload: small.Payload, DelayUs: load.TailDelayUs}
	var large *contestpb.EchoMessage
	response := &contestpb.EchoMessage{}
	return func(turn load.Turn) error {
		request := small
		if turn.IsDelayed {
			request = delayed
		}
		if turn.IsLarge {
			if large == nil {
				large = &contestpb.EchoMessage{Payload: Letters(load.LargeBytes)}
			}
			request = large
		}
		response.Reset()
		if err := invoke(method, request, response); err != nil {
			return err
		}
		if len(response.Payload) != len(request.Payload) ||
			turn.IsSampled && !bytes.Equal(response.Payload, request.Payload) {
			return errWrong
		}
		return nil
	}
}

func textCaller(options load.Options, invoke Invoke) load.Call {
	request := &contestpb.TextMessage{Msg: string(Letters(options.Bytes))}
	response := &contestpb.TextMessage{}
	return func(turn load.Turn) error {
		response.Reset()
		if err := invoke("Say", request, response); err != nil {
			return err
		}
		if len(response.Msg) != len(request.Msg) || turn.IsSampled && response.Msg != request.Msg {
			return errWrong
		}
		return nil
	}
}

func multiplyCaller(invoke Invoke) load.Call {
	request := &contestpb.Factors{}
	response := &contestpb.Product{}
	return func(turn load.Turn) error {
		request.A, request.B = 1000+int32(turn.Number%64), 2000-7*int32(turn.Number%64)
		response.Reset()
		if err := invoke("Multiply", request, response); err != nil {
			return err
		}
		if response.Pro != request.A*request.B {
			return errWrong
		}
		return nil
	}
}

func objectCaller(invoke Invoke) load.Call {
	request := &contestpb.PersonName{Name: Ada.Name}
	response := &contestpb.Person{}
	return func(load.Turn) error {
		response.Reset()
		if err := invoke("FindOne", request, response); err != nil {
			return err
		}
		if response.Name != Ada.Name || response.Id != Ada.Id || response.Age != Ada.Age {
			return errWrong
		}
		return nil
	}
}

// Ada is what FindOne answers: about 230 bytes.
var Ada = &contestpb.Person{
	Id:      "5f0c6f9e8d3b2a0017c4e1aa",
	Name:    "Augusta Ada King, Countess of Lovelace",
	Email:   "ada.lovelace@analytical-engine.example",
	Phone:   "+44 20 7946 0958",
	City:    "12 St James's Square, London SW1Y 4LB, United Kingdom",
	Company: "The Analytical Engine Company, Limited",
	Age:     36,
}

// NewRequest is an empty request of a method, nil if there is no such method.
func NewRequest(method string) proto.Message {
	switch method {
	case "Echo", "FanOut":
		return &contestpb.EchoMessage{}
	case "Say":
		return &contestpb.TextMessage{}
	case "Multiply":
		return &contestpb.Factors{}
	case "FindOne":
		return &contestpb.PersonName{}
	}
	return nil
}

// Service answers; Backend is what FanOut asks, nil where there is none.
type Service struct {
	Backend Invoke
}

// Answer serves one call of a method by a request of NewRequest.
func (s Service) Answer(method string, request proto.Message) (proto.Message, error) {
	switch asked := request.(type) {
	case *contestpb.EchoMessage:
		if method == "FanOut" {
			return s.fanOut(asked)
		}
		load.Delay(asked.DelayUs)
		return &contestpb.EchoMessage{Payload: asked.Payload}, nil
	case *contestpb.TextMessage:
		return &contestpb.TextMessage{Msg: asked.Msg}, nil
	case *contestpb.Factors:
		return &contestpb.Product{Pro: asked.A * asked.B}, nil
	case *contestpb.PersonName:
		return &contestpb.Person{
			Id: Ada.Id, Name: asked.Name, Email: Ada.Email, Phone: Ada.Phone, City: Ada.City, Company: Ada.Company, Age: Ada.Age,
		}, nil
	}
	return nil, fmt.Errorf("no method %s", method)
}

func (s Service) fanOut(request *contestpb.EchoMessage) (*contestpb.EchoMessage, error) {
	if s.Backend == nil {
		return nil, errors.New("this server has no backend")
	}
	ends := make(chan error, 3)
	for range 3 {
		go func() {
			response := &contestpb.EchoMessage{}
			err := s.Backend("Echo", request, response)
			if err == nil && !bytes.Equal(response.Payload, request.Payload) {
				err = errWrong
			}
			ends <- err
		}()
	}
	var failed error
	for range 3 {
		if err := <-ends; err != nil {
			failed = err
		}
	}
	return &contestpb.EchoMessage{Payload: request.Payload}, failed
}
