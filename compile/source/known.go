package source

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/product"
)

// known are the facts about a version of a module from the module proxy and the module's files,
// in the form of slipway.yaml.
type known struct{ sum, goModSum, revision, created string }

// lookAt hashes a module that was downloaded and reads the origin that the proxy reported.
func lookAt(s product.Source, dir, gomod string) (known, error) {
	var k known
	var err error
	if k.goModSum, err = dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return regular.Open(gomod)
	}); err != nil {
		return k, fmt.Errorf("hashing %s: %w", gomod, err)
	}
	if k.sum, err = dirhash.HashDir(dir, s.Module, hash1); err != nil {
		return k, fmt.Errorf("hashing %s: %w", dir, err)
	}
	// The go command keeps the proxy's answer next to go.mod
	// (https://go.dev/ref/mod#goproxy-protocol), which may be missing. Not every proxy knows the
	// origin.
	var info struct {
		Time   time.Time
		Origin struct{ Hash string }
	}
	b, err := regular.Read(strings.TrimSuffix(gomod, ".mod") + ".info")
	if err != nil || json.Unmarshal(b, &info) != nil {
		return k, nil //nolint:nilerr // then it is not known
	}
	if !info.Time.IsZero() {
		k.created = info.Time.UTC().Format(time.RFC3339)
	}
	if k.revision = info.Origin.Hash; k.revision == "" {
		_, version, _ := strings.Cut(s.Module, "@")
		k.revision, _ = module.PseudoVersionRev(version) // "" for a tag
	}
	if !commit.MatchString(k.revision) {
		k.revision = ""
	}
	return k, nil
}

var commit = lazyregexp.New(`^[0-9a-f]{7,64}$`)

// lacks names the fields that slipway.yaml must give a module and does not.
func lacks(s product.Source) []string {
	var all []string
	for _, f := range []struct {
		name string
		none bool
	}{{"sum", s.Sum == ""}, {"revision", s.Revision == ""}, {"created", s.Created.IsZero()}} {
		if f.none {
			all = append(all, f.name)
		}
	}
	return all
}

// complete returns the error for a source that lacks fields, with lines for slipway.yaml.
func complete(ctx context.Context, s product.Source) error {
	what := fmt.Sprintf("%s: source %s lacks %s, without which %s is not known",
		s.Pos, s.Name, strings.Join(lacks(s), ", "), s.Module)
	dir, gomod, err := download(ctx, s.Module, s.Sum != "")
	if err != nil {
		return fmt.Errorf("%s: add them; the module proxy cannot be asked for them: %w", what, err)
	}
	k, err := lookAt(s, dir, gomod)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	lines := k.lines(s, func(have, _ string) bool { return have == "" })
	if s.Revision == "" && k.revision == "" {
		lines += "\n" + indent(s) + "revision: # the commit of this version, which the module proxy does not know"
	}
	return fmt.Errorf("%s: check these and add them to the source:%s", what, lines)
}

// lines are those of slipway.yaml for the known values that differ from the source's and are
// wanted, each after a line break.
func (k known) lines(s product.Source, wanted func(have, is string) bool) string {
	created := ""
	if !s.Created.IsZero() {
		created = s.Created.UTC().Format(time.RFC3339)
	}
	var b strings.Builder
	for _, f := range [][3]string{
		{"sum", s.Sum, k.sum},
		{"goModSum", s.GoModSum, k.goModSum},
		{"revision", s.Revision, k.revision},
		{"created", created, k.created},
	} {
		if f[2] != "" && f[1] != f[2] && wanted(f[1], f[2]) {
			fmt.Fprintf(&b, "\n%s%s: %s", indent(s), f[0], f[2])
		}
	}
	return b.String()
}

// indent is that of a source's fields.
func indent(s product.Source) string { return strings.Repeat(" ", max(s.Pos.Column-1, 4)) }

// verify compares a module with slipway.yaml. If the proxy names a commit, revision and created
// are compared with that, too: they label and date the images, and nothing else checks them.
func verify(s product.Source, dir, gomod string) error {
	k, err := lookAt(s, dir, gomod)
	if err != nil {
		return err
	}
	differs := func(have, _ string) bool { return have != "" }
	if s.GoModSum != "" && k.goModSum != s.GoModSum {
		return fmt.Errorf("hash mismatch: go.mod of %s is %s, slipway.yaml pins %s; "+
			"if slipway.yaml is wrong, its line is%s", s.Module, k.goModSum, s.GoModSum,
			known{goModSum: k.goModSum}.lines(s, differs))
	}
	if k.sum != s.Sum {
		return fmt.Errorf("hash mismatch: %s is %s, slipway.yaml pins %s; if the module cache was changed by hand, "+
			"run go clean -modcache; if slipway.yaml is wrong, its line is%s", s.Module, k.sum, s.Sum,
			known{sum: k.sum}.lines(s, differs))
	}
	if k.revision == "" || !commit.MatchString(s.Revision) {
		return nil // it is not known, or goes by another name
	}
	short := min(len(k.revision), len(s.Revision))
	if k.revision[:short] == s.Revision[:short] &&
		(k.created == "" || k.created == s.Created.UTC().Format(time.RFC3339)) {
		return nil
	}
	k.sum, k.goModSum = "", ""
	if k.revision[:short] == s.Revision[:short] {
		k.revision = ""
	}
	return fmt.Errorf("%s: the module proxy knows another commit or time of %s: correct these lines:%s",
		s.Pos, s.Module, k.lines(s, differs))
}
