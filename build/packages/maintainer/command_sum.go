package maintainer

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"strings"
)

// sum prints or checks the sums of files.
func sum(c *call) (int, error) {
	name := path.Base(c.Args[0])
	algorithm := map[string]func() hash.Hash{
		"md5sum": md5.New, "sha1sum": sha1.New, "sha256sum": sha256.New, "sha512sum": sha512.New,
	}[name]
	if c.has("c") {
		return c.checkSums(algorithm)
	}
	args := c.args
	if len(args) == 0 {
		args = []string{"-"}
	}
	status := 0
	for _, file := range args {
		if file == "-" {
			h := algorithm()
			h.Write(c.In.All())
			if _, err := c.print(hex.EncodeToString(h.Sum(nil)) + "  -\n"); err != nil {
				return 0, err
			}
			continue
		}
		got, err := c.sumOf(file, algorithm())
		if err != nil {
			return 0, err
		}
		if got == "" {
			status, _ = c.fail("%s: No such file or directory", file)
			continue
		}
		if _, err := c.print(got + "  " + file + "\n"); err != nil {
			return 0, err
		}
	}
	return status, nil
}

// sumOf returns the sum of a file, which may be large; empty if there is none.
func (c *call) sumOf(name string, h hash.Hash) (string, error) {
	s, err := c.to(name)
	if err != nil || !s.regular() {
		return "", err
	}
	r, err := s.n.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	if _, err := io.Copy(h, r); err != nil {
		return "", fmt.Errorf("reading %s: %w", name, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func (c *call) checkSums(algorithm func() hash.Hash) (int, error) {
	text, status, err := c.all(c.args)
	if err != nil || status != 0 {
		return status, err
	}
	checked := 0
	for _, line := range lines(text) {
		want, file, ok := strings.Cut(line, " ")
		if !ok || len(file) < 2 {
			continue
		}
		file = file[1:]
		got, err := c.sumOf(file, algorithm())
		if err != nil {
			return 0, err
		}
		if got == "" && c.has("ignore-missing") {
			continue
		}
		checked++
		if got != want {
			status = 1
		}
		if !c.has("status", "quiet") || got != want && !c.has("status") {
			result := map[bool]string{true: "OK", false: "FAILED"}[got == want]
			if _, err := c.print(file + ": " + result + "\n"); err != nil {
				return 0, err
			}
		}
	}
	if checked == 0 {
		status = 1
	}
	return status, nil
}

// cmp compares two files.
func cmpCommand(c *call) (int, error) {
	texts, ok, err := c.inputs(c.args[:2])
	switch {
	case err != nil:
		return 0, err
	case !ok:
		return 2, nil
	case string(texts[0]) == string(texts[1]):
		return 0, nil
	case !c.has("s", "q"):
		return 1, errors.New("prints differences, which is not known here: " + instead)
	}
	return 1, nil
}
