package handoff

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/assemble/inputs"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/shard"
	"github.com/slipway-dev/slipway/store"
)

// archiveName is the name of the archive of a plan. Unlike the archive of inputs of the release, it
// also has what commits have: the machines of the shards have no git and no clone.
const archiveName = "inputs.tar.gz"

// Plan is a plan in a registry.
type Plan struct {
	*shard.Plan

	Ref name.Digest // of the artifact

	archive file
	client  network.Options
	store   *store.Store
}

// IsReference reports whether s names a plan in a registry, and not a file.
func IsReference(s string) bool { return strings.Contains(s, "@sha256:") }

// suffix ends the name of the repository of plans.
const suffix = "-plans"

// repository returns the repository of the artifacts of a product's releases.
func repository(p *shard.Plan) (name.Repository, error) {
	if len(p.Registries) == 0 {
		return name.Repository{}, errors.New("pushing the plan: a snapshot has no registry: name one with -registry")
	}
	return name.NewRepository(p.Registries[0] + "/" + p.Name + suffix)
}

// PushPlan puts a plan of p, and everything that its shards need, into the registry of the release.
// The store must be locked.
func PushPlan(ctx context.Context, st *store.Store, o network.Options, p *product.Product,
	plan *shard.Plan,
) (name.Digest, error) {
	repo, err := repository(plan)
	if err != nil {
		return name.Digest{}, err
	}
	if n := slices.IndexFunc(p.Images, func(i product.Image) bool {
		return slices.Contains(i.Repositories, p.Name+suffix)
	}); n >= 0 {
		return name.Digest{}, fmt.Errorf("pushing the plan: image %s has its repository %s: rename the image",
			p.Images[n].Name, repo)
	}
	archive, err := assemble.Inputs(ctx, p, nil, st) // nil: no commit is known, and all goes in
	if err != nil {
		return name.Digest{}, fmt.Errorf("pushing the plan: %w", err)
	}
	if len(archive.Outside) > 0 {
		return name.Digest{}, fmt.Errorf("pushing the plan: %s is outside of the product's repository, "+
			"where no other machine has it: move it", archive.Outside[0])
	}
	files := []file{{name: archiveName, digest: v1.Hash{Algorithm: "sha256", Hex: archive.SHA256}}}
	if files[0].size, err = st.Size(files[0].digest); err != nil {
		return name.Digest{}, err
	}
	text, err := plan.Encode()
	if err != nil {
		return name.Digest{}, err
	}
	h, err := st.PutBytes(text)
	if err != nil {
		return name.Digest{}, err
	}
	tree, err := pack(st, typePlan, append(files, file{name: stagefile.Plan.Name, digest: h, size: int64(len(text))}))
	if err != nil {
		return name.Digest{}, err
	}
	if err := push(ctx, st, o, repo.Tag(tag(tree.Desc.Digest, "")), tree, nil); err != nil {
		return name.Digest{}, fmt.Errorf("pushing the plan: %w", err)
	}
	return repo.Digest(tree.Desc.Digest.String()), nil
}

// tag returns the tag of an artifact that belongs to a plan.
func tag(plan v1.Hash, of string) string { return "plan-" + plan.Hex + of }

// Fetch brings a plan from a registry into a store, which must be locked while it is in use.
func Fetch(ctx context.Context, st *store.Store, o network.Options, ref string) (*Plan, error) {
	if _, _, ok := strings.Cut(ref, "@sha256:"); !ok {
		return nil, howto.Usage("%q is not a plan in a registry: name what slipway plan -push printed", ref)
	}
	d, err := name.NewDigest(ref)
	if err == nil {
		err = imagename.CheckRepository(d.Context().Name())
	}
	if err != nil {
		return nil, howto.Usage("%q is not a plan in a registry: %w: name what slipway plan -push printed", ref, err)
	}
	files, err := fetch(ctx, st, o, d, typePlan, "name what slipway plan -push printed")
	if err != nil {
		return nil, err
	}
	p := &Plan{Plan: &shard.Plan{}, Ref: d, client: o, store: st}
	text, err := find(files, stagefile.Plan.Name)
	if err == nil {
		p.archive, err = find(files, archiveName)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: no slipway made it", d, err)
	}
	b, err := st.Get(v1.Descriptor{Digest: text.digest, Size: text.size})
	if err != nil {
		return nil, err
	}
	if p.Plan, err = shard.Decode(b); err != nil {
		return nil, fmt.Errorf("%s: %w", d, err)
	}
	return p, nil
}

// Unpack unpacks the inputs of the product into a directory, which exists and is empty. path is
// that of slipway.yaml there, and again has the facts of git on the machine that made the plan.
func (p *Plan) Unpack(dir string) (path string, again *product.Rebuild, err error) {
	again = &product.Rebuild{SourceDateEpoch: p.SourceDateEpoch, Sources: map[string]product.RebuiltSource{}}
	for _, m := range p.Materials {
		switch {
		case m.URI == inputs.Name(p.Name, p.Version):
			path = m.Path
		case m.Name != "":
			again.Sources[m.Name] = p.source(dir, m)
		}
	}
	if path == "" || !filepath.IsLocal(filepath.FromSlash(path)) {
		return "", nil, fmt.Errorf("%s has slipway.yaml at %.100q: no slipway made it", p.Ref, path)
	}
	// Whatever is in this directory belongs to the product, as in its repository.
	if err := disk.MkdirAll(filepath.Join(dir, inputs.Product, ".git")); err != nil {
		return "", nil, err
	}
	f, err := p.store.Open(p.archive.digest)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	return filepath.Join(dir, filepath.FromSlash(path)), again, inputs.Extract(f, dir)
}

// source returns a source as the plan has it.
func (p *Plan) source(dir string, m lock.Material) product.RebuiltSource {
	s := product.RebuiltSource{
		Revision: m.Revision, Created: m.Created, Commit: m.GitCommit, In: m.Path,
		Proven: m.Proven,
	}
	if !m.Own && m.DirHash == "" {
		s.Directory = filepath.Join(dir, inputs.Sources, filepath.Base(m.Name))
	}
	return s
}
