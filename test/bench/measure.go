package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/report"
)

// figure is the cost of one way to do the work.
type figure struct {
	name       string
	seconds    float64 // of the fastest run
	median     float64 // seconds; 0 if there was one run
	processors float64 // seconds of all processors, in user mode and for the user in the kernel
	bytes      int64   // of the result; 0 if there is none
	peak       int64   // bytes of memory; 0 if not measured
}

// best returns the one of two runs that took less time. The zero figure is not a run.
func (f figure) best(other figure) figure {
	if f.name == "" || other.seconds < f.seconds {
		return other
	}
	return f
}

// comparison compares slipway's figure with those of other programs.
type comparison struct {
	title string
	ours  figure
	other []figure
	notes []string // lines below the table
}

func (c comparison) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s\n", c.title)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tseconds\tmedian\tprocessor seconds\tbytes\tpeak memory\tseconds, ours : theirs\tbytes, ours : theirs\t")
	for _, f := range append([]figure{c.ours}, c.other...) {
		ratio, size := "", ""
		if f.name != c.ours.name {
			ratio = fmt.Sprintf("1 : %.2f", f.seconds/c.ours.seconds)
			if f.bytes > 0 {
				size = fmt.Sprintf("%.3f", float64(c.ours.bytes)/float64(f.bytes))
			}
		}
		fmt.Fprintf(t, "%s\t%.2f\t%.2f\t%.2f\t%s\t%s\t%s\t%s\t\n", f.name, f.seconds, f.median, f.processors, orDash(f.bytes),
			orDash(f.peak), ratio, size)
	}
	t.Flush() //nolint:errcheck // to standard output
	for _, n := range c.notes {
		fmt.Fprintln(w, n)
	}
}

func orDash(n int64) string {
	if n == 0 {
		return "-"
	}
	return progress.Size(n)
}

// measure runs commands one after the other, and returns their total time and the largest of
// their peaks.
func measure(ctx context.Context, name string, commands ...[]string) (figure, error) {
	f := figure{name: name}
	for _, c := range commands {
		cmd := exec.CommandContext(ctx, c[0], c[1:]...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		start := time.Now()
		if err := cmd.Start(); err != nil {
			return f, err
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		peak, err := watch(cmd.Process.Pid, ended)
		f.seconds += time.Since(start).Seconds()
		f.processors += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		f.peak = max(f.peak, peak)
		if err != nil {
			return f, fmt.Errorf("%s: %w\n%s", strings.Join(c, " "), err, out.String())
		}
	}
	return f, nil
}

// method is one way to do the work.
type method struct {
	name     string
	commands [][]string
}

// alternately runs each way once without measuring it, and then all of them five times in turn, so
// that what else the machine does meets all of them. Before each run it calls prepare.
func alternately(ctx context.Context, prepare func() error, ways ...method) ([]figure, error) {
	all, seconds := make([]figure, len(ways)), make([][]float64, len(ways))
	for round := range 6 {
		for n, w := range ways {
			if err := prepare(); err != nil {
				return nil, err
			}
			f, err := measure(ctx, w.name, w.commands...)
			if err != nil {
				return nil, err
			}
			if round > 0 {
				all[n], seconds[n] = all[n].best(f), append(seconds[n], f.seconds)
			}
		}
	}
	for n, s := range seconds {
		slices.Sort(s)
		all[n].median = s[len(s)/2]
	}
	return all, nil
}

// stages tells what the last run of a store waited for.
func stages(title, store string) (comparison, error) {
	r, err := report.ReadRun(store)
	if err != nil {
		return comparison{}, err
	}
	c := comparison{title: title, ours: figure{name: "all of it"}}
	for _, s := range r.Steps {
		c.ours.seconds = max(c.ours.seconds, s.End)
		if took := s.End - s.Begin; s.Stage && took >= 0.005 {
			c.other = append(c.other, figure{name: s.Name, seconds: took})
		}
	}
	return c, nil
}

// watch reads a process's high-water mark until it ends.
func watch(pid int, ended <-chan error) (peak int64, err error) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case err := <-ended:
			return peak, err
		case <-tick.C:
			peak = max(peak, highWater(pid))
		}
	}
}

func highWater(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	rest, _, _ = strings.Cut(rest, "kB")
	n, _ := strconv.ParseInt(strings.TrimSpace(rest), 10, 64)
	return n << 10
}
