package main

import (
	"strconv"
	"strings"
	"time"
)

// used is how much processor time the machine has used since it started, and how much of that was
// for this process and for those that it has waited for. Both are in clock ticks, a hundredth of
// a second.
type used struct {
	at       time.Time
	all, own float64
}

// usedNow reads proc(5); 0 where the kernel is another.
func usedNow() used {
	u := used{at: time.Now()}
	sum := func(fields []string) (ticks float64) {
		for _, f := range fields {
			n, _ := strconv.ParseFloat(f, 64)
			ticks += n
		}
		return ticks
	}
	// cpu user nice system idle iowait irq softirq steal
	if f := strings.Fields(proc("/proc/stat", "")); len(f) > 8 {
		u.all = sum(f[1:4]) + sum(f[6:9])
	}
	_, stat, _ := strings.Cut(proc("/proc/self/stat", ""), ") ")
	if f := strings.Fields(stat); len(f) > 14 {
		u.own = sum(f[11:15]) // user and system, of the process and of its children
	}
	return u
}

// others is the share of the processors, from 0 to 1, that other processes have used since an
// earlier moment.
func (u used) others(before used, processors int) float64 {
	ticks := 100 * u.at.Sub(before.at).Seconds() * float64(processors)
	if ticks <= 0 {
		return 0
	}
	return min(max((u.all-before.all-(u.own-before.own))/ticks, 0), 1)
}
