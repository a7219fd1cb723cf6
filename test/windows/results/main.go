// Results writes docs/results/windows.md from the files that run-images.ps1 wrote on Windows
// machines: a row for each image, Windows release and engine.
package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

// result is what a container did.
type result struct {
	Product, Version, Image, Release, Engine string

	Exit    int64
	Started bool
	Output  []string // the first lines
}

func main() {
	out := flag.String("o", "docs/results/windows.md", "the page to write")
	run := flag.String("run", "", "where the results are from, such as the URL of a workflow's run")
	flag.Parse()
	if err := write(*out, *run, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func write(out, run string, files []string) error {
	var all []result
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var some []result
		if err := json.Unmarshal([]byte(strings.TrimPrefix(string(b), "\ufeff")), &some); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, some...)
	}
	var page strings.Builder
	table(&page, run, all)
	return os.WriteFile(out, []byte(page.String()), 0o644)
}

const head = `# Images on real Windows

The images of kpack, [hello](../../examples/hello) and the [SMB driver](../../examples/csi-driver-smb) for Windows, loaded from the bundle of that Windows
release and run with process isolation. The page is written by [a workflow](../../.github/workflows/windows.yml) that a maintainer starts, from runs on
GitHub's Windows runners. An image has started if the engine made its container and Windows loaded its program, whatever the program reports about its
arguments.
`

// table writes the page.
func table(w io.Writer, run string, all []result) {
	fmt.Fprint(w, head)
	if len(all) == 0 {
		fmt.Fprint(w, "\nThe workflow has not run yet.\n")
		return
	}
	slices.SortFunc(all, func(a, b result) int {
		return cmp.Or(cmp.Compare(a.Product, b.Product), cmp.Compare(a.Image, b.Image),
			cmp.Compare(a.Release, b.Release), cmp.Compare(a.Engine, b.Engine))
	})
	if run != "" {
		fmt.Fprintf(w, "\nFrom <%s>.\n", run)
	}
	fmt.Fprint(w,
		"\n| product | image | Windows | engine | started | exit code | it printed |\n|---|---|---|---|---|--:|---|\n")
	for _, r := range all {
		started := "yes"
		if !r.Started {
			started = "**no**"
		}
		fmt.Fprintf(w, "| %s %s | %s | %s | %s | %s | %s | %s |\n",
			cell(r.Product), cell(r.Version), cell(r.Image), cell(r.Release), cell(r.Engine), started,
			code(r.Exit), first(r.Output))
	}
}

// code is an exit code, in hex where it is a status of Windows.
func code(n int64) string {
	if n >= 0xC0000000 {
		return fmt.Sprintf("0x%08X", n)
	}
	return fmt.Sprint(n)
}

// first is the first line that says something.
func first(lines []string) string {
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			return "`" + strings.ReplaceAll(cell(l), "`", "'") + "`"
		}
	}
	return ""
}

// cell is text for a cell of a table, on one line and of bounded length.
func cell(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '|' {
			return ' '
		}
		return r
	}, s)
	if short := []rune(s); len(short) > 120 {
		return string(short[:119]) + "…"
	}
	return s
}
