package apt

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

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

// maxRelease bounds an InRelease, in bytes. Debian's has 0.2 MB.
const maxRelease = 16 << 20

// sources reads the sources of a stage.
func sources(t *tree.Tree, arch string) (all []debian.Source, err error) {
	var files []string
	files = append(files, parts(t, "/etc/apt/sources.list.d", "list", "/etc/apt/sources.list")...)
	for _, name := range parts(t, "/etc/apt/sources.list.d", "sources", "") {
		if strings.HasSuffix(name, ".sources") {
			files = append(files, name)
		}
	}
	// apt reads sources.list first, and then the others in the order of their names
	slices.SortStableFunc(files, func(a, b string) int {
		const dir = "/etc/apt/sources.list.d"
		return strings.Compare(strings.TrimPrefix(a, dir), strings.TrimPrefix(b, dir))
	})
	for _, name := range files {
		text, err := tree.ReadText(t, name)
		if err != nil {
			return nil, err
		}
		list, err := debian.ParseSources(name, string(text), arch)
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
	list, err := sources(d.call.Tree, arch)
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
		repositories := map[string]*debian.Repository{}
		for _, a := range architecturesOf(src, append([]string{arch}, foreign...)) {
			list, err := rel.Indexes(src.Components, a)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", at(src), err)
			}
			for _, index := range list {
				text, err := packagesOf(ctx, m, src, index)
				if err != nil {
					return nil, nil, err
				}
				r := repositories[index.Component]
				if r == nil {
					r = src.Repository(index.Component, rel.Release)
					repositories[index.Component], locked[r] = r, rel.locked
				}
				if err := u.Add(r, index.Arch, text); err != nil {
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
	keys, keyID, err := keyring(t, src)
	if err != nil {
		return nil, err
	}
	address := src.Base() + "/InRelease"
	id := address + "\n" + keyID
	if rel, ok := p.indexes[id]; ok {
		return rel, nil
	}
	check := debian.Check{Now: p.Now, NoValidUntil: s.NoValidUntil || src.NoValidUntil, NotBefore: m.newest(src)}
	parsed, err := m.read(ctx, src, keys, check)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", at(src), err)
	}
	rel := &release{parsed, product.LockedRepository{
		URL: src.URL, Suite: src.Suite, Date: parsed.Date.UTC(), SHA256: parsed.SHA256, Key: parsed.Fingerprint,
	}}
	if p.indexes == nil {
		p.indexes = indexes{}
	}
	p.indexes[id] = rel
	return rel, nil
}

// read reads the Release of a source, which is signed in itself, or by a file beside it.
func (m *Manager) read(ctx context.Context, src debian.Source, keys *debian.Keyring,
	check debian.Check,
) (*debian.Release, error) {
	unsigned := slices.Contains(m.Packages.Unsigned, src.URL)
	address := src.Base() + "/InRelease"
	text, err := get(ctx, m.Client, address, maxRelease)
	switch absent := (*network.StatusError)(nil); {
	case err == nil && unsigned:
		return debian.ReadUnsigned(address, text, check)
	case err == nil:
		return debian.VerifyRelease(address, text, keys, check)
	case !errors.As(err, &absent) || absent.Code != http.StatusNotFound:
		return nil, fmt.Errorf("reading %s: %w", address, err)
	}
	address = src.Base() + "/Release"
	text, other := get(ctx, m.Client, address, maxRelease)
	switch {
	case other != nil:
		return nil, fmt.Errorf("reading the index: %w: correct the source, or use another mirror", err)
	case unsigned:
		return debian.ReadUnsigned(address, text, check)
	}
	signature, err := get(ctx, m.Client, address+".gpg", maxRelease)
	if absent := (*network.StatusError)(nil); err != nil && !errors.As(err, &absent) {
		return nil, fmt.Errorf("reading %s.gpg: %w", address, err)
	}
	return debian.VerifyDetached(address, text, signature, keys, check)
}

// newest returns the date of the newest index of a source that packages.lock.yaml was made from:
// whoever serves an older one withholds what was mended since.
func (m *Manager) newest(src debian.Source) (date time.Time) {
	for _, e := range m.Locked {
		for _, p := range e.Packages {
			if r := p.Repository; r.URL == src.URL && r.Suite == src.Suite && r.Date.After(date) {
				date = r.Date
			}
		}
	}
	return date
}

// architecturesOf returns those of the architectures that a source is read for.
func architecturesOf(src debian.Source, all []string) []string {
	if len(src.Architectures) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(a string) bool { return !slices.Contains(src.Architectures, a) })
}

// packagesOf returns the text of an index of packages. Its file stays in the store by its digest.
func packagesOf(ctx context.Context, m *Manager, src debian.Source, f debian.Index) (string, error) {
	h := v1.Hash{Algorithm: "sha256", Hex: f.SHA256}
	var urls []string
	if f.ByHash != "" {
		urls = append(urls, src.Base()+"/"+f.ByHash)
	}
	c, err := webfile.Archive(ctx, m.Store, m.Client, append(urls, src.Base()+"/"+f.Path), f.Size, h)
	if err != nil {
		return "", fmt.Errorf("%s: %w: try again later, or use another mirror", at(src), err)
	}
	r, err := c.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	if err != nil {
		return "", err
	}
	text, err := f.Read(data)
	if err != nil {
		return "", fmt.Errorf("%s: %w", at(src), err)
	}
	return text, nil
}
