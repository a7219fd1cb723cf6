package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
)

// Record remembers v, as JSON, under a kind ("layer", "file") and a key that names everything v was made from.
func (s *Store) Record(kind, key string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	p := recordPath(kind, key)
	if err := disk.MkdirAll(filepath.Dir(filepath.Join(s.dir, p))); err != nil {
		return fmt.Errorf("recording %s: %w", kind, err)
	}
	if err := s.write(p, b); err != nil {
		return fmt.Errorf("recording %s: %w", kind, err)
	}
	return nil
}

// Recall fills v with what was recorded under kind and key and reports whether there was anything. A record that cannot be
// read counts as none: it is only a memory.
func (s *Store) Recall(kind, key string, v any) (bool, error) {
	b, err := os.ReadFile(filepath.Join(s.dir, recordPath(kind, key)))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("recalling %s: %w", kind, err)
	}
	return json.Unmarshal(b, v) == nil, nil
}

// recordPath is where a record is, relative to the store.
func recordPath(kind, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join("cache", kind, hex.EncodeToString(sum[:])+".json")
}
