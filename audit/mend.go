package audit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

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
var ErrNoIndex = errors.New("it has no index to mend: its builder makes one")

// Mend returns an index without the findings of [lint.CheckIndexes] that another index over the
// same images can end. Each change is the answer to a finding: an entry that is not there, damaged
// or there twice is removed, and so is an attestation without what it is about; an entry gets the
// platform that its image's configuration has; the newest Windows entries come first. The rest of
// the document stays as it is.
//
// A document that could not be read is an error, and so is a finding that Mend cannot end.
func Mend(i lint.Index, o lint.IndexOptions) (Mended, error) {
	if i.Single {
		return Mended{}, ErrNoIndex
	}
	var m Mended
	for numbers := numbered(i); ; {
		r := lint.CheckIndexes([]lint.Index{i}, o)
		if err := r.Incomplete(); err != nil {
			return m, err
		}
		found := slices.DeleteFunc(r.Findings, func(f lint.Finding) bool { return !isMended(i, f) })
		if len(found) == 0 {
			return m, m.write(i)
		}
		changes := len(m.Changes)
		for _, step := range steps {
			i, numbers = m.step(i, numbers, slices.DeleteFunc(slices.Clone(found), func(f lint.Finding) bool {
				return !slices.Contains(step, f.Rule)
			}))
			if len(m.Changes) > changes {
				break
			}
		}
		if len(m.Changes) == changes {
			return m, stays(found)
		}
	}
}

// steps are the rules whose findings are answered together. Those of a step may come and go with
// an answer to one before: an entry is not a duplicate of a removed one, or is for another
// platform.
var steps = [][]string{
	{
		"index-missing", "index-unreadable", "evidence-lost", "index-no-platform", "index-platform-differs",
		"index-os-version", "index-os-version-differs",
	},
	{"index-duplicate"},
	{"index-order"},
}

// isMended reports whether another index has to end a finding: Mend fails where it cannot. What
// evidence-lost finds in referrers and tags stays. An index that lists no image has nothing left to
// mend.
func isMended(i lint.Index, f lint.Finding) bool {
	if n, ok := f.Entry(); f.Rule == "evidence-lost" {
		return ok && i.Entries[n].Desc.Annotations[oci.ReferenceDigest] != ""
	}
	if f.Rule == "index-empty" {
		return true
	}
	return slices.ContainsFunc(steps, func(step []string) bool { return slices.Contains(step, f.Rule) })
}

// stays is the error about findings that no other index ends.
func stays(found []lint.Finding) error {
	errs := []error{errors.New("this is for a builder to mend, or for -allow to allow")}
	for _, f := range found {
		if strings.Contains(f.Instead, "-fix") { // which is refused here
			f.Instead = "an index that its builder makes anew"
		}
		errs = append(errs, errors.New(f.String()))
	}
	return errors.Join(errs...)
}

// numbered returns the numbers of entries, as the index has them before it is mended.
func numbered(i lint.Index) []int {
	all := make([]int, len(i.Entries))
	for n := range all {
		all[n] = n
	}
	return all
}

// step answers findings, and does not change i.
func (m *Mended) step(i lint.Index, numbers []int, found []lint.Finding) (lint.Index, []int) {
	entries, removed := slices.Clone(i.Entries), map[int]bool{}
	for _, f := range found {
		n, ok := f.Entry()
		if !ok || removed[n] {
			continue
		}
		if f.Rule == "index-order" {
			m.order(entries)
			break
		}
		e := &entries[n]
		if e.Nested != nil && f.Rule == "index-duplicate" {
			continue // it may have other platforms, which nothing else has
		}
		switch f.Rule {
		case "index-missing", "index-unreadable", "index-duplicate", "evidence-lost":
			removed[n] = true
			m.change(numbers[n], e.Desc, "is removed: "+f.What)
		default:
			p := corrected(*e)
			if p == nil || equal(e.Desc.Platform, p) {
				continue
			}
			is := platform.From(p)
			if k := listed(entries, removed, n, is); k >= 0 {
				removed[n] = true
				m.change(numbers[n], e.Desc,
					fmt.Sprintf("is removed: its image is for %s, as entry %d is", is, numbers[k]))
				continue
			}
			m.change(numbers[n], e.Desc, "is for "+is.String())
			e.Desc.Platform = p
		}
	}
	i.Entries, numbers = without(entries, removed), without(numbers, removed)
	if i.Evidence != nil {
		i.Evidence = remaining(*i.Evidence, removed)
	}
	return i, numbers
}

