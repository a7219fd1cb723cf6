package base

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/progress"
	"github.com/slipway-dev/slipway/store"
)

// fetch brings the child for p of a base in a registry into the store, byte for byte.
func fetch(ctx context.Context, st *store.Store, pr *progress.Printer, ref name.Reference, p v1.Platform) (Base, error) {
	desc, err := remote.Get(ref, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, err)
	}
	img, err := choose(desc, p)
	if err != nil {
		return Base{}, fmt.Errorf("%s: %w", ref, err)
	}
	cf, err := img.ConfigFile()
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, err)
	}
	got := v1.Platform{OS: cf.OS, Architecture: cf.Architecture, OSVersion: cf.OSVersion, Variant: cf.Variant}
	if p.OS == platform.Windows && strings.Count(got.OSVersion, ".") != 3 {
		return Base{}, fmt.Errorf("%s: its os.version %q has not four parts, so no host can tell whether it runs: use a base that has", ref, got.OSVersion)
	}
	if !platform.Same(got, p) {
		return Base{}, fmt.Errorf("%s is an image for %s: name the right base for this platform", ref, platform.Format(got))
	}
	d, err := st.Add(ctx, img, pr.Start("fetching "+ref.String(), progress.Bytes, 0))
	if err != nil {
		return Base{}, fmt.Errorf("fetching %s: %w", ref, err)
	}
	local, err := st.Image(d.Digest)
	if err != nil {
		return Base{}, err
	}
	return Base{Image: local, Platform: got, Info: &lock.Base{Name: ref.String(), Digest: d.Digest}}, nil
}

// choose returns the image itself or the child of an index that is for p.
func choose(desc *remote.Descriptor, p v1.Platform) (v1.Image, error) {
	if !desc.MediaType.IsIndex() {
		return desc.Image()
	}
	idx, err := desc.ImageIndex()
	if err != nil {
		return nil, err
	}
	m, err := idx.IndexManifest()
	if err != nil {
		return nil, err
	}
	var have []string
	for _, c := range m.Manifests {
		if c.Platform == nil {
			continue
		}
		if platform.Same(*c.Platform, p) {
			return idx.Image(c.Digest)
		}
		have = append(have, platform.Format(*c.Platform))
	}
	return nil, fmt.Errorf("it has no image for this platform, only for %s", strings.Join(have, ", "))
}
