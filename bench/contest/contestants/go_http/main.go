// SPDX-License-Identifier: MIT

// contest_go_http is net/http with encoding/json: POST /contest.Contest/Multiply. It only serves.
package main

import (
	"encoding/json"
	"net"
	"net/http"

	"trunkline/contest/load"
)

type factors struct {
	A int32 `json:"a"`
	B int32 `json:"b"`
}

type product struct {
	Pro int32 `json:"pro"`
}

func multiply(writer http.ResponseWriter, request *http.Request) {
	var asked factors
	if err := json.NewDecoder(request.Body).Decode(&asked); err != nil {
		http.Error(writer, err.Error(), http.StatusBadRequest)
		return
	}
	writer.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(writer).Encode(product{asked.A * asked.B})
}

func main() {
	load.Parse()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	load.Must(err)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /contest.Contest/Multiply", multiply)
	go func() { load.Must(http.Serve(listener, mux)) }()
	load.Serve(listener.Addr().String())
}
