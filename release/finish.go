package release

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/report"
	"github.com/slipway-dev/slipway/store"
)

// result has the results of all stages before the small files are written.
type result struct {
	made

	lock     *lock.Lock
	manifest []byte // release.yaml; nil for none
	bills    bills
	proof    proof
	packed
}

// finish writes the small files, and the checksums last: a directory with fresh SHA256SUMS is a
// complete release.
func (c *run) finish(ctx context.Context, r result) (*Summary, error) {
	page := c.page(ctx, r)
	defer page() //nolint:errcheck // the second call reports it
	written, err := c.writeDocuments(r)
	if err != nil {
		return nil, err
	}
	if err := r.lock.Write(filepath.Join(c.out, lock.Name)); err != nil {
		return nil, err
	}
	if err := c.writeInputs(r); err != nil {
		return nil, err
	}
	if err := c.writeArtifacts(ctx, r.lock); err != nil {
		return nil, err
	}
	if err := WriteCharts(c.store, r.lock, c.out); err != nil {
		return nil, err
	}
	if err := c.writeWeights(r.times); err != nil {
		return nil, err
	}
	if err := page(); err != nil {
		return nil, err
	}
	if err := Supersede(c.out, lock.Name); err != nil { // last: a part may be an input of this release
		return nil, err
	}
	names := r.names(written)
	if err := Sweep(c.options.Out, names, r.bundles, c.options.Progress); err != nil {
		return nil, err
	}
	if err := c.sums(ctx, r, names); err != nil {
		return nil, err
	}
	signatures, err := c.signSums(ctx, r.proof.signer)
	if err != nil {
		return nil, err
	}
	names = slices.Concat(names, []string{evidence.SumsName}, signatures)
	return summarize(c.options.Out, r.lock, r.demands, r.bundles, names)
}

// write writes a file of the release.
func (c *run) write(name string, data []byte, mode fs.FileMode) error {
	if err := disk.Write(filepath.Join(c.out, filepath.FromSlash(name)), data, mode); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// writeDocuments writes the bills, manifest, statements and scripts, and returns their names.
func (c *run) writeDocuments(r result) (names []string, err error) {
	if err := disk.MkdirAll(filepath.Join(c.out, distfile.SBOMs)); err != nil {
		return nil, fmt.Errorf("writing the bills of materials: %w", err)
	}
	write := func(name string, data []byte, mode fs.FileMode) {
		if data != nil && err == nil {
			names, err = append(names, name), c.write(name, data, mode)
		}
	}
	for _, b := range r.bills.documents {
		write(b.name, b.data, disk.ModeFile)
	}
	write(Manifest, r.manifest, disk.ModeFile)
	write(evidence.Provenance, r.proof.text, disk.ModeFile)
	write(evidence.SignedProvenance, r.proof.signed, disk.ModeFile)
	for _, s := range r.scripts {
		mode := disk.ModeFile
		if filepath.Ext(s.Name) == ".sh" {
			mode = disk.ModeProgram
		}
		write(s.Name, s.Data, mode)
	}
	return names, err
}

// writeInputs writes the archive of inputs.
func (c *run) writeInputs(r result) error {
	archive := distfile.Inputs(r.lock.Name, r.lock.Version)
	n := slices.IndexFunc(r.materials, func(m lock.Material) bool { return m.URI == archive })
	if n < 0 {
		return fmt.Errorf("writing %s: build did not make it: run again", archive)
	}
	return writeBlob(c.store, v1.Hash{Algorithm: "sha256", Hex: r.materials[n].SHA256}, c.out, archive)
}

// writeBlob writes a blob, which st has, to a file of a directory.
func writeBlob(st *store.Store, h v1.Hash, dir, name string) error {
	content := layer.Content{Digest: h, Open: func() (io.ReadCloser, error) { return st.Open(h) }}
	if err := program.Copy(content, filepath.Join(dir, name), disk.ModeFile); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// names returns the names of all files of the release in dist/, sorted, without the checksums.
// written are those of documents.
func (r result) names(written []string) []string {
	l := r.lock
	names := slices.Concat(written, r.lists, artifactNames(l.Artifacts))
	names = append(names, lock.Name, report.Name, distfile.Inputs(l.Name, l.Version))
	for _, c := range l.Charts {
		names = append(names, c.File.Name)
	}
	for _, b := range r.bundles {
		names = append(names, filepath.Base(b.List))
		for _, a := range b.Archives() {
			names = append(names, filepath.Base(a.Path))
		}
	}
	if r.program != (v1.Hash{}) {
		names = append(names, distfile.Program)
	}
	slices.Sort(names)
	return names
}

// sums writes SHA256SUMS of files in dist/. The digests of bundles, charts and artifacts are
// known from writing or reading the files in this run. All other files are read here, on all
// cores. A file that the table of files does not have is a mistake: the next release would not
// remove it.
func (c *run) sums(ctx context.Context, r result, names []string) error {
	table := Files(r.lock)
	for _, n := range names {
		if !slices.Contains(table, n) {
			return fmt.Errorf("writing %s: %s is not among the files of a release", evidence.SumsName, n)
		}
	}
	known := map[string]string{}
	for _, b := range r.bundles {
		for _, a := range b.Archives() {
			known[filepath.Base(a.Path)] = a.SHA256
		}
	}
	for _, a := range r.lock.Artifacts {
		known[a.File] = a.Digest.Hex
	}
	for _, c := range r.lock.Charts {
		known[c.File.Name] = c.File.Digest.Hex
	}
	known[distfile.Program] = r.program.Hex
	hexes := make([]string, len(names))
	err := each(len(names), func(i int) error {
		if hexes[i] = known[names[i]]; hexes[i] != "" {
			return nil
		}
		h, err := disk.Digest(ctx, filepath.Join(c.out, filepath.FromSlash(names[i])), nil)
		hexes[i] = h.Hex
		return err
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", evidence.SumsName, err)
	}
	var text strings.Builder
	for i, name := range names {
		fmt.Fprintf(&text, "%s  %s\n", hexes[i], name)
	}
	return c.write(evidence.SumsName, []byte(text.String()), disk.ModeFile)
}

// Targets returns the bundles of a product as package airgap packs them.
func Targets(a product.Airgap) []airgap.Target {
	var all []airgap.Target
	for _, b := range a.Bundles {
		t := airgap.Target{Name: b.Name, Platform: b.Platform, Groups: b.Groups, Base: b.Base, ListOnly: b.ListOnly}
		for _, g := range a.Groups {
			if slices.Contains(b.Groups, g.Name) {
				t.Charts = append(t.Charts, g.Charts...)
			}
		}
		all = append(all, t)
	}
	return all
}
