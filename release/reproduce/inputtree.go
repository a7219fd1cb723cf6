package reproduce

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble/inputs"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// inputTree is a directory with the inputs of a release.
type inputTree struct {
	options Options
	dir     string
	store   string // directory of the store
	rebuild *product.Rebuild
}

// make checks out the commits, and unpacks the archive of inputs over them.
func (s *inputTree) make(ctx context.Context) error {
	root := filepath.Join(s.dir, inputs.Product)
	if err := disk.MkdirAll(s.dir); err != nil {
		return err
	}
	for _, d := range s.options.Statement.Predicate.BuildDefinition.ResolvedDependencies {
		if d.Annotations.Kind != provenance.KindSource || strings.HasPrefix(d.URI, "pkg:") {
			continue
		}
		if err := s.source(ctx, d, root); err != nil {
			return fmt.Errorf("source %s: %w", d.Annotations.Source, err)
		}
	}
	// Whatever is in this directory belongs to the product, as in its repository.
	if err := disk.MkdirAll(filepath.Join(root, ".git")); err != nil {
		return err
	}
	f, err := regular.OpenGiven(s.options.Inputs)
	if err != nil {
		return fmt.Errorf("opening the archive of inputs: %w: name it with -inputs", err)
	}
	defer f.Close()
	if err := s.compareArchive(f); err != nil {
		return err
	}
	return inputs.Extract(f, s.dir)
}

// compareArchive compares the archive with the statement, and rewinds it.
func (s *inputTree) compareArchive(f *os.File) error {
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	got := hex.EncodeToString(h.Sum(nil))
	def := s.options.Statement.Predicate.BuildDefinition
	for _, d := range def.ResolvedDependencies {
		if d.URI == def.ExternalParameters.Inputs && d.Annotations.Kind == "" {
			if d.Digest.SHA256 != got {
				return fmt.Errorf("%s has SHA-256 %s, and the release was made from %s: get the "+
					"archive of this release, or ask its maintainer why it has changed", f.Name(), got, d.Digest.SHA256)
			}
			_, err := f.Seek(0, io.SeekStart)
			return err
		}
	}
	return fmt.Errorf("its statement names no archive of inputs")
}

// source records a directory source for the build, and checks it out if it is known by a commit.
func (s *inputTree) source(ctx context.Context, d provenance.Dependency, root string) error {
	a := d.Annotations
	created, err := time.Parse(time.RFC3339, a.Created)
	if err != nil {
		return fmt.Errorf("its time %q is malformed", a.Created)
	}
	again := product.RebuiltSource{Revision: a.Revision, Created: created}
	switch {
	case d.Digest.GitCommit != "":
		to := root
		if !a.Own {
			to = filepath.Join(s.dir, inputs.Sources, filepath.Base(a.Source))
			if !filepath.IsLocal(filepath.FromSlash(a.Path)) {
				return fmt.Errorf("its path %q leads out of its repository", a.Path)
			}
			again.Directory = filepath.Join(to, filepath.FromSlash(a.Path))
		}
		if _, err := os.Stat(filepath.Join(to, ".git")); err == nil {
			break // two sources of the product's repository
		}
		if err := s.checkout(ctx, d, to); err != nil {
			return err
		}
	case !a.Own:
		if !filepath.IsLocal(filepath.FromSlash(a.Path)) {
			return fmt.Errorf("its path %q leads out of the archive", a.Path)
		}
		again.Directory = filepath.Join(s.dir, filepath.FromSlash(a.Path))
	}
	s.rebuild.Sources[a.Source] = again
	return nil
}

// checkRepositories reports a repository of which the release has no source.
func (o *Options) checkRepositories() error {
	for name, where := range o.Repositories {
		if !slices.ContainsFunc(o.Statement.Predicate.BuildDefinition.ResolvedDependencies,
			func(d provenance.Dependency) bool {
				return d.Digest.GitCommit != "" && (name == d.Annotations.Source || name == "" && d.Annotations.Own)
			}) {
			given := strings.TrimPrefix(name+"="+where, "=")
			return howto.Usage("-repository=%s has no effect: the statement names no such source in a git "+
				"repository: leave it out", given)
		}
	}
	return nil
}

