package signature

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
)

// KeyFiles are the two files of a new key.
type KeyFiles struct {
	Private     string `json:"private"`
	Public      string `json:"public"`
	Fingerprint string `json:"fingerprint"`
}

// FilesOf returns the files of a new key whose names begin with a name. An existing one is an
// error.
func FilesOf(name string) (*KeyFiles, error) {
	k := &KeyFiles{Private: name + ".key", Public: name + ".pub"}
	for _, path := range []string{k.Private, k.Public} {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s exists: choose another NAME, since a lost key cannot be restored",
				path)
		}
	}
	return k, nil
}

// Generate makes a key and writes its files, and does not overwrite files.
func (k *KeyFiles) Generate(ctx context.Context, password []byte, say disk.Say) error {
	private, public, err := Generate(password)
	if err != nil {
		return err
	}
	p, err := ParsePublicKey(public)
	if err != nil {
		return err
	}
	k.Fingerprint = p.Fingerprint()
	held, err := disk.Lock(ctx, filepath.Dir(k.Private), say)
	if err != nil {
		return fmt.Errorf("writing the private key: %w", err)
	}
	defer held.Unlock()
	if err := disk.New(k.Private, private, disk.ModePrivate); err != nil {
		return fmt.Errorf("writing the private key: %w", err)
	}
	if err := disk.New(k.Public, public, disk.ModeFile); err != nil {
		os.Remove(k.Private) //nolint:errcheck // a key without its other half has no purpose
		return fmt.Errorf("writing the public key: %w", err)
	}
	return nil
}

// WriteTable says where the key is, and what it is called.
func (k *KeyFiles) WriteTable(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s signs releases, and %s verifies them: %s\n", k.Private, k.Public, k.Fingerprint)
	return err
}
