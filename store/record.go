package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
)

// record is a record on disk. Its checksum includes the kind and the name of its file, so that a
// record under another name is invalid.
type record struct {
	Sum   string          `json:"sum"`
	Value json.RawMessage `json:"value"`
}

// Record stores v as JSON under a kind ("layer", "file") and a key that names every input of v. A
// value with a text that is not UTF-8, such as the name of a file, is not recorded, because JSON
// would have another one: it is made anew each time.
func (s *Store) Record(kind, key string, v any) error {
	value, err := json.Marshal(v)
	if err != nil || bytes.Contains(value, notText) {
		return err
	}
	name := recordName(key)
	b, err := json.Marshal(record{Checksum(kind, name, value), value})
	if err != nil {
		return err
	}
	p := filepath.Join("cache", kind, name)
	if err := disk.MkdirAll(filepath.Dir(filepath.Join(s.dir, p))); err != nil {
		return fmt.Errorf("recording %s: %w", kind, err)
	}
	if err := s.write(p, b); err != nil {
		return fmt.Errorf("recording %s: %w", kind, err)
	}
	return nil
}

// notText is what encoding/json writes for a byte that is not UTF-8, unlike for the character
// U+FFFD itself, which stays as it is.
var notText = []byte(`\ufffd`)

// Recall fills v with the record of kind and key, and reports whether there is one. A damaged
// record counts as none. What a record states of files was true when it was written; the caller
// checks that it still is.
func (s *Store) Recall(kind, key string, v any) (bool, error) {
	name := recordName(key)
	b, err := regular.Read(filepath.Join(s.dir, "cache", kind, name))
	if err != nil && !missing(err) {
		return false, fmt.Errorf("recalling %s: %w", kind, err)
	}
	if value, ok := readRecord(kind, name, b); err == nil && ok && json.Unmarshal(value, v) == nil {
		return true, nil
	}
	if s.behind == nil || kind == kindKept {
		return false, nil
	}
	found, err := s.behind.Recall(kind, key, v)
	return found && err == nil, nil // its records are a help
}

// Remember returns the record of kind and key if there is a valid one. Else it makes the value,
// and records it.
func Remember[T any](s *Store, kind, key string, valid func(T) bool, produce func() (T, error)) (T, error) {
	var v T
	if found, err := s.Recall(kind, key, &v); err != nil || found && valid(v) {
		return v, err
	}
	v, err := produce()
	if err == nil {
		err = s.Record(kind, key, v)
	}
	return v, err
}

// Forget removes a record that turned out to be wrong.
func (s *Store) Forget(kind, key string) {
	path := filepath.Join(s.dir, "cache", kind, recordName(key))
	os.Remove(path) //nolint:errcheck // whoever reads the record compares it with the disk
}

// readRecord returns the value of a record if its checksum is right.
func readRecord(kind, name string, b []byte) (value json.RawMessage, ok bool) {
	var r record
	if json.Unmarshal(b, &r) != nil || r.Sum != Checksum(kind, name, r.Value) {
		return nil, false
	}
	return r.Value, true
}

func recordName(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:]) + ".json"
}

// Checksum returns the checksum of the record in the file name with a value in JSON.
func Checksum(kind, name string, value []byte) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s/%s\n%s", kind, name, value)
	return hex.EncodeToString(h.Sum(nil))
}
