package run

import (
	"errors"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

func checkChecksum(o options, _ []string) error {
	switch {
	case !o.has("c"):
		return errors.New("without -c it prints a checksum, and compares nothing: write -c")
	case o.has("a") && o["a"] != "256":
		return mistake.At("-a", "-a %s is not supported: write -a 256", o["a"])
	}
	return nil
}

// checksum is sha256sum, and shasum -a 256, where they compare files with their checksums. For a
// download, this is the source of its digest.
func checksum(r *runner, o options, args []string) {
	if len(args) == 0 {
		args = []string{"-"}
	}
	for _, name := range args {
		read := func() string { return r.readText(name) }
		if name == "-" {
			read = func() string { return r.input(r.command()) }
		}
		r.compare(read(), name, o.has("ignore-missing"))
	}
}

// sumLine is a line of sha256sum: 64 digits, a space, a space or *, the name. tagLine is the form
// of BSD.
var (
	sumLine = lazyregexp.New(`^([0-9a-fA-F]{64})( [ *]| )(.+)$`)
	tagLine = lazyregexp.New(`^SHA256 ?\((.+)\) = ([0-9a-fA-F]{64})$`)
)

// compare compares the files that lines name with the checksums of the lines.
func (r *runner) compare(text, from string, ignoreMissing bool) {
	some := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		var digest, name string
		if m := sumLine.FindStringSubmatch(line); m != nil {
			digest, name = m[1], m[3]
		} else if m := tagLine.FindStringSubmatch(line); m != nil {
			digest, name = m[2], m[1]
		} else if line == "" || line[0] == '#' {
			continue
		} else {
			fail("%q is not a line of a checksum: write the 64 digits of its SHA-256, two spaces and the file", line)
		}
		if s := r.find(name, true); s.n == nil && ignoreMissing && !r.unknown(s.p) {
			continue
		}
		some = true
		match256(r.existing(name, true), v1.Hash{Algorithm: "sha256", Hex: strings.ToLower(digest)})
	}
	if !some {
		fail("%s has no checksum of a file that is there", from)
	}
}

// match256 compares one file with its digest. A download gets the digest, and is compared when it
// is fetched.
func match256(s lookup, want v1.Hash) {
	if !s.is(layer.Regular) {
		fail("%s is not a file", s.name)
	}
	if d, ok := s.n.Made.(*download); ok && (d.digest.Hex == "" || d.digest == want) {
		d.digest = want
		return
	}
	// a check does not know every file
	if c := must(s.n.Content()); c.Digest.Hex != "" && c.Digest != want {
		failAt(want.Hex, "%s has the checksum %s: correct the one in the line, or the file", s.name, c.Digest.Hex)
	}
}
