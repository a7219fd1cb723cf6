package target

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/extent"
)

// TestCurrent: whatever changes what the go command compiles, a program is not current after it,
// and is when it was compiled.
func TestCurrent(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
	write := func(name, text string) func() error {
		return func() error {
			return errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644))
		}
	}
	remove := func(name string) func() error { return func() error { return os.Remove(name) } }
	setenv := func(name, value string) func() error {
		return func() error { t.Setenv(name, value); return nil }
	}
	const text = "package main\n\nimport \"example.test/tool/internal/part\"\n\nfunc main() { println(part.Text) }\n"
	for _, begin := range []func() error{
		write("go.mod", "module example.test/tool\n\ngo 1.26.0\n"),
		write("cmd/tool/main.go", text),
		write("internal/part/part.go",
			"package part\n\nimport _ \"embed\"\n\n//go:embed data/text\nvar files string\nvar Text = files\n"),
		write("internal/part/data/text", "1"),
		write("README.md", "1"),
		func() error { return os.Symlink("nothing", "cmd/tool/notes") },
	} {
		if err := begin(); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "bin", "tool")
	const pkg = "example.test/tool/cmd/tool"
	update := func() {
		t.Helper()
		tick := newTicker(os.Stderr, true)
		err := recorded(t.Context(), program, pkg, func() error { return build(t.Context(), program, pkg, tick) })
		if err != nil {
			t.Fatal(err)
		}
	}
	update()
	if current(t.Context(), program) {
		t.Error("it is current after its first compilation, of which no inputs were listed before")
	}
	update()
	said := func() string {
		out, err := exec.CommandContext(t.Context(), program).CombinedOutput()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	for _, c := range []struct {
		name   string
		change func() error
		is     bool
		says   string
	}{
		{"nothing", func() error { return nil }, true, "1"},
		{"a file that is not compiled", write("README.md", "2"), true, "1"},
		{"times", func() error { return os.Chtimes("cmd/tool/main.go", time.Now(), time.Now()) }, true, "1"},
		{"a file", write("cmd/tool/main.go", strings.Replace(text, "(part.Text)", `(part.Text, "x")`, 1)), false, "1 x"},
		{"the file as it was", write("cmd/tool/main.go", text), false, "1"},
		{"a file more", write("cmd/tool/more.go", "package main\n\nfunc init() { print(2) }\n"), false, "21"},
		{"a file less", remove("cmd/tool/more.go"), false, "1"},
		{"an embedded file", write("internal/part/data/text", "3"), false, "3"},
		{"go.mod", write("go.mod", "module example.test/tool\n\ngo 1.26.0\n\ngodebug default=go1.21\n"), false, "3"},
		{"go.sum", write("go.sum", "\n"), false, "3"},
		{"a workspace", write("go.work", "go 1.26.0\n\nuse .\n"), false, "3"},
		{"another module of the workspace", func() error {
			return errors.Join(write("other/go.mod", "module example.test/beside\n\ngo 1.26.0\n")(),
				write("go.work", "go 1.26.0\n\nuse .\n\nuse ./other\n")())
		}, false, "3"},
		{"go.mod of that module", write("other/go.mod", "module example.test/beside\n\ngo 1.26\n"), false, "3"},
		{"a replacement of the workspace", func() error {
			return errors.Join(write("new/go.mod", "module example.test/new\n\ngo 1.26.0\n")(),
				write("go.work", "go 1.26.0\n\nuse .\n\nreplace example.test/new => ./new\n")())
		}, false, "3"},
		{"go.mod of the replacement", write("new/go.mod", "module example.test/new\n\ngo 1.26\n"), false, "3"},
		{"no workspace", remove("go.work"), false, "3"},
		{"a flag", setenv("GOFLAGS", "-mod=mod"), false, "3"},
		{"an architecture", setenv("GOAMD64", "v2"), false, "3"},
		{"the program", func() error {
			f, err := os.OpenFile(program, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			_, err = f.WriteString("x")
			return errors.Join(err, f.Close())
		}, false, "3"},
		{"the record", func() error { return os.Truncate(recordOf(program), 40) }, false, "3"},
		{"no record", func() error { return os.Remove(recordOf(program)) }, false, "3"},
	} {
		if c.name == "an architecture" && !extent.All() { // compiles Go's library once more
			continue
		}
		if err := c.change(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := current(t.Context(), program); got != c.is {
			t.Errorf("%s: current is %v", c.name, got)
		}
		update()
		if !current(t.Context(), program) {
			t.Errorf("%s: it is not current when it was compiled", c.name)
		}
		if got := said(); got != c.says {
			t.Errorf("%s: the program says %q, want %q", c.name, got, c.says)
		}
	}

	// A package becomes another module's.
	for _, module := range []string{"cmd/go.mod", "cmd/tool/go.mod"} {
		if err := write(module, "module example.test/other\n")(); err != nil {
			t.Fatal(err)
		}
		if current(t.Context(), program) {
			t.Errorf("with %s the program is current", module)
		}
		if err := os.Remove(module); err != nil {
			t.Fatal(err)
		}
		if !current(t.Context(), program) {
			t.Errorf("without %s the program is not current", module)
		}
	}

	// What changes while it is compiled is not recorded, nor what may read other files.
	if err := write("README.md", "3")(); err != nil {
		t.Fatal(err)
	}
	err := recorded(t.Context(), program, pkg, func() error {
		return errors.Join(write("cmd/tool/main.go", text+"\n")(),
			build(t.Context(), program, pkg, newTicker(os.Stderr, true)))
	})
	if err = errors.Join(err, write("cmd/tool/main.go", text)()); err != nil || current(t.Context(), program) {
		t.Errorf("after a change meanwhile that was taken back, it is current (%v)", err)
	}
	update()
	if !current(t.Context(), program) {
		t.Error("compiled again, it is not current")
	}
	t.Setenv("GOFLAGS", "-overlay=overlay.json")
	if err := write("overlay.json", "{}")(); err != nil {
		t.Fatal(err)
	}
	update()
	if current(t.Context(), program) {
		t.Error("it is current by an overlay, which may say something else")
	}
}
