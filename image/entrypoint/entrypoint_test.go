package entrypoint_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/entrypoint"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/testing/programtest"
	"github.com/slipway-dev/slipway/platform"
)

// image has files with their contents, all of them executable.
func image(t *testing.T, on string, c v1.Config, files map[string]string) entrypoint.Image {
	t.Helper()
	p, err := platform.Parse(on)
	must(t, err)
	i := entrypoint.Image{Tree: tree.New(nil), Config: c, On: p}
	for name, text := range files {
		must(t, i.Tree.WriteText(name, []byte(text), 0o755))
	}
	return i
}

// TestStart finds a program, and says of another one why not.
func TestStart(t *testing.T) {
	static := string(programtest.ELF(programtest.Needs{}))
	for _, tc := range []struct {
		name, on   string
		config     v1.Config
		file, text string
		kind       entrypoint.Kind
	}{
		{"/app", "linux/amd64", v1.Config{}, "/app", "", 0},
		{"app", "linux/amd64", v1.Config{Env: []string{"PATH=/bin:/"}}, "/app", "", 0},
		{"./app", "linux/amd64", v1.Config{WorkingDir: "/"}, "/app", "", 0},
		{"app", "linux/amd64", v1.Config{}, "", "no directory of PATH has it", entrypoint.Missing},
		{"/exe", "linux/amd64", v1.Config{}, "", "it is a PE program for windows/amd64", entrypoint.Differs},
		{"/dos", "linux/amd64", v1.Config{}, "", "it is a program for DOS, Windows or .NET", entrypoint.Differs},
		{"/app", "linux/arm64", v1.Config{}, "", "it is an ELF program for linux/amd64", entrypoint.Differs},
		{"", "linux/amd64", v1.Config{}, "", "the first word is empty", entrypoint.Missing},
		{"/script", "linux/amd64", v1.Config{}, "", "/script needs /bin/none to start", entrypoint.Interpreter},
		{`C:\APP`, "windows/amd64:ltsc2022", v1.Config{}, "/app.exe", "", 0},
	} {
		files := map[string]string{
			"/app": static, "/script": "#!/bin/none\n", "/dos": "MZ",
			"/exe": string(programtest.PE(programtest.Needs{})),
		}
		if tc.on == "windows/amd64:ltsc2022" {
			files = map[string]string{"/app.exe": "MZ"}
		}
		i := image(t, tc.on, tc.config, files)
		if i.On.OS == platform.Windows {
			i.Tree = tree.New(nil)
			i.Tree.Caseless(false)
			must(t, i.Tree.WriteText("/app.exe", []byte("MZ"), 0o755))
		}
		f, file, err := i.Start(tc.name)
		must(t, err)
		if !strings.HasPrefix(f.Text, tc.text) || f.Kind != tc.kind || file != tc.file && file != "/APP.EXE" ||
			(f.Text == "") != (tc.text == "") {
			t.Errorf("%s: %+v, %q", tc.name, f, file)
		}
	}
}

// TestProgram: an image without an entrypoint starts its command, and cmd is in every base for
// Windows.
func TestProgram(t *testing.T) {
	for _, tc := range []struct {
		on   string
		c    v1.Config
		want string
	}{
		{"linux/amd64", v1.Config{Entrypoint: []string{"/a"}, Cmd: []string{"/b"}}, "ENTRYPOINT /a"},
		{"linux/amd64", v1.Config{Cmd: []string{"/b"}}, "CMD /b"},
		{"linux/amd64", v1.Config{}, ""},
		{"linux/amd64", v1.Config{Entrypoint: []string{""}, Cmd: []string{"/b"}}, "ENTRYPOINT "},
		{"windows/amd64:ltsc2022", v1.Config{Entrypoint: []string{"cmd.exe"}}, ""},
	} {
		word, name, ok := image(t, tc.on, tc.c, nil).Program()
		got := word + " " + name
		if !ok {
			got = ""
		}
		if got != tc.want {
			t.Errorf("%q, not %q", got, tc.want)
		}
	}
}

