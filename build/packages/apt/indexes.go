package apt

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/archive"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/debian"
	"github.com/slipway-dev/slipway/build/webfile"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/product"
)

// indexes are the Release files that were read in this run, by address and by the keys that may
// sign them: all stages see the same.
type indexes map[string]*release

// release is a suite of a repository at one time.
type release struct {
	*debian.Release

	locked product.LockedRepository
}

// The largest InRelease and list of packages that are read, in bytes: Debian's have 0.2 and 50 MB.
const (
	maxRelease  = 16 << 20
	maxPackages = 1 << 30
)

// sources reads the sources of a stage.
func sources(t *tree.Tree) (all []debian.Source, err error) {
	var files []string
	files = append(files, parts(t, "/etc/apt/sources.list.d", "list", "/etc/apt/sources.list")...)
	for _, name := range parts(t, "/etc/apt/sources.list.d", "sources", "") {
		if strings.HasSuffix(name, ".sources") {
			files = append(files, name)
		}
	}
	// apt reads sources.list first, and then the others in the order of their names
	slices.SortStableFunc(files, func(a, b string) int {
		return strings.Compare(strings.TrimPrefix(a, "/etc/apt/sources.list.d"), strings.TrimPrefix(b, "/etc/apt/sources.list.d"))
	})
	for _, name := range files {
		text, err := tree.ReadText(t, name)
		if err != nil {
			return nil, err
		}
		list, err := debian.ParseSources(name, string(text))
		if err != nil {
			return nil, err
		}
		all = append(all, list...)
	}
	if len(all) == 0 {
		return nil, errors.New("the stage has no sources in /etc/apt: apt-get would find no package, either")
	}
	return all, nil
}

// universe reads the packages that a stage can choose from.
func (p *Pin) universe(ctx context.Context, m *Manager, d decision, s debian.Settings) (
	*debian.Universe, map[*debian.Repository]product.LockedRepository, error,
) {
	arch, err := architecture(d.call.Platform)
	if err != nil {
		return nil, nil, err
	}
	list, err := sources(d.call.Tree)
	if err != nil {
		return nil, nil, err
	}
	foreign, err := foreignArchitectures(d.call.Tree, arch)
	if err != nil {
		return nil, nil, err
	}
	u := debian.NewUniverse(arch, foreign...)
	locked := map[*debian.Repository]product.LockedRepository{}
	for _, src := range list {
		rel, err := p.release(ctx, m, d.call.Tree, src, s)
		if err != nil {
			return nil, nil, err
		}
		for _, component := range src.Components {
			r := &debian.Repository{URL: src.URL, Suite: src.Suite, Component: component}
			r.Describe(rel.Release)
			locked[r] = rel.locked
			for _, a := range src.ArchitecturesOf(append([]string{arch}, foreign...)) {
				text, err := packagesOf(ctx, m, src, rel, component, a)
				if err != nil {
					return nil, nil, err
				}
				if err := u.Add(r, a, text); err != nil {
					return nil, nil, err
				}
			}
		}
	}
	if err := u.AddStatus(statusFile, d.status); err != nil {
		return nil, nil, err
	}
	states, err := tree.ReadText(d.call.Tree, extendedStates)
	if err != nil {
		return nil, nil, err
	}
	return u, locked, u.AddExtendedStates(extendedStates, string(states))
}

// foreignArchitectures are those that dpkg --add-architecture has added.
func foreignArchitectures(t *tree.Tree, native string) ([]string, error) {
	text, err := tree.ReadText(t, "/var/lib/dpkg/arch")
	return slices.DeleteFunc(strings.Fields(string(text)), func(a string) bool { return a == native }), err
}

// get reads a small file of an archive.
func get(ctx context.Context, c *network.Client, url string, limit int64) ([]byte, error) {
	r, err := c.Archive(ctx, url, nil)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = fmt.Errorf("it has more than %d bytes", limit)
	}
	return b, err
}

// release returns the suite of a source, verified.
func (p *Pin) release(ctx context.Context, m *Manager, t *tree.Tree, src debian.Source,
	s debian.Settings,
) (*release, error) {
	keys, err := keyrings(t, src)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, k := range keys {
		sum.Write(k.Data)
	}
	address := src.ReleaseURL("InRelease")
	id := address + " " + hex.EncodeToString(sum.Sum(nil))
	if rel, ok := p.indexes[id]; ok {
		return rel, nil
	}
	text, err := get(ctx, m.Client, address, maxRelease)
	if err != nil {
		return nil, fmt.Errorf("%s: reading the index of %s: %w", src.Pos, src, err)
	}
	parsed, key, err := debian.VerifyRelease(text, keys, p.Now)
	if err != nil && (src.Trusted || slices.Contains(m.Packages.Unsigned, src.URL)) {
		parsed, key, err = nil, "", nil
		if parsed, err = debian.ParseRelease(text); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", src.Pos, address, err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", src.Pos, address, err)
	}
	if err := m.notOlder(src, parsed.Date); err != nil {
		return nil, fmt.Errorf("%s: %s: %w", src.Pos, address, err)
	}
	digest := sha256.Sum256(text)
	rel := &release{parsed, product.LockedRepository{
		URL: src.URL, Suite: src.Suite, Date: parsed.Date.UTC(), SHA256: hex.EncodeToString(digest[:]), Key: key,
	}}
	if p.indexes == nil {
		p.indexes = indexes{}
	}
	p.indexes[id] = rel
	return rel, nil
}

// notOlder refuses an index that is older than one which packages.lock.yaml was made from: whoever
// serves an old index withholds what was mended since.
func (m *Manager) notOlder(src debian.Source, date time.Time) error {
	for _, e := range m.Locked {
		for _, p := range e.Packages {
			r := p.Repository
			if r.URL == src.URL && r.Suite == src.Suite && r.Date.After(date) {
				return fmt.Errorf("it is of %s, and %s was made from that of %s: use a mirror that is current",
					date.Format(time.RFC3339), product.PackagesLock, r.Date.Format(time.RFC3339))
			}
		}
	}
	return nil
}

// packagesOf returns the text of an index of packages. Its file stays in the store by its digest.
func packagesOf(ctx context.Context, m *Manager, src debian.Source, rel *release, component, arch string) (string, error) {
	f, err := rel.Index(component, arch)
	if err != nil {
		return "", fmt.Errorf("%s: %w", src.Pos, err)
	}
	h := v1.Hash{Algorithm: "sha256", Hex: f.SHA256}
	var urls []string
	if f.ByHash != "" {
		urls = append(urls, src.ReleaseURL(f.ByHash))
	}
	c, err := webfile.Archive(ctx, m.Store, m.Client, append(urls, src.ReleaseURL(f.Path)), f.Size, h)
	if err != nil {
		return "", fmt.Errorf("%s: the list of packages of %s: %w", src.Pos, src, err)
	}
	r, err := c.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	plain, err := archive.Decompress(r)
	if err != nil {
		return "", fmt.Errorf("%s: %w", src.ReleaseURL(f.Path), err)
	}
	defer plain.Close()
	var b bytes.Buffer
	n, err := io.Copy(&b, io.LimitReader(plain, maxPackages+1))
	if err == nil && n > maxPackages {
		err = fmt.Errorf("it has more than %d bytes", maxPackages)
	}
	if err != nil {
		return "", fmt.Errorf("unpacking %s: %w", src.ReleaseURL(f.Path), err)
	}
	return b.String(), nil
}
