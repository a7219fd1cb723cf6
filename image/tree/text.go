package tree

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"

	"github.com/slipway-dev/slipway/image/layer"
)

// MaxText bounds a file that is read as a whole to be edited, in bytes. The largest that packages
// maintain, /var/lib/dpkg/status, has about 1 KiB a package.
const MaxText = 32 << 20

// ReadText returns the content of a regular file, following symbolic links; nil where nothing is.
func ReadText(f Files, p string) ([]byte, error) {
	at, n, err := Resolve(f, p)
	if err != nil || n == nil {
		return nil, err
	}
	if n.Kind != layer.Regular || n.Odd != "" {
		return nil, fmt.Errorf("%s is not a regular file", at)
	}
	c, err := n.Content()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", at, err)
	}
	if c.Size > MaxText {
		return nil, fmt.Errorf("%s has more than %d bytes", at, MaxText)
	}
	r, err := c.Open()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", at, err)
	}
	defer r.Close()
	text := bytes.NewBuffer(make([]byte, 0, c.Size+bytes.MinRead))
	if _, err := text.ReadFrom(r); err != nil {
		return nil, fmt.Errorf("reading %s: %w", at, err)
	}
	return text.Bytes(), nil
}

// WriteText writes a whole file, following symbolic links. A file that exists keeps its mode and
// owner; a new one belongs to root and has the given mode. Directories above it are made.
func (t *Tree) WriteText(p string, text []byte, mode fs.FileMode) error {
	at, n, err := Resolve(t, p)
	if err != nil {
		return err
	}
	k := Node{Kind: layer.Regular, Mode: mode}
	if n != nil {
		if n.Kind != layer.Regular || n.Odd != "" {
			return fmt.Errorf("%s is not a regular file", at)
		}
		k.Mode, k.UID, k.GID = n.Mode, n.UID, n.GID
	}
	c := layer.Bytes(text)
	k.size, k.Content = c.Size, func() (layer.Content, error) { return c, nil }
	if err := t.MkdirAll(path.Dir(at), Root); err != nil {
		return err
	}
	return t.Set(at, &k)
}

// Sized returns a copy of a node whose content has a known size in bytes, so that limits count it
// before it is read.
func (n Node) Sized(size int64) *Node {
	n.size = size
	return &n
}
