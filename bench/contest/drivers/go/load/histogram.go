// SPDX-License-Identifier: MIT

package load

import (
	"math/bits"
	"sync/atomic"
	"time"
)

const (
	subBits = 5
	maxBits = 40
)

// histogram counts durations in buckets of about 3 % width, from any goroutine.
type histogram struct {
	counts [(maxBits + 1) << subBits]atomic.Uint64
	total  atomic.Uint64
	max    atomic.Uint64
}

func bucketOf(value uint64) int {
	if value < 1<<subBits {
		return int(value)
	}
	shift := bits.Len64(value) - 1 - subBits
	bucket := (shift+1)<<subBits + int(value>>shift) - 1<<subBits
	return min(bucket, (maxBits+1)<<subBits-1)
}

func upperEdge(bucket int) uint64 {
	if bucket < 1<<subBits {
		return uint64(bucket)
	}
	shift := bucket>>subBits - 1
	return (uint64(bucket&(1<<subBits-1))+1<<subBits+1)<<shift - 1
}

func (h *histogram) record(duration time.Duration) {
	value := uint64(max(0, duration))
	h.counts[bucketOf(value)].Add(1)
	h.total.Add(1)
	for {
		most := h.max.Load()
		if value <= most || h.max.CompareAndSwap(most, value) {
			return
		}
	}
}

// quantile is in nanoseconds, at most one bucket above the true value.
func (h *histogram) quantile(share float64) uint64 {
	wanted := uint64(share*float64(h.total.Load())) + 1
	var seen uint64
	for bucket := range h.counts {
		seen += h.counts[bucket].Load()
		if seen >= wanted {
			return min(upperEdge(bucket), h.max.Load())
		}
	}
	return h.max.Load()
}
