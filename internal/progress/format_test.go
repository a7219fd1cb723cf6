package progress

import (
	"testing"
	"time"
)

func TestSize(t *testing.T) {
	for n, want := range map[int64]string{
		0:                     "0 B",
		999:                   "999 B",
		1000:                  "1.0 kB",
		999_949:               "999.9 kB",
		999_999:               "1.0 MB",
		12_345_678:            "12.3 MB",
		5_000_000_000:         "5.0 GB",
		3_200_000_000_000:     "3.2 TB",
		9_999_000_000_000_000: "9999.0 TB",
	} {
		if got := Size(n); got != want {
			t.Errorf("Size(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                              "0.0s",
		420 * time.Millisecond:         "0.4s",
		9960 * time.Millisecond:        "10s",
		12*time.Second + 1:             "12s",
		59*time.Second + 400*1000*1000: "59s",
		59*time.Second + 900*1000*1000: "1m00s",
		185 * time.Second:              "3m05s",
		3 * time.Hour:                  "180m00s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}
