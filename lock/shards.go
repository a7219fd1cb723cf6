package lock

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/howto"
)

// checkShards checks that parts are all shards of one plan, or none is a shard. A shard that was
// made twice must be the same both times.
func checkShards(parts []*Part) error {
	first := slices.IndexFunc(parts, func(p *Part) bool { return p.Shard != nil })
	if first < 0 {
		return nil
	}
	plan := parts[first].Shard
	by := map[int]*Part{}
	for _, p := range parts {
		s := p.Shard
		switch {
		case s == nil:
			return fmt.Errorf("%s is not a shard, and %s is shard %d of %d: "+
				"name all shards of one plan, and nothing else",
				p.title(), parts[first].title(), plan.Number, plan.Of)
		case s.Plan != plan.Plan || s.Of != plan.Of:
			return fmt.Errorf("%s and %s are of different plans: make all shards by one plan", parts[first].title(),
				p.title())
		case s.Number < 0 || s.Number >= s.Of:
			return fmt.Errorf("%s is shard %d, and its plan has %d of them: make it again", p.title(), s.Number, s.Of)
		}
		if other := by[s.Number]; other != nil {
			if what := other.differs(p); what != "" {
				return fmt.Errorf("shard %d was made twice, and differently: %s: find out which "+
					"machine is wrong (slipway reproduce), and name the part of the other", s.Number, what)
			}
			continue
		}
		by[s.Number] = p
	}
	var missing []string
	for n := range plan.Of {
		if by[n] == nil {
			missing = append(missing, fmt.Sprint(n))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("of %d shards these are missing: %s: make each with %s, and name its part, too",
			plan.Of, strings.Join(missing, ", "), howto.Run("release -plan=plan.json -shard="+missing[0]))
	}
	return nil
}

// title names a part in messages.
func (p *Part) title() string {
	if p.Path == "" {
		return "a part"
	}
	return p.Path
}

// differs returns the first difference between two parts that should be the same; "" if there is
// none.
func (p *Part) differs(o *Part) string {
	a, b := p.digests(), o.digests()
	for _, all := range [][]made{a, b} {
		for _, m := range all {
			x, y := digestOf(a, m.what), digestOf(b, m.what)
			if x != y {
				return fmt.Sprintf("%s is %s in %s and %s in %s", m.what, x, p.title(), y, o.title())
			}
		}
	}
	return ""
}

// made is something with a digest.
type made struct{ what, digest string }

func digestOf(all []made, what string) string {
	m, ok := first(all, func(m made) bool { return m.what == what })
	if !ok {
		return "missing"
	}
	return m.digest
}

func (p *Part) digests() (all []made) {
	for _, i := range p.Images {
		for _, c := range i.Children {
			all = append(all, made{i.Name + " for " + c.Platform.String(), c.Digest.String()})
		}
	}
	for _, a := range p.Artifacts {
		all = append(all, made{a.File, a.Digest.String()})
	}
	return all
}
