package promote

import (
	"fmt"
	"io"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

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
