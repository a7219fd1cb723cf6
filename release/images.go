package release

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// NeededImage is an image that the bundles of a release include, with the places that name it.
type NeededImage struct {
	Reference string `json:"reference"`
	Product   bool   `json:"product"` // built by the product itself
	// Pinned reports whether a third-party image has a digest; the product's get theirs when
	// they are published.
	Pinned bool     `json:"pinned"`
	OS     []string `json:"os"` // of the bundles
	From   []string `json:"from"`
	// Omitted is why no bundle includes it.
	Omitted string   `json:"omitted,omitempty"`
	Groups  []string `json:"groups,omitempty"` // of images that it is in
}

// Images lists the images of a release of p: the product's, and those that manifests and images.txt
// name. No registry is asked.
func Images(ctx context.Context, p *product.Product) ([]NeededImage, error) {
	trees, err := assemble.Sources(ctx, p)
	if err != nil {
		return nil, err
	}
	complete, _, err := findImages(ctx, p, trees, nil)
	if err != nil {
		return nil, err
	}
	all := []NeededImage{}
	l := ownOnly(p, trees)
	for n, i := range l.Images {
		out := NeededImage{
			Reference: i.Tagged(),
			Product:   true, Groups: complete.Airgap.Members[i.Name],
			From: []string{fmt.Sprintf("%s:%d", product.File, p.Images[n].Pos.Line)},
		}
		out.OS = systems(p.Images[n].Platforms)
		all = append(all, out)
	}
	for _, t := range complete.Airgap.Images {
		out := NeededImage{Reference: t.Text, OS: t.OS, From: t.From, Omitted: t.Omitted, Groups: t.Groups}
		if out.OS == nil {
			out.OS = systems(p.Platforms)
		}
		_, out.Pinned = t.Reference.(name.Digest)
		all = append(all, out)
	}
	return all, nil
}

// systems are the operating systems of platforms.
func systems(list []platform.Platform) []string {
	var all []string
	for _, p := range list {
		if !slices.Contains(all, p.OS) {
			all = append(all, p.OS)
		}
	}
	return all
}

func hasDockerfile(i product.Image) bool { _, ok := i.Content.(*product.DockerfileImage); return ok }

// References returns the images that Dockerfiles of p name and slipway.yaml does not, for
// [base.Lock]. No registry is asked, and nothing stays on the disk except Go modules that the
// module cache lacked. unread are the reasons why the list may lack images.
func References(ctx context.Context, p *product.Product) (list []product.BaseImage, unread []error, err error) {
	if !slices.ContainsFunc(p.Images, hasDockerfile) {
		return nil, nil, nil
	}
	dir, err := disk.Scratch("")
	if err != nil {
		return nil, nil, fmt.Errorf("making a directory: %w", err)
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(dir)
	if err != nil {
		return nil, nil, err
	}
	list, err = assemble.Fetch(ctx, p, assemble.Options{Store: st}).References(ctx)
	return list, output.Split(err), ctx.Err()
}
