package reproduce

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/release"
)

// comparison compares a release with its reproduction.
type comparison struct {
	report    *Report
	statement *provenance.Statement // of the release
	original  *Original
	made      *release.Rebuilt
	layers    map[[2]v1.Hash][]Cause // of pairs of layers that were compared
}

// run compares every subject by digest and name.
func (c *comparison) run(ctx context.Context) error {
	c.layers = map[[2]v1.Hash][]Cause{}
	known := map[string]bool{}
	for _, s := range c.statement.Subjects {
		known[s.Digest.SHA256] = true
		if again, ok := c.made.Statement.Subject(s.Digest.SHA256); ok && again.Name == s.Name {
			c.report.Equal++
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		d := Difference{Subject: s.Name, Platform: s.Annotations.Platform, SHA256: s.Digest.SHA256}
		if again, ok := named(c.made.Statement, s); ok {
			d.Made = again.Digest.SHA256
			causes, err := c.explain(s, again)
			if errors.Is(err, errAbsent) {
				causes, err = []Cause{{Why: "why is not known, since " + errAbsent.Error()}}, nil
			}
			if err != nil {
				return fmt.Errorf("comparing %s: %w", s.Name, err)
			}
			d.Causes = causes
		}
		c.report.Differences = append(c.report.Differences, d)
	}
	for _, s := range c.made.Statement.Subjects {
		if _, ok := named(c.statement, s); !ok && !known[s.Digest.SHA256] {
			c.report.Differences = append(c.report.Differences, Difference{
				Subject: s.Name, Made: s.Digest.SHA256,
				Causes: []Cause{{Why: "the statement of the release does not have it"}},
			})
		}
	}
	return nil
}

// named returns the subject of a statement with the name and kind of another.
func named(st *provenance.Statement, s provenance.Subject) (provenance.Subject, bool) {
	for _, o := range st.Subjects {
		if o.Name == s.Name && o.Annotations.Kind == s.Annotations.Kind {
			return o, true
		}
	}
	return provenance.Subject{}, false
}

// explain finds out why a subject differs.
func (c *comparison) explain(s, made provenance.Subject) ([]Cause, error) {
	was, is := hash(s), hash(made)
	switch s.Annotations.Kind {
	case provenance.KindManifest, provenance.KindChart:
		return c.manifest(was, is)
	case provenance.KindIndex:
		return c.index(was, is)
	}
	file := func() (io.ReadCloser, error) { return c.original.file(s.Name) }
	if s.Name != release.Manifest {
		return c.files("", file, c.madeBlob(is))
	}
	text, err := readAll(file)
	if err != nil {
		return nil, err
	}
	return lines(text, c.made.Manifest), nil
}

func hash(s provenance.Subject) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: s.Digest.SHA256} }

// index says which manifests of an index differ; these have causes of their own.
func (c *comparison) index(was, is v1.Hash) ([]Cause, error) {
	a, b, err := c.documents(was, is)
	if err != nil {
		return nil, err
	}
	var x, y v1.IndexManifest
	if err := errors.Join(json.Unmarshal(a, &x), json.Unmarshal(b, &y)); err != nil {
		return nil, err
	}
	var causes []Cause
	for n, m := range x.Manifests {
		if n < len(y.Manifests) && m.Digest != y.Manifests[n].Digest {
			causes = append(causes, Cause{Why: fmt.Sprintf("its manifest for %s differs", platformOf(m))})
		}
	}
	if len(causes) == 0 {
		causes = values("", a, b)
	}
	return causes, nil
}

func platformOf(d v1.Descriptor) string {
	if d.Platform == nil {
		return d.Digest.String()
	}
	return d.Platform.String()
}

// opener opens a file or a blob.
type opener = func() (io.ReadCloser, error)

func (c *comparison) originalBlob(h v1.Hash) opener {
	return func() (io.ReadCloser, error) { return c.original.blob(h) }
}

func (c *comparison) madeBlob(h v1.Hash) opener {
	return func() (io.ReadCloser, error) { return c.made.Store.Open(h) }
}

// documents reads a document of the release and its rebuilt counterpart.
func (c *comparison) documents(was, is v1.Hash) (a, b []byte, err error) {
	return both(c.originalBlob(was), c.madeBlob(is), readAll)
}

// both reads a blob of the release and its rebuilt counterpart.
func both[T any](was, is opener, read func(opener) (T, error)) (x, y T, err error) {
	if x, err = read(was); err != nil {
		return x, y, err
	}
	y, err = read(is)
	return x, y, err
}

// manifest compares two manifests layer by layer, and then their configurations.
func (c *comparison) manifest(was, is v1.Hash) ([]Cause, error) {
	a, b, err := c.documents(was, is)
	if err != nil {
		return nil, err
	}
	x, err := oci.Parse(v1.Descriptor{Digest: was, Size: int64(len(a))}, a)
	if err != nil {
		return nil, err
	}
	y, err := oci.Parse(v1.Descriptor{Digest: is, Size: int64(len(b))}, b)
	if err != nil {
		return nil, err
	}
	var causes []Cause
	if len(x.Layers) != len(y.Layers) {
		causes = append(causes, Cause{Why: fmt.Sprintf("it has %d layers, made here %d", len(x.Layers), len(y.Layers))})
	}
	for n := range min(len(x.Layers), len(y.Layers)) {
		if x.Layers[n].Digest == y.Layers[n].Digest {
			continue
		}
		found, err := c.layer(x.Layers[n], y.Layers[n])
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			f.Layer = n + 1
			causes = append(causes, f)
		}
	}
	if len(causes) > 0 || x.Config == nil || y.Config == nil {
		return causes, nil
	}
	if x.Config.Digest != y.Config.Digest {
		if a, b, err = c.documents(x.Config.Digest, y.Config.Digest); err != nil {
			return nil, err
		}
		return values("configuration", a, b), nil
	}
	return values("manifest", a, b), nil
}

// layer compares two layers, once.
func (c *comparison) layer(was, is v1.Descriptor) ([]Cause, error) {
	key := [2]v1.Hash{was.Digest, is.Digest}
	if found, ok := c.layers[key]; ok {
		return found, nil
	}
	found, err := c.files("", c.originalBlob(was.Digest), c.madeBlob(is.Digest))
	if err == nil {
		c.layers[key] = found
	}
	return found, err
}

// lines names the first lines that differ.
func lines(a, b []byte) []Cause {
	x, y := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	var causes []Cause
	for n := range min(len(x), len(y)) {
		if !bytes.Equal(x[n], y[n]) {
			causes = append(causes, Cause{Why: fmt.Sprintf("line %d is %.200q, made here %.200q", n+1, x[n], y[n])})
		}
		if len(causes) == maxCauses {
			return causes
		}
	}
	if len(x) != len(y) {
		causes = append(causes, Cause{Why: fmt.Sprintf("it has %d lines, made here %d", len(x), len(y))})
	}
	return causes
}

// maxCauses bounds the causes that are reported for one file or image.
const maxCauses = 10
