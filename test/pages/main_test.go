package pages

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// workDir has what the tests share: slipway, releases, pages, and what Chromium writes.
var workDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "slipway-")
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	workDir = dir
	code := m.Run()
	stopChromium()
	if line := asked(); line != "" {
		fmt.Fprintln(os.Stderr, "error: a page has Chromium ask for", line)
		code = 1
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// asked returns the first line of a request, or of a tunnel, to a host that a page names. Chromium
// asks hosts of its own, too, which no page names.
func asked() (line string) {
	made.Range(func(_, r any) bool {
		page, _ := os.ReadFile(r.(*released).page)
		for _, l := range outside.lines() {
			if host := host(l); strings.Contains(string(page), host) {
				line = l
			}
		}
		return line == ""
	})
	return line
}

// host is the host in the first line of a request to a proxy: CONNECT HOST:443 HTTP/1.1, or
// GET http://HOST/PATH HTTP/1.1.
func host(line string) string {
	_, rest, _ := strings.Cut(line, " ")
	_, after, ok := strings.Cut(rest, "://")
	if ok {
		rest = after
	}
	return rest[:strings.IndexAny(rest+" ", ":/ ")]
}