// TestHostile: what comes from a configuration does not keep the machine busy. Each of these took
// minutes or more without a bound.
func TestHostile(t *testing.T) {
	files := map[string]string{}
	for n := range 2000 {
		files[fmt.Sprintf("/f%d/%s", n, strings.Repeat("x", 200))] = ""
	}
	long := strings.Repeat("a/", 2<<20)
	many := strings.Repeat("/d:", 1<<20)
	for _, tc := range []struct {
		on, name string
		c        v1.Config
	}{
		{"linux/amd64", "/" + long, v1.Config{}},
		{"linux/amd64", strings.Repeat("a", 4<<20), v1.Config{}},
		{"linux/amd64", "app", v1.Config{Env: []string{"PATH=" + many}}},
		{"linux/amd64", "app", v1.Config{WorkingDir: "/" + long, Env: []string{"PATH=" + strings.Repeat("d:", 1<<20)}}},
		{"windows/amd64:ltsc2022", "app", v1.Config{Env: []string{
			"PATH=" + strings.Repeat("d;", 1<<20), "PATHEXT=" + strings.Repeat(".X;", 1<<20),
		}}},
	} {
		f, _, err := image(t, tc.on, tc.c, files).Start(tc.name)
		must(t, err)
		if f.Text == "" {
			t.Errorf("%.20s is there", tc.name)
		}
	}
}

// TestLibraries follows the libraries of one program, and ends after some that are missing.
func TestLibraries(t *testing.T) {
	needs := func(names ...string) string {
		return string(programtest.ELF(programtest.Needs{Interpreter: "/lib/ld-linux.so", Libraries: names}))
	}
	var all []string
	for n := range 1000 {
		all = append(all, fmt.Sprintf("lib%d.so", n))
	}
	i := image(t, "linux/amd64", v1.Config{}, map[string]string{
		"/lib/ld-linux.so": "", "/lib/libc.so.6": "", "/lib/liba.so": needs("libb.so", "libc.so.6"),
		"/app": needs("liba.so"), "/many": needs(all...), "/other": needs("none.so"),
	})
	for program, want := range map[string][]string{"/app": {"libb.so, which /lib/liba.so needs"}, "/lib/libc.so.6": nil} {
		got, err := (&entrypoint.Libraries{Image: i, Known: true}).Check(program)
		must(t, err)
		if len(got) != len(want) || len(got) > 0 && !strings.HasPrefix(got[0], want[0]) {
			t.Errorf("%s: %q", program, got)
		}
	}
	got, err := (&entrypoint.Libraries{Image: i, Known: true}).Check("/many")
	must(t, err)
	if len(got) == 0 || len(got) > 20 {
		t.Errorf("%d libraries are missing", len(got))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestUnread: a base whose files cannot be read is an error, and no property of the image; links in
// a circle are one.
func TestUnread(t *testing.T) {
	broken := errors.New("the disk is gone")
	unread := tree.New(func() (*tree.Tree, error) { return nil, broken })
	circle := tree.New(nil)
	must(t, circle.WriteText("/script", []byte("#!/usr/bin/env app\n"), 0o755))
	must(t, circle.WriteText("/other", []byte("#!/bin/sh\n"), 0o755))
	must(t, circle.Set("/bin", &tree.Node{Kind: layer.Symlink, Link: "/bin"}))
	on, err := platform.Parse("linux/amd64")
	must(t, err)
	for _, name := range []string{"/app", "app", "/script", "/other"} {
		f, _, err := entrypoint.Image{Tree: unread, On: on}.Start(name)
		if !errors.Is(err, broken) {
			t.Errorf("%s, of a base that cannot be read: %q, %v", name, f.Text, err)
		}
		f, _, err = entrypoint.Image{Tree: circle, On: on}.Start(name)
		if f.Text == "" || err != nil {
			t.Errorf("%s, with links in a circle: %q, %v", name, f.Text, err)
		}
	}
}
