package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/lint/nodes"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/report/changes"
)

// Release has the contents of a page. Unknown contents are nil or empty, and Unknown has the
// reason.
type Release struct {
	changes.Release // its Lock is nil for a bundle alone

	// Contents is the bundle with the most images: that for all platforms, if there is one.
	Contents *bundle.Contents
	Bundles  []bundle.File
	Deltas   []bundle.File // that make one of the bundles
	// Manifest is release.yaml, and Findings what lint finds in it.
	Manifest []byte
	Findings []Finding
	// Linted means that lint has read manifests.
	Linted bool
	// Charts are those of the release.
	Charts []*chart.Chart
	// Allow are findings that slipway.yaml allows.
	Allow []product.Allow
	// Statement is what the release was made from; nil if it is not known.
	Statement *provenance.Statement
	// Nodes states which nodes run it; nil if no nodes are known.
	Nodes *nodes.Report
	// Timeline is the record of the run that made it; nil if there is none.
	Timeline *Run
	// Keys are the fingerprints of the keys that have signed the release, as it states; none if it
	// has no evidence.
	Keys []string
	// Unknown lists what could not be known, and why.
	Unknown []string

	alone bool // a lock without the other files
}

// Read reads the directory of a release, its release.lock.json, or a bundle. Nothing is verified
// but that files can be read. Findings of the manifests that allow names are allowed.
func Read(ctx context.Context, path string, allow ...product.Allow) (*Release, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case fi.IsDir():
		r, err := readDir(path)
		if err != nil {
			return nil, err
		}
		r.Allow = allow
		return r, r.Complete(ctx)
	case strings.HasSuffix(path, ".json"):
		l, err := lock.Read(path)
		if err != nil {
			return nil, err
		}
		return &Release{alone: true, Release: changes.Release{Lock: l}, Unknown: []string{
			"Layers, bundles, files, modules and signatures: this page was made from a lock alone.",
		}}, nil
	}
	return readAlone(path)
}

// readAlone reads a bundle and nothing else.
func readAlone(path string) (*Release, error) {
	b, err := bundle.OpenAny(path)
	if err != nil {
		return nil, err
	}
	defer b.Close() //nolint:errcheck // it was only read
	f, err := bundleFile(path, b.Contents())
	if err != nil {
		return nil, err
	}
	c := f.Contents
	r := &Release{Contents: c, Bundles: []bundle.File{*f}, Unknown: []string{
		"Sources, bases, tags and modules: " +
			"this page was made from a bundle, which does not have the lock of the release.",
	}}
	r.Keys, err = evidence.Claims(evidence.Material{
		From: path, Images: c.Images,
		Open: func(h v1.Hash) (io.ReadCloser, error) { return bundle.OpenBlob(h, b) },
	})
	return r, err
}

func readBundle(path string) (*bundle.File, error) {
	c, err := bundle.Inspect(path)
	if err != nil {
		return nil, err
	}
	return bundleFile(path, c)
}

func bundleFile(path string, c *bundle.Contents) (*bundle.File, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return &bundle.File{Path: filepath.Base(path), Size: fi.Size(), Contents: c}, nil
}

// readDir reads what the directory of a release has.
func readDir(dir string) (*Release, error) {
	sums, err := evidence.Sums(dir)
	if err != nil {
		return nil, err
	}
	// a page is about one release
	if err := evidence.CheckListed(dir, sums, lock.Name, manifestName, evidence.Provenance,
		evidence.SignedProvenance); err != nil {
		return nil, err
	}
	l, err := lock.Read(filepath.Join(dir, lock.Name))
	if err != nil {
		return nil, err
	}
	described, err := changes.Read(dir, l)
	if err != nil {
		return nil, err
	}
	r := &Release{Release: described}
	if err := r.readBundles(dir, sums); err != nil {
		return nil, err
	}
	if err := r.readCharts(dir); err != nil {
		return nil, err
	}
	r.Manifest, err = regular.Read(filepath.Join(dir, manifestName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if r.Statement, err = readStatement(filepath.Join(dir, evidence.Provenance)); err != nil {
		return nil, err
	}
	key, err := evidence.ClaimFile(filepath.Join(dir, evidence.SignedProvenance))
	if err != nil {
		return nil, err
	}
	if key != "" {
		r.Keys = []string{key}
	}
	return r, nil
}

// readStatement reads a statement; nil if there is none.
func readStatement(path string) (*provenance.Statement, error) {
	text, err := regular.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // the page says less
	}
	if err != nil {
		return nil, err
	}
	s, err := provenance.Decode(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// readBundles reads the bundles that checksums list, and the deltas that make them.
func (r *Release) readBundles(dir string, sums map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		sum := sums[name]
		if !strings.HasSuffix(name, distfile.BundleSuffix) {
			continue
		}
		f, err := readBundle(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			r.Unknown = append(r.Unknown, "What "+name+" contains: it is not there.")
			continue
		}
		if err != nil {
			return err
		}
		f.SHA256 = sum
		if f.Gzip, err = readGzip(dir, name, sums); err != nil {
			return err
		}
		r.Bundles = append(r.Bundles, *f)
		path := filepath.Join(dir, name+bundle.DeltaSuffix)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		d, err := readBundle(path)
		if err != nil {
			return err
		}
		if d.Contents.Delta != nil && d.Contents.Delta.SHA256 == sum {
			r.Deltas = append(r.Deltas, *d)
		}
	}
	return nil
}

// readGzip finds the .tar.gz of a bundle; nil if the release lacks it, or the file is missing.
func readGzip(dir, name string, sums map[string]string) (*bundle.Archive, error) {
	name = strings.TrimSuffix(name, distfile.BundleSuffix) + distfile.GzipSuffix
	sum, listed := sums[name]
	if !listed {
		return nil, nil //nolint:nilnil // the page says less
	}
	fi, err := os.Stat(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // as above
	}
	if err != nil {
		return nil, err
	}
	return &bundle.Archive{Path: name, Size: fi.Size(), SHA256: sum}, nil
}

// readCharts reads the charts of the lock. One that is missing is not known.
func (r *Release) readCharts(dir string) error {
	for _, c := range r.Lock.Charts {
		f, err := regular.Open(filepath.Join(dir, c.File.Name))
		if errors.Is(err, fs.ErrNotExist) {
			r.Unknown = append(r.Unknown, "Findings in chart "+c.Name+": "+c.File.Name+" is not there.")
			continue
		}
		if err != nil {
			return err
		}
		read, err := chart.Read(c.File.Name, f)
		f.Close()
		if err != nil {
			return err
		}
		r.Charts = append(r.Charts, read)
	}
	return nil
}

// Complete fills in what follows from the lock, the bundles and the manifest: the bundle with the
// most layers, the findings, and what cannot be known.
func (r *Release) Complete(ctx context.Context) error {
	for _, list := range [][]bundle.File{r.Bundles, r.Deltas} {
		slices.SortFunc(list, func(a, b bundle.File) int { return strings.Compare(a.Path, b.Path) })
	}
	for n, f := range r.Bundles {
		if r.Contents == nil || f.Contents.Layers > r.Contents.Layers {
			r.Contents = r.Bundles[n].Contents
		}
	}
	if r.Contents == nil {
		r.Unknown = append(r.Unknown, "Layers: the directory has no bundle.")
	}
	if r.Modules == nil {
		r.Unknown = append(r.Unknown, "Modules of programs: the directory has no bill of materials.")
	}
	return r.judge(ctx)
}
