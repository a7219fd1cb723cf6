package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
)

// writePage writes the page of a file of results next to it, FILE.md for FILE.json, and the plots
// into the directory FILE. Plots of former results are removed.
func writePage(path string, all []result) error {
	base := strings.TrimSuffix(path, filepath.Ext(path))
	old, err := filepath.Glob(filepath.Join(base, "*.svg"))
	if err != nil {
		return err
	}
	page, plots := page(all, filepath.Base(base))
	errs := []error{disk.MkdirAll(base), disk.Write(base+".md", []byte(page), disk.ModeFile)}
	for _, path := range old {
		if _, ok := plots[filepath.Base(path)]; !ok {
			errs = append(errs, os.Remove(path))
		}
	}
	for name, svg := range plots {
		errs = append(errs, disk.Write(filepath.Join(base, name), []byte(svg), disk.ModeFile))
	}
	return errors.Join(errs...)
}

// page returns results in Markdown, and their plots by file name. The plots are in a directory of
// the given name.
func page(all []result, dir string) (text string, plots map[string]string) {
	var md strings.Builder
	md.WriteString("# Benchmarks\n\nSlipway compared with other programs that do the same work, " +
		"on the same machine, in one run. The first row and bar of each comparison\nis Slipway. " +
		"`go tool mage bench` measures, and writes this page and its plots; " +
		"`-parts=push,again` measures only those.\nEach part has a date of its own. Where there is a median, all rows ran " +
		"five times in turn, and the seconds are those of the fastest run.\n")
	plots = map[string]string{}
	for _, r := range all {
		for n, c := range r.Comparisons {
			name := r.Part + ".svg"
			if n > 0 {
				name = fmt.Sprintf("%s-%d.svg", r.Part, n+1)
			}
			plots[name] = plot(c)
			fmt.Fprintf(&md, "\n## %s\n\n![%s](%s/%s)\n\n", c.Title, alternative(c), dir, name)
			md.WriteString("| | seconds | median | ratio | processor seconds | " +
				"bytes | peak memory |\n|---|--:|--:|--:|--:|--:|--:|\n")
			for _, f := range c.Figures {
				fmt.Fprintf(&md, "| %s | %.2f | %s | %s | %s | %s | %s |\n", f.Name, f.Seconds, secondsOrDash(f.Median),
					ratio(f, c.Figures[0]), secondsOrDash(f.Processors), orDash(f.Bytes), orDash(f.Peak))
			}
			md.WriteString("\n")
			for _, note := range c.Notes {
				fmt.Fprintf(&md, "%s\n\n", note)
			}
			fmt.Fprintf(&md, "Part `%s`, measured on %s at commit `%s`. Machine: %s.%s\n", r.Part,
				r.Date, r.Commit, r.Machine, busy(r))
		}
	}
	return md.String(), plots
}

// busy warns of a machine that had other work to do.
func busy(r result) string {
	if r.Others < 0.1 {
		return ""
	}
	return fmt.Sprintf(" **Other work took %.0f %% of it** meanwhile: ratios tell more than seconds here.",
		100*r.Others)
}

// ratio is how many times as long as slipway something takes.
func ratio(f, ours recordedFigure) string {
	if ours.Seconds <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", f.Seconds/ours.Seconds)
}

// alternative describes in words what the plot of a comparison shows.
func alternative(c recordedComparison) string {
	var all []string
	for _, f := range c.Figures {
		all = append(all, fmt.Sprintf("%s %.2f s", f.Name, f.Seconds))
	}
	return strings.Join(all, "; ")
}

func secondsOrDash(s float64) string {
	if s == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", s)
}
