package lint

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/lock"
)

// faultRules are the rules that references with a fault break.
var faultRules = map[lock.Fault]string{
	lock.Malformed: "image-reference", lock.KoName: "image-ko", lock.Unpinned: "image-unpinned",
	lock.TagAndDigest: "image-tag-and-digest", lock.OtherDigest: "image-digest", lock.Unknown: "image-unknown",
}

// resolve returns the image that a reference at a place names, or the problem with it, whose rule
// is "" if there is none. In a release a certain reference must have the form that the lock has.
func (k *known) resolve(at place, ref string, certain bool) (lock.CatalogImage, problem) {
	tagged, isTagged := k.images.FindTagged(ref)
	if r, err := name.ParseReference(ref); err == nil && isTagged {
		k.named[tagged.Name] = true
	} else if err == nil { // any of its repository
		for _, i := range k.images {
			if i.Repository.Name() == r.Context().Name() {
				k.named[i.Name] = true
			}
		}
	}
	strict := certain && k.release
	repository, digest, _ := strings.Cut(ref, "@")
	i, fault, what := k.images.Resolve(ref)
	if fault == lock.TagAndDigest && (!strict || k.chart) { // the form that values of charts have
		// runtimes ignore the tag
		i, fault, what = k.images.Resolve(repository[:strings.LastIndex(repository, ":")] + "@" + digest)
	}
	p := problem{place: at, rule: faultRules[fault], what: what, strict: strict}
	unpinnable := isTagged && tagged.Digest == "" && tagged.Unresolved != ""
	switch {
	case fault == lock.Malformed || fault == lock.KoName:
	case fault == lock.Unpinned && unpinnable && k.release && k.Lock != nil && k.Lock.Snapshot:
		return tagged, problem{} // a release to a registry requires the digest
	case k.missing[ref]:
		p.rule, p.what = "image-digest", fmt.Sprintf("the registry does not have %s", ref)
	case strict && fault == lock.NoFault && i.Child && !strings.HasSuffix(i.Reference, "@"+digest):
		p.rule = "image-digest"
		p.what = fmt.Sprintf("%s is one platform's manifest of %s: write %s", ref, i.Name, i.Reference)
	}
	return i, p
}
