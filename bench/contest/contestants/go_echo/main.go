// SPDX-License-Identifier: MIT

// contest_go_echo is labstack/echo: GET /test answers a constant object. It only serves.
package main

import (
	"net"
	"net/http"

	"github.com/labstack/echo/v4"

	"trunkline/contest/load"
)

type person struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Email   string `json:"email"`
	Phone   string `json:"phone"`
	City    string `json:"city"`
	Company string `json:"company"`
	Age     int    `json:"age"`
}

var ada = person{
	ID:      "5f0c6f9e8d3b2a0017c4e1aa",
	Name:    "Augusta Ada King, Countess of Lovelace",
	Email:   "ada.lovelace@analytical-engine.example",
	Phone:   "+44 20 7946 0958",
	City:    "12 St James's Square, London SW1Y 4LB",
	Company: "The Analytical Engine Company",
	Age:     36,
}

func main() {
	load.Parse()
	server := echo.New()
	server.GET("/test", func(context echo.Context) error { return context.JSON(http.StatusOK, ada) })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	load.Must(err)
	go func() { load.Must(http.Serve(listener, server)) }()
	load.Serve(listener.Addr().String())
}
