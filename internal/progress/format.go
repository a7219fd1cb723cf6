package progress

import (
	"fmt"
	"time"
)

// Size writes a number of bytes with a decimal unit: 12.3 MB.
func Size(n int64) string {
	const step = 1000
	if n < step {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n), 0
	for f >= step-0.05 && unit < 4 { // 999.95 would become 1000.0
		f /= step
		unit++
	}
	return fmt.Sprintf("%.1f %cB", f, " kMGT"[unit])
}

// Duration writes d as a person reads it: 0.4s, 12s, 3m05s.
func Duration(d time.Duration) string {
	if d < 9950*time.Millisecond {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	d = d.Round(time.Second)
	if d < time.Minute {
		return fmt.Sprintf("%.0fs", d.Seconds())
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}
