package oci

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/outcome"
)

// Open opens a blob by its digest. The error for what it lacks wraps [ErrAbsent].
type Open func(h v1.Hash) (io.ReadCloser, error)

// Get reads a document that open has, and compares it with its digest.
func (open Open) Get(d v1.Descriptor) ([]byte, error) {
	from, err := open(d.Digest)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	raw, err := io.ReadAll(io.LimitReader(from, MaxConfig+1))
	if err != nil {
		return nil, err
	}
	if got, _, err := v1.SHA256(bytes.NewReader(raw)); err != nil || got != d.Digest {
		return nil, outcome.Damage(fmt.Errorf("%s is damaged, or has more than %d MiB: get the files anew", d.Digest,
			MaxConfig>>20))
	}
	return raw, nil
}

// Else returns what reads the documents that open lacks with get. Where that fails, lacks says so.
func (open Open) Else(get Get, lacks func(d v1.Descriptor, err error) error) Get {
	return func(d v1.Descriptor) ([]byte, error) {
		raw, err := open.Get(d)
		if !errors.Is(err, ErrAbsent) {
			return raw, err
		}
		if raw, err = get(d); err != nil {
			return nil, lacks(d, err)
		}
		return raw, nil
	}
}
