package inventory

import (
	"bytes"
	"debug/buildinfo"
	"os"
	"strings"
	"testing"
	"unicode"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/programtest"
)

// FuzzInfo reads build information of any kind in a real program: that of this test.
func FuzzInfo(f *testing.F) {
	self, err := os.Executable()
	if err != nil {
		f.Fatal(err)
	}
	info, err := buildinfo.ReadFile(self)
	if err != nil {
		f.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		f.Fatal(err)
	}
	text := []byte(info.String())
	_, text, _ = bytes.Cut(text, []byte("\n")) // its first line is the toolchain
	var places [][]byte
	for rest := program; ; {
		at := bytes.Index(rest, text)
		if at < 0 {
			break
		}
		places = append(places, rest[at:at+len(text)])
		rest = rest[at+len(text):]
	}
	if len(places) == 0 {
		f.Fatal("the program lacks its build information")
	}
	f.Add(string(text))
	f.Add("path\tx\nmod\tx\t(devel)\t\ndep\ta\tv1\n=>\t./b\t\t\nbuild\tGOOS=linux\n")
	f.Add("dep\t\x00\t\xff\th1:" + strings.Repeat("a", 10000))
	f.Fuzz(func(t *testing.T, text string) {
		for _, place := range places {
			for n := range place {
				place[n] = '\n'
			}
			copy(place, text)
		}
		checkForeign(t, program)
	})
}

// FuzzProgram reads files that begin as programs do.
func FuzzProgram(f *testing.F) {
	f.Add(programtest.ELF(programtest.Needs{Interpreter: "/lib64/ld-linux-x86-64.so.2"}))
	f.Add(programtest.PE(programtest.Needs{Libraries: []string{"KERNEL32.dll"}}))
	f.Add([]byte("\xcf\xfa\xed\xfe\x07\x00\x00\x01"))
	f.Fuzz(checkForeign)
}

// checkForeign checks that a program can be examined, and that what it states is fit for a
// document.
func checkForeign(t *testing.T, b []byte) {
	t.Helper()
	p, err := examine(bytes.NewReader(b), v1.Hash{}, int64(len(b)), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range append(p.Modules, p.Main) {
		for _, text := range []string{m.Path, m.Version, m.Sum, p.Package, p.Go} {
			if len(text) > maxText+len("…") ||
				strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("a text is %q", text)
			}
		}
	}
}
