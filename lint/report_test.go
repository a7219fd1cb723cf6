package lint_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestOutputs holds a report in each of its forms against golden files.
func TestOutputs(t *testing.T) {
	r := check(t, "report.yaml", read(t, "testdata/report.yaml"))
	for name, write := range map[string]func(io.Writer) error{
		"report.txt":   r.WriteTable,
		"report.sarif": func(w io.Writer) error { return r.WriteSARIF(w, "v1.2.3") },
		"report.json": func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetEscapeHTML(false)
			e.SetIndent("", "  ")
			return e.Encode(r)
		},
		"report.lines": func(w io.Writer) error {
			for _, f := range r.Findings {
				if _, err := io.WriteString(w, f.String()+"\n"); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			golden(t, filepath.Join("testdata", name), b.String())
		})
	}
}

// golden compares with a file, or writes it.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, path), got); diff != "" {
		t.Errorf("%s is out of date (run with -update if the change is meant):\n%s", path, diff)
	}
}
