// SPDX-License-Identifier: MIT

package load

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Turn is what is known of one call before it is made.
type Turn struct {
	// Number counts the calls of all callers.
	Number uint64
	// IsLarge holds for a caller's life: "mixed" has one on each connection.
	IsLarge   bool
	IsDelayed bool
	// IsSampled says that the call is timed and its answer compared whole, not by its size alone.
	IsSampled bool
}

// Call makes one call and compares the answer.
type Call func(turn Turn) error

// Dial opens a connection; what it returns is asked once for each caller of it.
type Dial func() (func() Call, error)

// One call in sampling is sampled with as many under way or more.
const sampling = 16

type pace struct {
	options    Options
	samplesAll bool
	begin, end time.Time
	number     atomic.Uint64
	over       atomic.Bool
	unrecorded atomic.Uint64
	calls      atomic.Uint64
	largeCalls atomic.Uint64
	allCalls   atomic.Uint64
	latency    histogram
}

// Run keeps as many goroutines calling as there are to be calls outstanding, and prints the report.
func Run(options Options, dial Dial) {
	callers := make([]Call, options.Outstanding)
	connections := make([]func() Call, options.Connections)
	for index := range connections {
		newCaller, err := dial()
		Must(err)
		connections[index] = newCaller
	}
	for index := range callers {
		callers[index] = connections[index%len(connections)]()
	}
	compareAll(callers)
	p := &pace{options: options, samplesAll: options.Outstanding < sampling || options.Work == "long_tail"}
	p.begin = time.Now().Add(time.Duration(options.Warmup * float64(time.Second)))
	p.end = p.begin.Add(time.Duration(options.Seconds * float64(time.Second)))
	var cpuAtBegin float64
	time.AfterFunc(time.Until(p.begin), func() { cpuAtBegin = cpuSeconds() })
	var group sync.WaitGroup
	for index, call := range callers {
		isLarge := options.Work == "mixed" && index < options.Connections
		group.Go(func() { p.keepCalling(call, isLarge) })
	}
	group.Wait()
	p.print(cpuSeconds() - cpuAtBegin)
}

// compareAll lets every caller make a call before any is timed: it is connected then, and its answers are right.
func compareAll(callers []Call) {
	var group sync.WaitGroup
	for _, call := range callers {
		group.Go(func() { Must(call(Turn{IsSampled: true})) })
	}
	group.Wait()
}

func (p *pace) keepCalling(call Call, isLarge bool) {
	for isFirst := true; !p.over.Load(); isFirst = false {
		turn := Turn{Number: p.number.Add(1) - 1, IsLarge: isLarge}
		turn.IsDelayed = p.options.Work == "long_tail" && turn.Number%tailPeriod == tailPeriod-1
		turn.IsSampled = p.samplesAll || isFirst || isLarge || rand.Uint32()%sampling == 0
		var sent time.Time
		if turn.IsSampled {
			sent = time.Now()
		}
		Must(call(turn))
		p.allCalls.Add(1)
		if !isLarge {
			p.unrecorded.Add(1)
		}
		if turn.IsSampled {
			p.record(isLarge, sent)
		}
	}
}

func (p *pace) record(isLarge bool, sent time.Time) {
	now, count := time.Now(), p.unrecorded.Swap(0)
	switch {
	case !now.Before(p.end):
		p.over.Store(true)
	case now.Before(p.begin):
	default:
		p.calls.Add(count)
		if isLarge {
			p.largeCalls.Add(1)
		} else {
			p.latency.record(now.Sub(sent))
		}
	}
}

func (p *pace) print(cpu float64) {
	us := func(share float64) float64 { return float64(p.latency.quantile(share)) / 1e3 }
	report := memory()
	report["calls"] = p.calls.Load()
	report["seconds"] = p.options.Seconds
	report["all_calls"] = p.allCalls.Load()
	report["large_calls"] = p.largeCalls.Load()
	report["p50_us"], report["p95_us"], report["p99_us"] = us(0.5), us(0.95), us(0.99)
	report["max_us"] = float64(p.latency.max.Load()) / 1e3
	report["cpu_seconds"] = cpu
	say(report)
}

// Serve says where the server listens, and returns when the standard input has ended, with the heap's totals said.
func Serve(target string) {
	fmt.Printf("listening on %s\n", target)
	_, _ = io.Copy(io.Discard, os.Stdin)
	say(memory())
}

// Slowly reads 50 messages a second until the process is killed.
func Slowly(read func() error) {
	for isFirst := true; ; isFirst = false {
		Must(read())
		if isFirst {
			fmt.Println("reading")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func memory() map[string]any {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return map[string]any{"allocations": stats.Mallocs, "allocated_bytes": stats.TotalAlloc, "collections": stats.NumGC}
}

func say(report map[string]any) {
	line, err := json.Marshal(report)
	Must(err)
	fmt.Println(string(line))
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}
