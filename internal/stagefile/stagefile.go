// Package stagefile reads and writes the JSON files by which commands pass on a release: what
// slipway stage build made, a part of a release that slipway merge joins, and the lock of a
// release. Each kind has its own name and version key, so that a command that is given the wrong
// file can name the remedy.
package stagefile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/plainjson"
	"github.com/slipway-dev/slipway/internal/regular"
)

// Kind describes one kind of file.
type Kind struct {
	Name    string        // in dist/
	Version int           // the format that this code writes, and the newest it reads
	key     string        // the JSON key of the version
	what    string        // in messages
	remedy  func() string // advice if another kind is needed
}

// The kinds of files.
var (
	Build = Kind{
		Name: distfile.Build, Version: 1, key: "buildVersion", what: "what slipway stage build made",
		remedy: func() string { return "run " + howto.Run("stage publish") + " first" },
	}
	Part = Kind{
		Name: distfile.Part, Version: 1, key: "partVersion", what: "a part of a release",
		remedy: func() string { return "join all parts with " + howto.Run("merge") + " first" },
	}
	Lock = Kind{
		Name: distfile.Lock, Version: 1, key: "schemaVersion", what: "the lock of a release",
		remedy: func() string { return "" },
	}
)

// The kinds of files by which a release is divided among machines. A plan has any name.
var (
	Plan = Kind{
		Name: "plan.json", Version: 1, key: "planVersion", what: "a plan of shards",
		remedy: func() string { return "make a shard of it with " + howto.Run("release -plan=plan.json -shard=0") },
	}
	Weights = Kind{
		Name: distfile.Weights, Version: 1, key: "weightsVersion", what: "the weights of a release",
		remedy: func() string { return "give it to " + howto.Run("plan -shards=2 -weights=release.weights.json") },
	}
)

// Files is the journal of a release that is being made.
var Files = Kind{
	Name: distfile.Journal, Version: 1, key: "filesVersion", what: "the list of the files of a release",
	remedy: func() string { return "" },
}

// Run is the record of a run, which stays in the store.
var Run = Kind{
	Name: "release.run.json", Version: 1, key: "runVersion", what: "the record of a run",
	remedy: func() string { return "show it with " + howto.Run("report -run") },
}

// maxSize is the largest size of a file in bytes. Real files have a few hundred KiB.
const maxSize = 64 << 20

// Read reads a regular file into v. Errors are a newer version, an unknown field, a field that is
// there twice, trailing text and a file of another kind. The error names the file.
func (k Kind) Read(path string, v any) error { return k.read(path, v, regular.Open) }

// ReadGiven is [Kind.Read] for a path that a user has named by a flag, which may be a pipe.
func (k Kind) ReadGiven(path string, v any) error { return k.read(path, v, regular.OpenGiven) }

func (k Kind) read(path string, v any, open func(string) (*os.File, error)) error {
	f, err := open(path)
	var odd *regular.NotRegularError
	switch {
	case errors.As(err, &odd):
		return k.another(path, regular.Kind(odd.Mode))
	case errors.Is(err, syscall.EISDIR):
		return k.another(path, "a directory")
	case err != nil:
		return fmt.Errorf("reading %s: %w", k.what, err)
	}
	defer f.Close()
	if fi, err := f.Stat(); err == nil && fi.Mode().IsRegular() && fi.Size() == 0 {
		return k.another(path, "empty")
	}
	if err := k.Decode(f, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// another is the error for a path at which there is something else.
func (k Kind) another(path, is string) error {
	return fmt.Errorf("reading %s: %s is %s: name the %s of a release", k.what, path, is, k.Name)
}

// Decode reads at most 64 MiB from r into v.
func (k Kind) Decode(r io.Reader, v any) error {
	b, err := io.ReadAll(io.LimitReader(r, maxSize+1))
	if err != nil {
		return err
	}
	if len(b) > maxSize {
		return fmt.Errorf("the file is larger than %d MiB: it is not %s", maxSize>>20, k.what)
	}
	if err := k.identify(b); err != nil {
		return err
	}
	if err := plainjson.Check(b, v); err != nil {
		return k.Invalid(err)
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return k.Invalid(err)
	}
	return nil
}

// versions has the version keys of all kinds.
type versions struct {
	Build   int `json:"buildVersion"`
	Part    int `json:"partVersion"`
	Lock    int `json:"schemaVersion"`
	Plan    int `json:"planVersion"`
	Weights int `json:"weightsVersion"`
	Run     int `json:"runVersion"`
	Files   int `json:"filesVersion"`
}

// identify checks the version key, and refuses text after the JSON value.
func (k Kind) identify(b []byte) error {
	var head versions
	if err := json.Unmarshal(b, &head); err != nil {
		return k.Invalid(cmp.Or(plainjson.Check(b, nil), err))
	}
	found := map[string]int{
		Build.key: head.Build, Part.key: head.Part, Lock.key: head.Lock, Plan.key: head.Plan,
		Weights.key: head.Weights, Run.key: head.Run, Files.key: head.Files,
	}
	switch version := found[k.key]; {
	case version > k.Version:
		return fmt.Errorf("%s %d is newer than %d, which this slipway reads: use a newer slipway",
			k.key, version, k.Version)
	case version > 0:
		return nil
	}
	for _, other := range []Kind{Build, Part, Lock, Plan, Weights, Run, Files} {
		if found[other.key] < 1 {
			continue
		}
		if remedy := other.remedy(); remedy != "" {
			return fmt.Errorf("this is %s: %s", other.what, remedy)
		}
		return fmt.Errorf("this is %s: name %s, a %s", other.what, k.what, k.Name)
	}
	return k.Invalid(errors.New(k.key + " is missing"))
}

// Invalid wraps an error about the contents of a file.
func (k Kind) Invalid(err error) error { return fmt.Errorf("not %s: %w", k.what, err) }

// Encode returns the bytes of a file: indented JSON with a final newline.
func (k Kind) Encode(v any) ([]byte, error) {
	b, err := plainjson.Indent(v)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", k.what, err)
	}
	return b, nil
}

// Write writes a file atomically: it appears only when it is complete. The caller must have
// locked its directory.
func (k Kind) Write(path string, v any) error {
	b, err := k.Encode(v)
	if err != nil {
		return err
	}
	if err := disk.Write(path, b, disk.ModeFile); err != nil {
		return fmt.Errorf("writing %s: %w", k.what, err)
	}
	return nil
}
