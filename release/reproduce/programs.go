package reproduce

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"debug/elf"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
)

// programs says what differs in the build information of two Go programs; nothing if one of the
// files is not a Go program.
func programs(a, b []byte) (why []string) {
	x, err := buildinfo.Read(bytes.NewReader(a))
	if err != nil {
		return nil
	}
	y, err := buildinfo.Read(bytes.NewReader(b))
	if err != nil {
		return nil
	}
	if x.GoVersion != y.GoVersion {
		why = append(why, fmt.Sprintf("it was compiled by %s, here by %s", x.GoVersion, y.GoVersion))
	}
	if x.Path != y.Path {
		why = append(why, fmt.Sprintf("it is package %s, here %s", x.Path, y.Path))
	}
	why = append(why, pairs("build setting", settings(x), settings(y))...)
	why = append(why, pairs("module", modules(x), modules(y))...)
	if len(why) == 0 {
		why = append(why, buildID(a, b))
	}
	return slices.DeleteFunc(why, func(s string) bool { return s == "" })
}

func settings(i *buildinfo.BuildInfo) map[string]string {
	all := map[string]string{}
	for _, s := range i.Settings {
		all[s.Key] = s.Value
	}
	return all
}

func modules(i *buildinfo.BuildInfo) map[string]string {
	all := map[string]string{}
	for _, m := range append([]*debug.Module{&i.Main}, i.Deps...) {
		used := m
		if m.Replace != nil {
			used = m.Replace
		}
		all[m.Path] = strings.TrimSpace(used.Version + " " + used.Sum)
	}
	return all
}

// pairs says which values differ.
func pairs(what string, x, y map[string]string) (why []string) {
	for _, k := range keys(x, y) {
		if x[k] != y[k] {
			why = append(why,
				fmt.Sprintf("its %s %s is %s, here %s", what, k, cmp.Or(x[k], "missing"), cmp.Or(y[k], "missing")))
		}
	}
	return why
}

// buildID decides by the build IDs of programs with the same build information whether they were
// compiled or only linked in another way. The build information does not have -ldflags with
// -trimpath. A build ID has four parts: of linking and of compiling, each with the hash of the
// inputs and of the output (cmd/go/internal/work/buildid.go).
func buildID(a, b []byte) string {
	x, y := idOf(a), idOf(b)
	p, q := strings.Split(x, "/"), strings.Split(y, "/")
	switch {
	case x == y:
		return "its build information and build ID are the same: " +
			"it was changed after it was linked, or by another toolchain that calls itself the same"
	case len(p) != 4 || len(q) != 4:
		return fmt.Sprintf("its build ID is %q, here %q: it was linked with other flags (ldflags)", x, y)
	case p[2] == q[2]:
		return "its build information is the same and so is its main package: " +
			"it was linked with other flags (ldflags), or by another linker"
	}
	return "its build information is the same: " +
		"its packages were compiled from other sources, with other flags, or by a changed compiler"
}

// idOf returns the build ID of a Go program.
func idOf(b []byte) string {
	if f, err := elf.NewFile(bytes.NewReader(b)); err == nil {
		defer f.Close()
		if s := f.Section(".note.go.buildid"); s != nil {
			if note, err := s.Data(); err == nil && len(note) > 16 {
				return strings.TrimRight(string(note[16:]), "\x00")
			}
		}
		return ""
	}
	_, after, ok := bytes.Cut(b[:min(len(b), 1<<20)], []byte("\xff Go build ID: \""))
	id, _, end := bytes.Cut(after, []byte("\"\n \xff"))
	if !ok || !end {
		return ""
	}
	return string(id)
}
