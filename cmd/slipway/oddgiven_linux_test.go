package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGivenPipe gives a key by a pipe, as <(…) of a shell does, by one that has no end, and by a
// device.
func TestGivenPipe(t *testing.T) {
	o := newOdd(t)
	key, err := os.ReadFile(filepath.Join(o.dir, "release.pub"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		path    string
		endless bool
		want    string // of the error
	}{
		"a pipe":         {path: "/dev/fd/3"},
		"an endless one": {"/dev/fd/3", true, "it has more than 1 MiB"},
		"a device":       {"/dev/zero", false, "/dev/zero: it is a device"},
	} {
		t.Run(name, func(t *testing.T) {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			go func() {
				defer w.Close()
				for more := true; more; {
					_, err := w.Write(key)
					more = c.endless && err == nil
				}
			}()
			ctx, cancel := context.WithTimeout(t.Context(), oddTime)
			defer cancel()
			cmd := o.command(ctx, o.dir, "verify -key="+c.path+" dist")
			cmd.ExtraFiles = []*os.File{r}
			out, err := cmd.CombinedOutput()
			r.Close()
			if ctx.Err() != nil {
				t.Fatalf("it waits:\n%s", out)
			}
			if (err != nil) != (c.want != "") || !strings.Contains(string(out), c.want) ||
				strings.Count(string(out), "error: ") > 1 {
				t.Errorf("%v:\n%s\nwant %q", err, out, c.want)
			}
		})
	}
}
