// SPDX-License-Identifier: MIT

// Package load is what every contestant in Go shares: its command line, its pace and its report.
package load

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"os"
	"time"
)

// LargeBytes is the payload of a large message of the work "mixed".
const LargeBytes = 16 << 20

// One call in tailPeriod of the work "long_tail" is answered late, by TailDelayUs.
const (
	tailPeriod  = 100
	TailDelayUs = 5000
)

// Options is the command line (see ../../../README.md).
type Options struct {
	Serves      bool
	Target      string
	Work        string
	Bytes       int
	Connections int
	Outstanding int
	Seconds     float64
	Warmup      float64
	Certificate string
	Key         string
	Backend     string
	Codec       string
	// BehindHTTP is for gRPC alone: its server is a handler of net/http.
	BehindHTTP bool
}

// Parse ends the process with code 2 if the command line is wrong.
func Parse() Options {
	if len(os.Args) < 2 || (os.Args[1] != "serve" && os.Args[1] != "call") {
		fmt.Fprintf(os.Stderr, "usage: %s serve|call [options]; --help tells them\n", os.Args[0])
		os.Exit(2)
	}
	options := Options{Serves: os.Args[1] == "serve"}
	flags := flag.NewFlagSet(os.Args[0], flag.ExitOnError)
	flags.StringVar(&options.Target, "target", "", "what the server printed")
	flags.StringVar(&options.Work, "work", "echo", "what is called")
	flags.IntVar(&options.Bytes, "bytes", 8, "of the payload")
	flags.IntVar(&options.Connections, "connections", 1, "")
	flags.IntVar(&options.Outstanding, "outstanding", 1, "calls under way, over all connections")
	flags.Float64Var(&options.Seconds, "seconds", 1, "that are counted")
	flags.Float64Var(&options.Warmup, "warmup", 0.2, "seconds before")
	flags.StringVar(&options.Certificate, "certificate", "", "PEM file; empty: no TLS")
	flags.StringVar(&options.Key, "key", "", "PEM file")
	flags.StringVar(&options.Backend, "backend", "", "servers of fan_out: the target of the server behind")
	flags.StringVar(&options.Codec, "codec", "", "json where the contestant has it")
	flags.BoolVar(&options.BehindHTTP, "behind-http", false, "gRPC as a handler of net/http")
	_ = flags.Parse(os.Args[2:])
	if flags.NArg() > 0 || options.Connections < 1 || options.Outstanding < options.Connections {
		fmt.Fprintln(os.Stderr, "contest: needs connections >= 1, outstanding >= connections, and nothing beside options")
		os.Exit(2)
	}
	return options
}

// ServerTLS is nil without a certificate.
func (o Options) ServerTLS() *tls.Config {
	if o.Certificate == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(o.Certificate, o.Key)
	Must(err)
	return &tls.Config{Certificates: []tls.Certificate{pair}}
}

// ClientTLS is nil without a certificate; it trusts that certificate alone.
func (o Options) ClientTLS() *tls.Config {
	if o.Certificate == "" {
		return nil
	}
	text, err := os.ReadFile(o.Certificate)
	Must(err)
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return &tls.Config{RootCAs: pool, ServerName: "localhost"}
}

// Must ends the process with code 1 if there is an error.
func Must(err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "contest: %v\n", err)
		os.Exit(1)
	}
}

// Delay is what a server does before a late answer.
func Delay(us uint32) {
	if us > 0 {
		time.Sleep(time.Duration(us) * time.Microsecond)
	}
}
