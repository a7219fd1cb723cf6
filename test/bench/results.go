package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/internal/plainjson"
	"github.com/slipway-dev/slipway/internal/progress"
)

// result is what a part found, when, where and of which commit.
type result struct {
	Part        string               `json:"part"`
	Date        string               `json:"date"`       // in UTC: 2026-11-22
	Commit      string               `json:"commit"`     // its first twelve digits; "+" for changes to it
	Machine     string               `json:"machine"`    // processors, memory, toolchain
	Processors  int                  `json:"processors"` // of the machine
	Others      float64              `json:"others"`     // the share of the processors that other work took meanwhile
	Comparisons []recordedComparison `json:"comparisons"`
}

// recordedComparison is a comparison in a file. The first figure is slipway's.
type recordedComparison struct {
	Title   string           `json:"title"`
	Figures []recordedFigure `json:"figures"`
	Notes   []string         `json:"notes,omitempty"`
}

// recordedFigure is a figure in a file.
type recordedFigure struct {
	Name       string  `json:"name"`
	Seconds    float64 `json:"seconds"`
	Median     float64 `json:"medianSeconds,omitempty"`
	Processors float64 `json:"processorSeconds,omitempty"`
	Bytes      int64   `json:"bytes,omitempty"`
	Peak       int64   `json:"peakBytes,omitempty"`
}

// record returns a comparison as a file has it.
func (c comparison) record() recordedComparison {
	r := recordedComparison{Title: c.title, Notes: c.notes}
	for _, f := range append([]figure{c.ours}, c.other...) {
		r.Figures = append(r.Figures, recordedFigure{
			f.name, milli(f.seconds), milli(f.median), milli(f.processors), f.bytes, f.peak,
		})
	}
	return r
}

// milli rounds seconds to what a measurement is good for.
func milli(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }

// here returns the result of a part that begins now, without comparisons.
func (b *bench) here(ctx context.Context, part string) (result, error) {
	head, err := git.Head(ctx, ".")
	if err != nil {
		return result{}, err
	}
	commit := head.Short()
	changed, err := git.Changes(ctx, ".")
	if err != nil {
		return result{}, err
	}
	if slices.ContainsFunc(changed, func(name string) bool { return !strings.HasPrefix(name, "docs/") }) {
		commit += "+"
	}
	var memory int64
	fmt.Sscanf(proc("/proc/meminfo", "MemTotal"), "%d kB", &memory) //nolint:errcheck // 0 there, too
	return result{
		Part: part, Date: time.Now().UTC().Format(time.DateOnly), Commit: commit, Processors: runtime.NumCPU(),
		Machine: fmt.Sprintf("%d × %s, %s of memory, %s", runtime.NumCPU(), proc("/proc/cpuinfo", "model name"),
			progress.Size(memory<<10), runtime.Version()),
	}, nil
}

// proc returns the value of a key in a file that the kernel writes, or its first line for no key.
func proc(path, key string) string {
	f, err := os.Open(path)
	if err != nil {
		return "unknown"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch {
		case key == "":
			return lines.Text()
		case strings.TrimSpace(name) == key:
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return "unknown"
}

// readResults reads a file of results. There is none before the first.
func readResults(path string) (all []result, err error) {
	if path == "" {
		return nil, errors.New("-plot has nothing to show: name the file of the results with -results")
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: not results of the benchmark: %w; delete it, or restore it from git", path, err)
	}
	return all, nil
}

// merge puts a result in the place of the same part, in the order of the parts. Results of parts
// that no longer exist are dropped.
func (b *bench) merge(all []result, r result) (merged []result) {
	for _, p := range b.parts() {
		if p.name == r.Part {
			merged = append(merged, r)
		} else if n := slices.IndexFunc(all, func(r result) bool { return r.Part == p.name }); n >= 0 {
			merged = append(merged, all[n])
		}
	}
	return merged
}

// writeResults writes a file of results, and its page.
func writeResults(path string, all []result) error {
	text, err := plainjson.Indent(all)
	if err != nil {
		return err
	}
	return errors.Join(disk.Write(path, text, disk.ModeFile), writePage(path, all))
}