// listed returns another entry that is for a platform, as its image is; -1 if there is none. Nodes
// take that one, and not the n-th. Of Windows entries it has no older revision. containerd takes
// one without a platform by its configuration, after those that have one.
func listed(entries []lint.Entry, removed map[int]bool, n int, on platform.Platform) int {
	right := platform.Same(platform.From(entries[n].Desc.Platform), on)
	for k, e := range entries {
		p := corrected(e)
		as, is := platform.From(e.Desc.Platform), platform.From(p)
		bare := as.IsZero() && e.Nested == nil && (entries[n].Desc.Platform != nil || k < n)
		if k == n || p == nil || removed[k] || !platform.Same(is, on) || !bare && !platform.Same(as, is) {
			continue
		}
		older := on.OS == platform.Windows && platform.Best(is, []platform.Platform{is, on}) == 1
		if !older && (!right || as.OSVersion == on.OSVersion && is == on) {
			return k
		}
	}
	return -1
}

// without returns a list without some of it.
func without[T any](list []T, removed map[int]bool) (all []T) {
	for n, one := range list {
		if !removed[n] {
			all = append(all, one)
		}
	}
	return all
}

// remaining returns evidence without that of entries which are removed.
func remaining(e lint.Evidence, removed map[int]bool) *lint.Evidence {
	var all []lint.Proof
	for _, p := range e.Proofs {
		if removed[p.Entry] {
			continue
		}
		before := 0
		for n := range removed {
			if n < p.Entry {
				before++
			}
		}
		p.Entry -= before
		all = append(all, p)
	}
	e.Proofs = all
	return &e
}

// corrected returns the platform of an entry as its image has it; nil if the image lacks one.
// Fields that a configuration omits, such as a variant, stay as in the index.
func corrected(e lint.Entry) *v1.Platform {
	if e.Config == nil || e.Config.OS == "" || e.Config.Architecture == "" {
		return nil
	}
	p := v1.Platform{}
	if e.Desc.Platform != nil {
		p = *e.Desc.Platform
	}
	is := platform.FromConfig(e.Config).Normal()
	same := p.OS == is.OS && p.Architecture == is.Architecture
	p.OS, p.Architecture = is.OS, is.Architecture
	if is.Variant != "" || !same {
		p.Variant = is.Variant
	}
	if is.OSVersion != "" || !same {
		p.OSVersion = is.OSVersion
	}
	if !same || !platform.HasFeatures(platform.From(&p), is) {
		p.OSFeatures = is.V1().OSFeatures
	}
	return &p
}

func equal(a, b *v1.Platform) bool {
	return a != nil && b != nil && platform.From(a) == platform.From(b)
}

// order puts the newest Windows entries first, in the places that Windows entries have.
func (m *Mended) order(entries []lint.Entry) {
	var sorted []lint.Entry
	for _, e := range entries {
		if isWindows(e) {
			sorted = append(sorted, e)
		}
	}
	before := slices.Clone(sorted)
	slices.SortStableFunc(sorted, func(a, b lint.Entry) int {
		return cmp.Compare(platform.Build(b.Desc.Platform.OSVersion), platform.Build(a.Desc.Platform.OSVersion))
	})
	if slices.EqualFunc(before, sorted, func(a, b lint.Entry) bool { return a.Desc.Digest == b.Desc.Digest }) {
		return
	}
	for n, e := range entries {
		if isWindows(e) {
			entries[n], sorted = sorted[0], sorted[1:]
		}
	}
	m.Changes = append(m.Changes, "the Windows entries are in another order: the newest first")
}

func isWindows(e lint.Entry) bool {
	return e.Desc.Platform != nil && e.Desc.Platform.OS == platform.Windows
}

// change notes what differs of an entry.
func (m *Mended) change(n int, d v1.Descriptor, what string) {
	name := d.Digest.String()
	if d.Platform != nil {
		name = platform.From(d.Platform).String() + ", " + name
	}
	m.Changes = append(m.Changes, fmt.Sprintf("entry %d (%s) %s", n, name, what))
}
