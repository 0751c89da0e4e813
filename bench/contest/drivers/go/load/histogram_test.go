// SPDX-License-Identifier: MIT

package load

import (
	"testing"
	"time"
)

func TestEveryValueIsInItsBucket(t *testing.T) {
	previous := -1
	for value := uint64(0); value < 1<<20; value++ {
		bucket := bucketOf(value)

		if bucket != previous && bucket != previous+1 {
			t.Fatalf("value %d: bucket %d follows %d", value, bucket, previous)
		}
		if edge := upperEdge(bucket); edge < value || float64(edge) > float64(value)*1.04+1 {
			t.Fatalf("value %d: upper edge %d of bucket %d", value, edge, bucket)
		}
		previous = bucket
	}
}

func TestQuantilesOfKnownDurations(t *testing.T) {
	var h histogram
	for us := 1; us <= 1000; us++ {
		h.record(time.Duration(us) * time.Microsecond)
	}

	for share, us := range map[float64]float64{0.5: 500, 0.95: 950, 0.99: 990, 1: 1000} {
		if got := float64(h.quantile(share)) / 1e3; got < us || got > us*1.04 {
			t.Errorf("quantile %g: %g us, expected %g", share, got, us)
		}
	}
}
