package evidence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/keyfile"
	"github.com/slipway-dev/slipway/internal/signature"
)

// Limits of the directory of a [Verifier].
const (
	maxKeys  = 100
	maxFiles = 1000 // statements
)

// Verifier decides about single images by the signed statements in a directory, without a
// registry.
type Verifier struct {
	policy Policy
	// allow are repositories that need no statement. One that ends in /* means all below.
	allow      []string
	statements []*provenance.Statement
	ignored    []string // why statements do not count
}

// OpenVerifier reads a directory with public keys (keys/*.pub) and signed statements
// (statements/*.sigstore.json). Any of the keys may have signed; with a threshold, so many of them
// must have signed each release. A statement that no key vouches for is ignored.
func OpenVerifier(dir string, threshold int, allow []string) (*Verifier, error) {
	v := &Verifier{policy: Policy{Threshold: threshold}, allow: allow}
	for _, a := range allow {
		if strings.Contains(strings.TrimSuffix(a, "/*"), "*") || !strings.Contains(a, "/") {
			return nil,
				fmt.Errorf("%q is not a repository: write registry/repository, or registry/path/* for all below", a)
		}
	}
	keys, err := filesIn(filepath.Join(dir, "keys"), ".pub", maxKeys)
	if err != nil {
		return nil, err
	}
	for _, path := range keys {
		if err := keyfile.CheckOwner(path); err != nil {
			return nil, err
		}
		text, err := readFile(path, 1<<20)
		if err != nil {
			return nil, err
		}
		k, err := signature.ParsePublicKey(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if !slices.ContainsFunc(v.policy.Keys, k.Equal) {
			v.policy.Keys = append(v.policy.Keys, k)
		}
	}
	if len(v.policy.Keys) == 0 {
		return nil, fmt.Errorf("%s has no public key *.pub: copy that of the maintainer there",
			filepath.Join(dir, "keys"))
	}
	if have := len(v.policy.Keys); threshold > have {
		return nil, fmt.Errorf("%s: threshold: %d needs as many keys: %s has %d", filepath.Join(dir, "verifier.yaml"),
			threshold, filepath.Join(dir, "keys"), have)
	}
	if err := v.policy.Check(); err != nil {
		return nil, err
	}
	paths, err := filesIn(filepath.Join(dir, "statements"), StatementSuffix, maxFiles)
	if err != nil {
		return nil, err
	}
	v.read(paths)
	return v, nil
}

// filesIn lists the files of a directory that end in a suffix, of which it must not have more than
// limit.
func filesIn(dir, suffix string, limit int) (paths []string, err error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), suffix) {
			paths = append(paths, filepath.Join(dir, f.Name()))
		}
	}
	if len(paths) > limit {
		return nil, fmt.Errorf("%s has more than %d files: remove those of old releases", dir, limit)
	}
	return paths, nil
}

// read verifies statements, and keeps those of releases that enough keys vouch for.
func (v *Verifier) read(paths []string) {
	r := newReader(v.policy)
	for _, path := range paths {
		foreign := r.foreign
		switch err := r.files([]string{path}); {
		case err != nil:
			v.ignored = append(v.ignored, err.Error())
		case r.foreign > foreign:
			v.ignored = append(v.ignored, path+": no key here has signed it")
		}
	}
	// Those of one release that agree, in the order of the keys: a key that disagrees takes nothing
	// from the others.
	var order []string
	releases := map[string][]*vouched{}
	for _, k := range v.policy.Keys {
		for _, s := range r.statements[k] {
			p := s.Predicate.BuildDefinition.ExternalParameters
			what := release(p.Name, p.Version, p.Created)
			if err := s.isOf(nil); err != nil {
				v.ignored = append(v.ignored, what+": "+err.Error())
				continue
			}
			groups := releases[what]
			if len(groups) == 0 {
				order = append(order, what)
			}
			at := slices.IndexFunc(groups, func(g *vouched) bool { return agree(g.Statement, s.Statement) == nil })
			if at < 0 {
				at, groups = len(groups), append(groups, &vouched{s.Statement, map[*signature.PublicKey]bool{}})
				releases[what] = groups
			}
			groups[at].keys[k] = true
		}
	}
	for _, what := range order {
		v.keep(what, releases[what])
	}
	slices.Sort(v.ignored)
}

// vouched is a statement, and the keys that have signed it, or one that agrees with it.
type vouched struct {
	*provenance.Statement

	keys map[*signature.PublicKey]bool
}

// keep keeps the statement of a release that most keys vouch for, the first of several, if they are
// enough.
func (v *Verifier) keep(what string, groups []*vouched) {
	best := slices.MaxFunc(groups, func(a, b *vouched) int { return len(a.keys) - len(b.keys) })
	if n := len(best.keys); n < v.policy.threshold() {
		v.ignored = append(v.ignored, fmt.Sprintf("%s: %d of %d keys have signed it", what, n, v.policy.threshold()))
	} else {
		v.statements = append(v.statements, best.Statement)
	}
	for _, g := range groups {
		if g != best {
			v.ignored = append(v.ignored, what+": "+agree(best.Statement, g.Statement).Error())
		}
	}
}

// Decide returns why an image may run: name is registry/repository with a tag, a digest or both,
// and h is what it refers to, an index or a manifest. The error states why it may not.
//
// The repository may be another registry's copy: it must end with the path that the release gives
// it, as registry.internal/mirror/kpack/controller does for ghcr.io/kpack/controller, or with the
// part of it below the release's registry, as after promotion. Where it ends with several names of
// the release, the longest one must be that of h. A digest in the name must be h.
func (v *Verifier) Decide(name string, h v1.Hash) (reason string, err error) {
	if _, digest, ok := strings.Cut(name, "@"); ok && digest != h.String() {
		return "", fmt.Errorf("%.200q is pinned to another digest than %s, which is to be pulled", name, h)
	}
	repository, tag := parseName(name)
	var other error
	for _, s := range v.statements {
		p := s.Predicate.BuildDefinition.ExternalParameters
		what := fmt.Sprintf("%.200q %.200q", p.Name, p.Version)
		names, third := namesOf(s, h)
		if len(names) == 0 {
			continue
		}
		if !means(s, h, repository, tag) {
			other = fmt.Errorf("%s is %.200q of the signed release %s, not %.200q: the name was changed",
				h, names[0], what, name)
			continue
		}
		if third {
			return fmt.Sprintf("listed by the signed release %s, as a third-party image", what), nil
		}
		return "part of the signed release " + what, nil
	}
	if slices.ContainsFunc(v.allow, func(a string) bool { return allows(a, repository) }) {
		return "allowed without a statement", nil
	}
	if other != nil {
		return "", other
	}
	err = fmt.Errorf("no signed statement names %.200q, %s", name, h)
	if len(v.ignored) > 0 {
		return "", errors.Join(err, fmt.Errorf("ignored: %s", strings.Join(v.ignored, "; ")))
	}
	return "", err
}