// checkout checks a source out. The user's repositories are asked with the user's settings, those
// that the statement names only if it is signed, over HTTPS and without credentials.
func (s *inputTree) checkout(ctx context.Context, d provenance.Dependency, to string) error {
	name, hash := d.Annotations.Source, d.Digest.GitCommit
	if !gitHash.MatchString(hash) {
		return fmt.Errorf("its commit %.100q is malformed", hash)
	}
	if r := s.options.Repositories[name]; r != "" {
		return git.Checkout(ctx, r, to, hash)
	}
	if r := s.options.Repositories[""]; r != "" && d.Annotations.Own {
		return git.Checkout(ctx, r, to, hash)
	}
	address, ok := strings.CutPrefix(d.URI, "git+")
	if !ok {
		return fmt.Errorf("it is commit %s of a repository that the statement does not name: "+
			"name a clone with -repository=%s=DIRECTORY", hash, name)
	}
	give := fmt.Sprintf("name a clone or the address with -repository=%s=…", name)
	if err := git.CheckAddress(address); err != nil {
		return fmt.Errorf("it is commit %s, and %w: %s", hash, err, give)
	}
	if !s.options.Signed {
		return fmt.Errorf("it is commit %s of %s, which is not asked since the statement was not verified: "+
			"name the key with -key, or %s", hash, address, give)
	}
	if err := git.CheckoutPublic(ctx, address, to, hash); err != nil {
		return fmt.Errorf("%w: %s", err, give)
	}
	return nil
}

var gitHash = lazyregexp.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

// shipped opens what the release has of bases and third-party images: documents of bases in its
// statement, everything else in its bundles. A bundle has the layers of a base within its images.
func (s *inputTree) shipped() (oci.Open, error) {
	documents := map[v1.Hash][]byte{}
	for _, d := range s.options.Statement.Predicate.BuildDefinition.ResolvedDependencies {
		if d.Annotations.Kind != provenance.KindDocument {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(d.Content)
		if sum := sha256.Sum256(raw); err != nil || hex.EncodeToString(sum[:]) != d.Digest.SHA256 {
			return nil,
				fmt.Errorf("its statement has a content of %s that does not have the digest: ask the maintainer", d.URI)
		}
		documents[v1.Hash{Algorithm: "sha256", Hex: d.Digest.SHA256}] = raw
	}
	return func(h v1.Hash) (io.ReadCloser, error) {
		if raw, ok := documents[h]; ok {
			return io.NopCloser(bytes.NewReader(raw)), nil
		}
		return s.options.Original.open(h)
	}, nil
}

// digest returns the digest that the statement has of a third-party image by tag.
func (s *inputTree) digest(tag name.Tag) (v1.Hash, bool) {
	for _, d := range s.options.Statement.Predicate.BuildDefinition.ResolvedDependencies {
		h := v1.Hash{Algorithm: "sha256", Hex: d.Digest.SHA256}
		bundled, err := imagename.Bundled(tag.Name(), h)
		if d.Annotations.Kind == provenance.KindImage && err == nil && slices.Contains(d.Annotations.Names, bundled) {
			return h, true
		}
	}
	return v1.Hash{}, false
}

// file returns the digest that the statement has of a manifest that was taken out of a file.
func (s *inputTree) file(text string, on platform.Platform) (v1.Hash, bool) {
	for _, d := range s.options.Statement.Predicate.BuildDefinition.ResolvedDependencies {
		a := d.Annotations
		p, err := platform.Parse(a.Platform)
		if (a.Kind == provenance.KindPrebuilt || a.Kind == provenance.KindBase) && err == nil &&
			d.URI == purl.ImageFile(text) && platform.Same(p, on) {
			return v1.Hash{Algorithm: "sha256", Hex: d.Digest.SHA256}, true
		}
	}
	return v1.Hash{}, false
}
