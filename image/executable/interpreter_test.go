package executable_test

import (
	"debug/elf"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/image/executable"
)

func TestInterpreter(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "#": "", "#!": "", "#!\n/bin/sh": "", "#!/bin/sh": "/bin/sh",
		"#! \t/usr/bin/env\tpython\n": "/usr/bin/env", " #!/bin/sh": "", "\x7fELF": "",
		"#!" + strings.Repeat(" ", 300) + "/bin/sh": "",
	} {
		if got, _, err := executable.Interpreter(strings.NewReader(text)); err != nil || got != want {
			t.Errorf("%q needs %q (%v), want %q", text, got, err, want)
		}
	}
}

// TestLoader reads programs of this machine and this test, and compares the
// results with those of debug/elf.
func TestLoader(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob("/usr/bin/[a-m]*")
	if err != nil {
		t.Fatal(err)
	}
	with := 0
	for _, p := range append(paths[:min(len(paths), 100)], self) {
		e, err := elf.Open(p)
		if err != nil {
			continue // not an ELF file
		}
		want := ""
		for _, s := range e.Progs {
			if s.Type == elf.PT_INTERP {
				b := make([]byte, s.Filesz)
				if _, err := s.ReadAt(b, 0); err != nil {
					t.Fatal(err)
				}
				want = strings.TrimRight(string(b), "\x00")
			}
		}
		e.Close()
		f, err := os.Open(p)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := executable.Interpreter(f)
		f.Close()
		if err != nil || got != want {
			t.Errorf("%s needs %q (%v), debug/elf says %q", p, got, err, want)
		}
		if want != "" {
			with++
		}
	}
	t.Logf("%d programs have a loader", with)
}

// TestEnd: no program of this machine is shorter than its headers name, and a cut one is.
func TestEnd(t *testing.T) {
	for _, dir := range []string{"/usr/bin", "/usr/sbin"} {
		files, err := os.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		must(t, err)
		for _, f := range files {
			b, err := os.ReadFile(filepath.Join(dir, f.Name()))
			if err != nil { // a directory, or a link to nothing
				continue
			}
			if end := executable.End(b[:min(len(b), executable.Head)]); end > int64(len(b)) {
				t.Errorf("%s has %d bytes, not %d", f.Name(), len(b), end)
			}
		}
	}
	self, err := os.Executable()
	must(t, err)
	b, err := os.ReadFile(self)
	must(t, err)
	if end := executable.End(b[:executable.Head]); end <= executable.Head || end > int64(len(b)) {
		t.Errorf("it ends at %d of %d", end, len(b))
	}
	if end := executable.End(b[:30]); end != 64 {
		t.Errorf("a cut header ends at %d", end)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
