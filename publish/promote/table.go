package promote

import (
	"fmt"
	"io"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// WriteTable writes a line for each image, chart and floating tag, and the renamed references.
func (p *Promoted) WriteTable(w io.Writer) error {
	t := output.NewTable(w, "IMAGE\tDIGEST\t")
	for _, d := range p.Destinations {
		for _, i := range d.Images {
			t.Row("%s\t%s\t%s", i.Target, i.Digest, i.note())
		}
		for _, c := range d.Charts {
			t.Row("%s\t%s\t%s", c.Target, c.Digest, c.note())
		}
		for _, f := range d.FloatingTags {
			note := "kept: " + f.Reason
			if f.Moved {
				note = "moved: " + f.Reason
			}
			t.Row("%s\t%s\t%s", f.Reference, f.Digest, note)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, d := range p.Destinations {
		for _, o := range d.OmittedReferrers {
			output.Fprintf(w, "omitted: %s\n", o)
		}
		d.writeCharts(w)
		fmt.Fprintf(w, "%s: %d images and %d artifacts about them, %s sent in %d blobs\n", d.To,
			len(d.Images), d.Referrers, progress.Size(d.Bytes), d.Blobs)
		if r := d.Release; r != nil {
			for _, u := range r.Untouched {
				fmt.Fprintf(w, "not renamed: %s\n", u)
			}
			fmt.Fprintf(w, "%s: %d references renamed\n", r.Path, r.References)
		}
	}
	if p.ImagesYAML != "" {
		fmt.Fprintf(w, "%s: has the release\n", p.ImagesYAML)
		writeProofs(w, p.Proofs)
	}
	return nil
}

// writeCharts reports which images the charts at a destination name.
func (d Destination) writeCharts(w io.Writer) {
	for _, c := range d.Charts {
		for _, u := range c.Untouched {
			output.Fprintf(w, "not renamed: chart %s: %s\n", c.Target, u)
		}
		if c.References > 0 {
			output.Fprintf(w, "%s: %d values renamed; the original is %s\n", c.Target, c.References, c.Source)
		} else {
			output.Fprintf(w, "%s: names the images where they were published: "+
				"-charts=rename makes a chart that names those here\n", c.Target)
		}
	}
}

func (i Image) note() string {
	if i.Existed {
		return "existed"
	}
	return ""
}

// Proof is what reviewers of a pull request to https://github.com/kubernetes/k8s.io are shown of
// an image: the digest that its tags have at the source, and the manifests behind it. Maintainers
// paste the output of `crane manifest` for it (https://github.com/kubernetes/k8s.io/pull/4425).
type Proof struct {
	References []string   `json:"references"` // registry/repository:tag at the source
	Digest     v1.Hash    `json:"digest"`
	Manifests  []Manifest `json:"manifests"`
}

// Manifest is one manifest of an image that is proven.
type Manifest struct {
	Platform  platform.Platform `json:"platform"` // without a Windows release
	OSVersion string            `json:"osVersion,omitempty"`
	Digest    v1.Hash           `json:"digest"`
	Size      int64             `json:"size"` // bytes of the manifest
}

// Proofs returns the proofs of a lock's images, charts not among them, in the lock's order. Names
// are those below o.From.
func Proofs(l *lock.Lock, o Options) ([]Proof, error) {
	p, err := fromLock(l, o)
	if err != nil {
		return nil, err
	}
	var all []Proof
	for n, i := range p.lock.Published() {
		if i.Kind == lock.KindChart {
			continue
		}
		from := len(all)
		add := func(tag string, digest v1.Hash, has func(platform.Platform) bool) {
			reference := p.images[n].repo + ":" + tag
			at := slices.IndexFunc(all[from:], func(have Proof) bool { return have.Digest == digest })
			if at >= 0 {
				all[from+at].References = append(all[from+at].References, reference)
				return
			}
			proof := Proof{References: []string{reference}, Digest: digest, Manifests: []Manifest{}}
			for _, c := range i.Children {
				if has(c.Platform) {
					proof.Manifests = append(proof.Manifests,
						Manifest{c.Platform.System(), c.OSVersion, c.Digest, c.Size})
				}
			}
			all = append(all, proof)
		}
		for _, tag := range i.Tags {
			add(tag, i.Digest, func(platform.Platform) bool { return true })
		}
		for _, t := range i.PlatformTags {
			add(t.Tag, t.Digest, t.Has)
		}
	}
	return all, nil
}

// writeProofs writes proofs in Markdown, for the text of a pull request.
func writeProofs(w io.Writer, all []Proof) {
	for _, p := range all {
		fmt.Fprintln(w)
		for _, r := range p.References {
			output.Fprintf(w, "- `%s` is `%s`\n", r, p.Digest)
		}
		fmt.Fprintln(w, "\n| platform | os.version | manifest | bytes |\n|---|---|---|---|")
		for _, m := range p.Manifests {
			version := ""
			if m.OSVersion != "" {
				version = m.OSVersion + " "
			}
			output.Fprintf(w, "| %s | %s| `%s` | %d |\n", m.Platform, version, m.Digest, m.Size)
		}
	}
}
