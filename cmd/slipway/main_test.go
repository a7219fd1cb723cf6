package main

import (
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sirupsen/logrus"
	"k8s.io/klog/v2"

	"github.com/slipway-dev/slipway/internal/output"
)

// TestCollect checks that logs of libraries are sanitized and reach standard error once.
func TestCollect(t *testing.T) {
	t.Cleanup(func() {
		log.SetOutput(os.Stderr)
		logrus.SetOutput(os.Stderr)
		klog.ClearLogger()
	})
	var out strings.Builder
	w := output.New(&out)
	collect(w)
	log.Printf("a server: %s", "\x1b]0;a\a")
	logrus.Warnf("a parser: %s", "https://me:hunter2@host")
	klog.Warningf("a cluster: %s", "Authorization: Bearer abcdef")
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for _, bad := range []string{"\x1b", "\a", "hunter2", "abcdef"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is in %q", bad, text)
		}
	}
	for _, want := range []string{"a server", "a parser", "a cluster"} {
		if strings.Count(text, want) != 1 {
			t.Errorf("%q is not once in %q", want, text)
		}
	}
}

func TestConceal(t *testing.T) {
	conceal([]string{"release", "-registry=https://me:in-a-flag@host/x", "me:as-an-argument@host"},
		[]string{
			"PATH=:/usr/lib/node@18/bin", "HTTPS_PROXY=http://me:of-a-proxy@host:3128",
			"GOPROXY=https://proxy|https://me:of-a-module@host,direct",
		})
	for text, want := range map[string]string{
		"in-a-flag, as-an-argument, of-a-proxy, of-a-module": "[redacted], [redacted], [redacted], [redacted]",
		"/usr/lib/node@18/bin and direct":                    "/usr/lib/node@18/bin and direct",
	} {
		if got := output.Line(text); got != want {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// put appends text to a file of a directory.
func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
