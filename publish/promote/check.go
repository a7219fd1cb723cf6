package promote

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/renaming"
)

// Rename gives a repository, or all below a path, another path.
type Rename struct{ Old, New string }

// ParseRename reads OLD=NEW.
func ParseRename(s string) (Rename, error) {
	old, to, ok := strings.Cut(s, "=")
	r := Rename{strings.Trim(old, "/"), strings.Trim(to, "/")}
	for _, part := range append(strings.Split(r.Old, "/"), strings.Split(r.New, "/")...) {
		if !ok || !imagename.IsPart(part) {
			return r, howto.Usage("-rename %q: name two paths of repositories, without the registry, "+
				"as in -rename=staging/app=app", s)
		}
	}
	return r, nil
}

// renamed returns the path of a repository below a destination. The longest rename that fits is
// used; at is its index, or -1.
func (o Options) renamed(path string) (to string, at int) {
	to, at = path, -1
	for n, r := range o.Renames {
		rest, ok := strings.CutPrefix(path+"/", r.Old+"/")
		if ok && (at < 0 || len(r.Old) > len(o.Renames[at].Old)) {
			to, at = strings.TrimSuffix(r.New+"/"+rest, "/"), n
		}
	}
	return to, at
}

// target returns the repository of an image at a destination.
func (p *promotion) target(i *image, to string) string {
	at, _ := p.renamed(i.path)
	return to + "/" + at
}

// checkFlags checks the options by themselves.
func (p *promotion) checkFlags() error {
	var errs []error
	if err := imagename.CheckRegistry(p.From); err != nil {
		errs = append(errs, howto.Usage("-from %w", err))
	}
	if len(p.To) == 0 {
		errs = append(errs, howto.Usage("-to is missing: name the registry to promote to"))
	}
	for n, to := range p.To {
		if err := imagename.CheckRegistry(to); err != nil {
			errs = append(errs, howto.Usage("-to %w", err))
		}
		if slices.Contains(p.To[:n], to) {
			errs = append(errs, howto.Usage("-to names %s twice: leave one out", to))
		}
		if p.lock != nil && p.lock.HasStubs() && !imagename.Loopback(to) {
			errs = append(errs,
				fmt.Errorf("promoting to %s: the release was built on stub bases and cannot run: build it on real ones",
					to))
		}
	}
	if p.Out != "" && p.Release == "" {
		errs = append(errs, howto.Usage("-release-to has no effect without -release: give that, too"))
	}
	if len(p.To) > 1 && p.Out != "" {
		errs = append(errs,
			howto.Usage("-release-to names one file, and there are several destinations: "+
				"leave it out, and each copy is named after its registry"))
	}
	for n, to := range p.To {
		for _, other := range p.To[:n] {
			if out := renaming.DefaultOut(p.Release, to); p.Release != "" &&
				to != other && out == renaming.DefaultOut(p.Release, other) {
				errs = append(errs,
					howto.Usage("-to=%s and -to=%s: both copies would be %s: "+
						"promote to one after the other, with -release-to", other, to, out))
			}
		}
	}
	errs = append(errs, imagetag.CheckRule(p.Floating))
	if !slices.Contains([]string{"", ChartsKeep, ChartsRename}, p.Charts) {
		errs = append(errs, howto.Usage("-charts %q is not a choice: use keep or rename", p.Charts))
	}
	used := make([]bool, len(p.Renames))
	for _, i := range p.images {
		if _, at := p.renamed(i.path); at >= 0 {
			used[at] = true
		}
	}
	for n, r := range p.Renames {
		if !used[n] {
			errs = append(errs,
				howto.Usage("-rename %s=%s: the release has no repository %s/%s", r.Old, r.New, p.From, r.Old))
		}
	}
	return errors.Join(errs...)
}

// checkTargets looks for names that would be those of the source, or of two images.
func (p *promotion) checkTargets() error {
	var errs []error
	type owner struct {
		*image
		digest v1.Hash
	}
	taken := map[string]owner{}
	for _, to := range p.To {
		for _, i := range p.images {
			target := p.target(i, to)
			if err := imagename.CheckRepository(target); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", i.name, err))
				continue
			}
			if i.chart && path.Base(target) != path.Base(i.path) {
				errs = append(errs,
					fmt.Errorf("chart %s: %s does not end with its name, as Helm demands: "+
						"give it another path with -rename", i.name, target))
			}
			if canonical(target) == canonical(i.repo) {
				errs = append(errs,
					fmt.Errorf("promoting %s: %s would be promoted onto itself: "+
						"name another registry with -to, or another path with -rename", i.name, target))
				continue
			}
			for _, t := range slices.Concat(i.tags, i.floating) {
				ref := target + ":" + t.tag
				first, twice := taken[ref]
				if twice && first.digest != t.desc.Digest {
					errs = append(errs,
						fmt.Errorf("%s (%s) and %s (%s) would both become %s: "+
							"give one of them another path with -rename",
							first.repo, first.digest, i.repo, t.desc.Digest, ref))
				}
				taken[ref] = owner{i, t.desc.Digest}
			}
		}
	}
	return errors.Join(errs...)
}

func join(list []string) string { return strings.Join(list, ", ") }
