package audit

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
)

// Mended is a corrected index over the manifests of another one.
type Mended struct {
	Desc    v1.Descriptor
	Raw     []byte
	Changes []string // what differs, a line each; none if nothing had to be mended
}

// ErrNoIndex is about an image that is one manifest.
var ErrNoIndex = errors.New("it has no index to mend")

// Mend returns an index in which each entry has the platform of its image's configuration, each
// platform is there once, everything that is listed is there, and the newest Windows entries come
// first if hosts choose by the order. The rest of the document stays as it is. Of two images for
// one platform it keeps the first, which runtimes take.
func Mend(i lint.Index) (Mended, error) {
	if i.Single {
		return Mended{}, ErrNoIndex
	}
	var m Mended
	var kept []v1.Descriptor
	there := map[v1.Hash]bool{}
	for n, e := range i.Entries {
		remove := func(why string) { m.change(n, e.Desc, "is removed: "+why) }
		switch {
		case e.Missing:
			remove("it is not there")
			continue
		case e.Fault != nil:
			remove("it cannot be read")
			continue
		}
		d := e.Desc
		if about := d.Annotations[oci.ReferenceDigest]; about != "" {
			if h, err := v1.NewHash(about); err != nil || !there[h] {
				remove("what it is about is not in the index")
				continue
			}
			kept = append(kept, d)
			continue
		}
		if e.Config != nil {
			d.Platform = m.platform(n, d, e.Config)
		}
		if k := first(kept, d.Platform); k >= 0 {
			remove(fmt.Sprintf("%s is there before it for this platform", kept[k].Digest))
			continue
		}
		kept, there[d.Digest] = append(kept, d), true
	}
	if len(kept) == 0 {
		return m, errors.New("nothing of it could be kept")
	}
	m.order(kept)
	return m, m.write(i, kept)
}

// order puts the newest Windows entries first, in the places that Windows entries have, if hosts
// choose by the order (see [lint.Misordered]).
func (m *Mended) order(kept []v1.Descriptor) {
	var all []platform.Platform
	var places []int
	for n, d := range kept {
		p := platform.From(d.Platform)
		if all = append(all, p); p.OS == platform.Windows {
			places = append(places, n)
		}
	}
	if !lint.Misordered(all) {
		return
	}
	var sorted []v1.Descriptor
	for _, n := range places {
		sorted = append(sorted, kept[n])
	}
	slices.SortStableFunc(sorted, func(a, b v1.Descriptor) int {
		return cmp.Compare(platform.Build(b.Platform.OSVersion), platform.Build(a.Platform.OSVersion))
	})
	for k, n := range places {
		kept[n] = sorted[k]
	}
	m.Changes = append(m.Changes, "the Windows entries are in another order: the newest first")
}

// change notes what differs of an entry.
func (m *Mended) change(n int, d v1.Descriptor, what string) {
	name := d.Digest.String()
	if d.Platform != nil {
		name = platform.From(d.Platform).String() + ", " + name
	}
	m.Changes = append(m.Changes, fmt.Sprintf("entry %d (%s) %s", n, name, what))
}

// platform returns the platform of an entry as its image has it. What a configuration leaves out,
// such as a variant, stays as it is in the index.
func (m *Mended) platform(n int, d v1.Descriptor, config *v1.ConfigFile) *v1.Platform {
	p := v1.Platform{}
	if d.Platform != nil {
		p = *d.Platform
	}
	was := p
	same := p.OS == config.OS && p.Architecture == config.Architecture
	p.OS, p.Architecture = config.OS, config.Architecture
	if config.Variant != "" || !same {
		p.Variant = config.Variant
	}
	if config.OSVersion != "" || !same {
		p.OSVersion = config.OSVersion
	}
	if is := platform.FromConfig(config); !same || !platform.HasFeatures(platform.From(&p), is) {
		p.OSFeatures = is.V1().OSFeatures
	}
	if p.OS == "" || p.Architecture == "" {
		return d.Platform
	}
	if from, to := platform.From(&was).String(), platform.From(&p).String(); d.Platform == nil || from != to {
		m.change(n, d, "is for "+to)
	}
	return &p
}

// first returns the index of a descriptor for a platform, -1 for none.
func first(all []v1.Descriptor, p *v1.Platform) int {
	for n, d := range all {
		if d.Annotations[oci.ReferenceDigest] == "" && d.Platform != nil && p != nil && lint.SameEntry(d.Platform, p) {
			return n
		}
	}
	return -1
}

// write makes the document.
func (m *Mended) write(i lint.Index, kept []v1.Descriptor) error {
	if len(m.Changes) == 0 {
		m.Desc, m.Raw = i.Desc, i.Raw
		return nil
	}
	document := map[string]json.RawMessage{}
	if err := json.Unmarshal(i.Raw, &document); err != nil {
		return err
	}
	list, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	document["manifests"] = list
	if m.Raw, err = json.MarshalIndent(document, "", "  "); err != nil {
		return err
	}
	h, size, err := v1.SHA256(bytes.NewReader(m.Raw))
	m.Desc = v1.Descriptor{MediaType: i.Desc.MediaType, Digest: h, Size: size}
	if err == nil {
		_, err = oci.Parse(m.Desc, m.Raw)
	}
	return err
}
