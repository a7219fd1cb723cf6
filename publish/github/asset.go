package github

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
)

// asset is a file of a release as the API describes it.
type asset struct {
	ID    int64  `json:"id"`
	Name  string `json:"name"`
	Label string `json:"label"`
	// State is "uploaded" of a complete file. An upload that broke off leaves "starter", or an
	// asset without bytes.
	State  string `json:"state"`
	Size   int64  `json:"size"`
	Digest string `json:"digest"` // sha256:…; servers before 2025 lack it
}

// assets maps the assets of a release to the files that they are for, by name, or by the label
// with which they were sent.
func (g *GitHub) assets(ctx context.Context, id int64) ([]asset, error) {
	return list[asset](ctx, g, fmt.Sprintf("/releases/%d/assets", id))
}

// isFor reports whether the asset has the name of the file, or was renamed by GitHub.
func (a asset) isFor(f File) bool { return a.Name == f.Name || a.Label != "" && a.Label == f.Path }

func find(all []asset, f File) (asset, bool) {
	for _, a := range all {
		if a.isFor(f) {
			return a, true
		}
	}
	return asset{}, false
}

// equal reports whether an asset is complete and has the bytes of the file. An asset for which
// the server gives no digest is read.
func (g *GitHub) equal(ctx context.Context, a asset, f File) (bool, error) {
	if a.State != "uploaded" || a.Size != f.Size {
		return false, nil
	}
	if a.Digest != "" {
		return strings.EqualFold(a.Digest, f.Digest.String()), nil
	}
	var have string
	header := http.Header{}
	header.Set("Accept", "application/octet-stream")
	_, err := g.do(ctx, network.Request{
		Method: http.MethodGet, URL: fmt.Sprintf("%s/repos/%s/releases/assets/%d", g.api, g.repo, a.ID), Header: header,
		Use: func(r io.Reader) error {
			sum := sha256.New()
			_, err := io.Copy(sum, io.LimitReader(r, f.Size+1))
			have = hex.EncodeToString(sum.Sum(nil))
			return err
		},
	}, nil)
	if is(err, http.StatusNotFound) {
		return false, nil
	}
	return have == f.Digest.Hex, err
}

// remove deletes an asset. One that is already deleted is not an error.
func (g *GitHub) remove(ctx context.Context, a asset) error {
	return g.delete(ctx, fmt.Sprintf("/releases/assets/%d", a.ID))
}

// send uploads a file. After an attempt whose end is not known it asks for the asset, and removes
// another one.
func (g *GitHub) send(ctx context.Context, r *release, d *Dist, f File, task *progress.Task) error {
	first := true
	err := g.client.Redo(ctx, func() error {
		if !first {
			if done, err := g.clear(ctx, r.ID, f); done || err != nil {
				return err
			}
		}
		first = false
		err := g.upload(ctx, r, d, f, task)
		var e *apiError // also of a file that has the name already
		if is(err, http.StatusUnprocessableEntity) && errors.As(err, &e) && slices.Contains(e.codes, "already_exists") {
			return network.Lost{Err: err}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("sending %s: %w", f.Path, err)
	}
	return nil
}

// clear is done if the asset of a file has its bytes. Another asset under its name is removed.
func (g *GitHub) clear(ctx context.Context, id int64, f File) (done bool, err error) {
	all, err := g.assets(ctx, id)
	if err != nil {
		return false, err
	}
	a, ok := find(all, f)
	if !ok {
		return false, nil
	}
	if done, err = g.equal(ctx, a, f); done || err != nil {
		return done, err
	}
	return false, g.remove(ctx, a)
}

// upload sends a file once.
func (g *GitHub) upload(ctx context.Context, r *release, d *Dist, f File, task *progress.Task) error {
	u, err := g.uploads(r)
	if err != nil {
		return err
	}
	query := u.Query()
	query.Set("name", f.Name)
	if f.Name != f.Path {
		query.Set("label", f.Path)
	}
	u.RawQuery = query.Encode()
	header := http.Header{}
	header.Set("Content-Type", contentType(f.Name))
	meter := &progress.Meter{Task: task}
	var a asset
	_, err = g.do(ctx, network.Request{
		Method: http.MethodPost, URL: u.String(), Header: header, Once: true, Size: f.Size,
		Body: func() (io.ReadCloser, error) {
			meter.Rewind()
			file, err := regular.Open(d.local(f.Path))
			if err != nil {
				return nil, err
			}
			return body{io.TeeReader(file, meter), file}, nil
		},
	}, &a)
	if err == nil && (a.State != "uploaded" || a.Size != f.Size || a.Digest != "" && a.Digest != f.Digest.String()) {
		err = network.Lost{Err: fmt.Errorf("GitHub has %d bytes of %d in the state %.20q: run again",
			a.Size, f.Size, a.State)}
	}
	if err != nil {
		meter.Rewind()
	}
	return err
}

// body is what a request reads of a file.
type body struct {
	io.Reader
	io.Closer
}

// contentType is the type that browsers get for a file; the same on every machine.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".json":
		return "application/json"
	case ".txt", ".sh", ".ps1", ".yaml":
		return mime.FormatMediaType("text/plain", map[string]string{"charset": "utf-8"})
	case ".gz", ".tgz":
		return "application/gzip"
	case ".zst":
		return "application/zstd"
	case ".zip":
		return "application/zip"
	}
	return "application/octet-stream"
}
