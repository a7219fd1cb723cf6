package transfer

import (
	"cmp"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// upload is one blob and where it goes: to the first repository by sending it, to the others by
// mounting it from there.
type upload struct {
	desc  v1.Descriptor
	image string         // whose blob it is, for messages
	from  name.Reference // where the registry may have it already; nil if nowhere
	repos []name.Repository

	push    *push
	tee     *tee   // shared with other destinations that lack it; nil if there are none
	offer   *offer // to other destinations on this registry; nil if it follows
	follows *offer // of another destination on this registry, which has it or is sent it
}

// listUploads lists each blob of what the registry lacks, the largest first, so that the last one
// to end is a small one. The order is the same for every destination.
func (p *push) listUploads() []*upload {
	byDigest := map[v1.Hash]*upload{}
	var all []*upload
	for _, i := range p.images {
		if i.skipped {
			continue
		}
		for _, m := range i.documents() {
			base := i.Bases[m.Desc.Digest]
			for _, d := range m.Blobs() {
				u := byDigest[d.Digest]
				if u == nil {
					u = &upload{desc: d, image: i.Name, push: p}
					byDigest[d.Digest] = u
					all = append(all, u)
				}
				switch {
				case i.done || i.has[m.Desc.Digest]:
					u.from = i.repo.Digest(m.Desc.Digest.String())
				case !slices.Contains(u.repos, i.repo):
					u.repos = append(u.repos, i.repo)
				}
				if u.from == nil && base != nil && base.Context().RegistryStr() == i.repo.RegistryStr() {
					u.from = base
				}
			}
		}
	}
	all = slices.DeleteFunc(all, func(u *upload) bool { return len(u.repos) == 0 })
	slices.SortFunc(all, func(a, b *upload) int {
		return cmp.Or(cmp.Compare(b.desc.Size, a.desc.Size), cmp.Compare(a.desc.Digest.Hex, b.desc.Digest.Hex))
	})
	return all
}

// present returns where the registry has blobs of documents that it has, by registry and digest.
func (p *push) present() map[string]name.Repository {
	all := map[string]name.Repository{}
	for _, i := range p.images {
		for _, m := range i.documents() {
			if !i.done && !i.has[m.Desc.Digest] {
				continue
			}
			for _, d := range m.Blobs() {
				all[i.repo.RegistryStr()+" "+d.Digest.String()] = i.repo
			}
		}
	}
	return all
}
