package run

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/script"
	"github.com/slipway-dev/slipway/build/layer"
)

// checksumTool is sha256sum, and shasum -a 256, where they compare files.
func checksumTool(letters string) tool {
	return tool{
		options: letters + "\x01",
		long:    map[string]byte{"check": 'c', "binary": 'b', "text": 't', "status": 's', "quiet": 'q', "warn": 'w', "strict": 's', "algorithm": 'a', "ignore-missing": '\x01'},
		most:    many, reads: true, check: checkChecksum, run: checksum,
	}
}

func checkChecksum(o options, _ []string) error {
	switch {
	case !o.has("c"):
		return errors.New("without -c it prints a checksum, and compares nothing: write -c")
	case o.has("a") && o['a'] != "256":
		return mistake.At("-a", "-a %s is not known here: write -a 256", o['a'])
	}
	return nil
}

// maxSums bounds a file of checksums, in bytes.
const maxSums = 1 << 20

// checksum compares files with their checksums. For a download, this is the source of its digest.
func checksum(r *runner, o options, args []string) error {
	if len(args) == 0 {
		args = []string{"-"}
	}
	for _, name := range args {
		var text string
		var err error
		if name == "-" {
			text, err = r.input()
		} else {
			text, err = r.readText(name)
		}
		if err != nil {
			return err
		}
		if err := r.compare(text, name, o.has("\x01")); err != nil {
			return err
		}
	}
	return nil
}

// sumLine is a line of sha256sum: 64 digits, a space, a space or *, the name. tagLine is the form
// of BSD.
var (
	sumLine = regexp.MustCompile(`^([0-9a-fA-F]{64})( [ *]| )(.+)$`)
	tagLine = regexp.MustCompile(`^SHA256 ?\((.+)\) = ([0-9a-fA-F]{64})$`)
)

// compare compares the files that lines name with the checksums of the lines.
func (r *runner) compare(text, from string, ignoreMissing bool) error {
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
			return fmt.Errorf("%q is not a line of a checksum: write the 64 digits of its SHA-256, two spaces and the file", line)
		}
		s, err := r.find(name, true)
		switch {
		case err != nil:
			return err
		case s.n == nil && ignoreMissing && !r.unknown(s.p):
			continue
		}
		if s, err = r.spot(name, true); err != nil {
			return err
		}
		some = true
		if err := match256(s, v1.Hash{Algorithm: "sha256", Hex: strings.ToLower(digest)}); err != nil {
			return err
		}
	}
	if !some {
		return fmt.Errorf("%s has no checksum of a file that is there", from)
	}
	return nil
}

// match256 compares one file with its digest. A download gets the digest, and is compared when it
// is fetched.
func match256(s spot, want v1.Hash) error {
	if s.n.Kind != layer.Regular {
		return fmt.Errorf("%s is not a file", s.name)
	}
	if d, ok := s.n.Made.(*download); ok && (d.digest.Hex == "" || d.digest == want) {
		d.digest = want
		return nil
	}
	c, err := s.n.Content()
	switch {
	case err != nil:
		return err
	case c.Digest.Hex == "": // a check does not know every file
		return nil
	case c.Digest != want:
		return mistake.At(want.Hex, "%s has the checksum %s: correct the one in the line, or the file", s.name, c.Digest.Hex)
	}
	return nil
}

// input returns what the command before | prints.
func (r *runner) input() (string, error) {
	c := r.commands[r.at].Input
	if c == nil {
		return "", errors.New("it has no input: pipe a command into it, or name a file")
	}
	return r.prints(*c)
}

func notPrinted(name string) error {
	return fmt.Errorf("RUN %s: what it prints is not known here: write the text with echo or printf", name)
}

// refuseInput reports a command before | whose output is not known.
func refuseInput(c script.Command) error {
	if err := piped(c); err != nil {
		return err
	}
	for in := c.Input; in != nil; in = in.Input {
		if name := in.Args[0].Text; printer(name) == nil {
			return mistake.At(name, "%w", notPrinted(name))
		}
	}
	return nil
}

// readText returns the text of a small file.
func (r *runner) readText(name string) (string, error) {
	s, err := r.spot(name, true)
	if err != nil {
		return "", err
	}
	switch {
	case s.n.Kind != layer.Regular:
		return "", fmt.Errorf("%s is not a file", name)
	case s.p == r.writes:
		return "", mistake.At(name, "RUN %s: %s is read and written by the same command: write another file", r.commands[r.at].Args[0].Text, name)
	}
	c, err := s.n.Content()
	switch {
	case err != nil:
		return "", err
	case c.Size > maxSums:
		return "", fmt.Errorf("%s has more than %d bytes", name, maxSums)
	case c.Open == nil:
		return "", fmt.Errorf("%s: %w", name, errLater)
	}
	f, err := c.Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	all, err := io.ReadAll(f)
	return string(all), err
}
