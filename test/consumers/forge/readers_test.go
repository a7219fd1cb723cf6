package forge

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/rancher/wharfie/pkg/tarfile"
	"github.com/sirupsen/logrus"
)

// RKE2's reader reports every lookup.
func init() { logrus.SetLevel(logrus.ErrorLevel) }

// readers are readers of this package, which stand for readers that are not here: each reads where
// others leave a choice.
func (w *world) readers() []taker {
	strict := reader{}
	zeros, first, fold, firstKey := strict, strict, strict, strict
	zeros.zeros, first.first, fold.fold, firstKey.firstKey = true, true, true, true
	return []taker{
		{"wharfie", w.wharfie, false},
		{"archive/tar", strict.take, false},
		{"a tar reader that skips zeros", zeros.take, false},
		{"a tar reader that takes the first member", first.take, false},
		{"a file system without case", fold.take, false},
		{"a JSON reader that takes the first key", firstKey.take, false},
		{allFields, takeFields, false},
	}
}

// allFields is a reader of annotations and other fields, and of the order of members. It reads
// bundles only: volumes and layouts have others.
const allFields = "a reader of all fields"

func takeFields(_ context.Context, file string) (held, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if raw, err = decompressed(raw); err != nil {
		return nil, err
	}
	h := held{"order": ""}
	tr := tar.NewReader(bytes.NewReader(raw))
	for {
		m, err := tr.Next()
		if err != nil {
			return h, nil //nolint:nilerr // what was read counts
		}
		h["order"] += m.Name + fmt.Sprint(m.ModTime.Unix(), m.Mode, m.Uid, m.Typeflag) + " "
		if !strings.HasPrefix(m.Name, "blobs/") {
			text, _ := io.ReadAll(io.LimitReader(tr, 1<<20)) // what was read counts
			h[m.Name] += string(text)
		}
	}
}

type reader struct {
	zeros    bool // reads behind zeros
	first    bool // the first member of a name counts
	fold     bool // names have no case
	firstKey bool
}

func (r reader) take(_ context.Context, file string) (held, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	raw, err = decompressed(raw)
	members, failed := r.members(raw)
	h := held{}
	for _, name := range []string{"index.json", "manifest.json"} {
		if text, ok := members[name]; ok {
			h.documents(name, text, func(v any) error {
				if r.firstKey {
					text = firstKeys(text)
				}
				return json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff")))).Decode(v)
			})
		}
	}
	return h, errors.Join(err, failed)
}

// decompressed returns what zstd or gzip yields up to an error.
func decompressed(raw []byte) ([]byte, error) {
	if bytes.HasPrefix(raw, []byte("\x1f\x8b")) {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	}
	if bytes.HasPrefix(raw[min(257, len(raw)):], []byte("ustar")) {
		return raw, nil
	}
	return unzstd(raw)
}

// members returns the content of each name.
func (r reader) members(raw []byte) (map[string][]byte, error) {
	all := map[string][]byte{}
	in := bytes.NewReader(raw)
	for in.Len() > 0 {
		tr := tar.NewReader(in)
		for {
			h, err := tr.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return all, err
			}
			name := strings.TrimPrefix(path.Clean("/"+h.Name), "/")
			if r.fold {
				name = strings.ToLower(name)
			}
			text, err := io.ReadAll(io.LimitReader(tr, 1<<20))
			if err != nil {
				return all, err
			}
			if h.Typeflag == tar.TypeLink || h.Typeflag == tar.TypeSymlink {
				text = all[strings.TrimPrefix(path.Clean("/"+h.Linkname), "/")]
			}
			if _, ok := all[name]; !ok || !r.first {
				all[name] = text
			}
		}
		if !r.zeros {
			return all, nil
		}
	}
	return all, nil
}

// documents adds the names of index.json or manifest.json.
func (h held) documents(file string, _ []byte, decode func(v any) error) {
	if file == "manifest.json" {
		var list []struct {
			Config   string
			RepoTags []string
			Layers   []string
		}
		decode(&list) //nolint:errcheck // what was read before an error counts
		for _, i := range list {
			for _, tag := range i.RepoTags {
				h["docker "+tag] = fmt.Sprint(i.Config, i.Layers)
			}
		}
		return
	}
	var index struct {
		Manifests []struct {
			Digest      string
			Annotations map[string]string
		}
	}
	decode(&index) //nolint:errcheck // what was read before an error counts
	for _, m := range index.Manifests {
		for _, key := range []string{"io.containerd.image.name", "org.opencontainers.image.ref.name"} {
			if n := m.Annotations[key]; n != "" {
				h[key+" "+n] = m.Digest
			}
		}
	}
}

// wharfie looks names up as RKE2 does, and reads what it finds.
func (w *world) wharfie(_ context.Context, file string) (h held, err error) {
	h = held{}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	dir, err := os.MkdirTemp("", "slipway-wharfie-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.Symlink(file, filepath.Join(dir, "images.tar.zst")); err != nil {
		return nil, err
	}
	for _, n := range w.names() {
		ref, err := name.NewTag(n)
		if err != nil {
			return nil, err
		}
		img, err := tarfile.FindImage(dir, ref)
		if err != nil {
			continue
		}
		config, err := img.RawConfigFile()
		if err != nil {
			continue
		}
		layers, err := img.Layers()
		if err != nil {
			continue
		}
		found := sum(config)
		for _, l := range layers {
			r, err := l.Uncompressed()
			if err != nil {
				continue
			}
			text, err := io.ReadAll(r)
			r.Close()
			if err == nil {
				found += " " + sum(text)
			}
		}
		h[n] = found
	}
	return h, nil
}
