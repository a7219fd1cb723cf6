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

	"github.com/google/renameio/v2/maybe"
)

// Record remembers v, as JSON, under a kind ("layer", "file") and a key that names everything v was made from.
func (s *Store) Record(kind, key string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	p := s.recordPath(kind, key)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		return fmt.Errorf("recording %s: %w", kind, err)
	}
	if err := maybe.WriteFile(p, b, 0o644); err != nil {
		return fmt.Errorf("recording %s: %w", kind, err)
	}
	return nil
}

// Recall fills v with what was recorded under kind and key and reports whether there was anything. A record that cannot be
// read counts as none: it is only a memory.
func (s *Store) Recall(kind, key string, v any) (bool, error) {
	b, err := os.ReadFile(s.recordPath(kind, key))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("recalling %s: %w", kind, err)
	}
	return json.Unmarshal(b, v) == nil, nil
}

func (s *Store) recordPath(kind, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(s.dir, "cache", kind, hex.EncodeToString(sum[:])+".json")
}
