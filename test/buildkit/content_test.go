//go:build linux

package buildkit

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"fmt"
	"regexp"
)

// contentOf describes the content of a file by its hash. Of a Go program it says as well what the
// toolchain recorded, and which main package of [mainOf] it is.
func contentOf(b []byte) string {
	sum := fmt.Sprintf("%x", sha256.Sum256(b))[:12]
	if !bytes.HasPrefix(b, []byte("\x7fELF")) && !bytes.HasPrefix(b, []byte("MZ")) {
		return sum
	}
	info, err := buildinfo.Read(bytes.NewReader(b))
	if err != nil {
		return sum
	}
	sum += " program by " + info.GoVersion
	for _, s := range info.Settings {
		sum += " " + s.Key + "=" + s.Value
	}
	return sum + " " + string(mainMark.Find(b))
}

// mainMark is what a main package of mainOf prints.
var mainMark = regexp.MustCompile(`<main [^>]*>`)

// byFiles matches a go build whose operand is a file. The toolchain calls such a package
// command-line-arguments, and Slipway compiles the package of that file, so that the bytes differ
// in this name.
var byFiles = regexp.MustCompile(`go\s+build[^&|;\n]*(\\\s*\n[^&|;\n]*)*\s[\w./-]+\.go\b`)

var programSum = regexp.MustCompile(`\w{12} program`)

// withoutSums takes the hashes of programs out of a tree.
func (t tree) withoutSums() tree {
	for p, what := range t {
		t[p] = programSum.ReplaceAllString(what, "program")
	}
	return t
}
