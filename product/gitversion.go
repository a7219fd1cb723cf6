package product

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

const (
	// changedSuffix ends the version of a work tree with changes.
	changedSuffix = ".dirty"
	// orGive is the remedy for everything that git cannot answer.
	orGive = "or give the version with -version or SLIPWAY_VERSION"
)

var prefixForm = form{
	lazyregexp.New(`^[A-Za-z0-9_][A-Za-z0-9_./@+-]*$`),
	"use letters, digits and _ . / @ + -, since it begins the names of git tags",
}

func (c *checker) tagPrefix() {
	in := &c.in.TagPrefix
	c.checkForm(in, "tagPrefix", prefixForm)
	if *in != "" && c.in.Version != fromGit && !c.Bad(&c.in.Version) {
		c.Errorf(in, "tagPrefix is for version: git: take it out, or let git decide the version")
	}
}

// gitVersion takes the version from the product's repository. what names the setting that asks
// for it in errors, pos is where it is.
func (c *checker) gitVersion(ctx context.Context, what string, pos yamlfile.Pos) {
	h, err := c.history(ctx)
	if err == nil {
		c.out.Version, c.out.VersionSource, err = h.version(c.in.TagPrefix)
	}
	if err == nil && VersionFault(c.out.Version) != "" {
		err = fmt.Errorf("%s %s", c.out.Version, VersionFault(c.out.Version))
	}
	if err != nil {
		c.out.Version = noVersion
		c.At(pos, "%s: %v", what, err)
		return
	}
	c.noteChanges(h, what, pos)
}

// CommitVersion returns the version of the commit that a directory is at, as version: git gives it.
// file is one in the directory that git must have, and made is what Slipway writes there.
func CommitVersion(ctx context.Context, file string, made []string) (string, VersionSource, error) {
	c := &checker{out: &Product{Path: file, Dir: filepath.Dir(file), Made: made}}
	h, err := c.readHistory(ctx)
	if err != nil {
		return "", VersionSource{}, err
	}
	return h.version("")
}

// noteChanges remembers that the version is that of a commit, and the work tree differs from it.
func (c *checker) noteChanges(h history, what string, pos yamlfile.Pos) {
	if len(h.changes) > 0 && c.changed == nil {
		c.changed = func(report func(yamlfile.Pos, string, ...any)) {
			report(pos, "%s: the work tree has changes that are not committed (%s): commit them, %s",
				what, someOf(h.changes), orGive)
		}
	}
}

// committed reports changes in the work tree that the version comes from: a registry gets only
// what a commit has.
func (c *checker) committed(only bool) {
	switch {
	case c.changed == nil:
	case only || c.out.Snapshot():
		c.changed(c.demands.At)
	default:
		c.changed(c.At)
	}
}

func someOf(list []string) string {
	if len(list) > 1 {
		return fmt.Sprintf("%s and %d more", list[0], len(list)-1)
	}
	return list[0]
}

// history is what git knows that decides a version.
type history struct {
	commit   git.Commit
	of, upTo []string // tags of the commit; tags of it and of all commits before it
	shallow  bool     // upTo is not complete
	changes  []string // files of the work tree that differ from the commit
}

// history asks git once.
func (c *checker) history(ctx context.Context) (history, error) {
	if c.known == nil {
		h, err := c.readHistory(ctx)
		if err != nil {
			return h, err
		}
		c.known = &h
	}
	return *c.known, nil
}

// readHistory asks git about the repository of slipway.yaml. What Slipway writes there is not a
// change, unless git has it.
func (c *checker) readHistory(ctx context.Context) (h history, err error) {
	ctx, end := git.Share(ctx)
	defer end()
	dir := c.out.Dir
	r, err := git.Find(ctx, dir)
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return h, fmt.Errorf("the git command is not in PATH: install it, %s", orGive)
	case err != nil:
		return h, fmt.Errorf("%w: commit the product to git, %s", err, orGive)
	}
	if h.commit, err = git.Head(ctx, dir); err != nil {
		return h, fmt.Errorf("%w: commit the product, %s", err, orGive)
	}
	h.shallow = r.Shallow
	if h.of, err = git.TagsOf(ctx, dir, h.commit.Hash); err != nil {
		return h, err
	}
	if h.changes, err = git.Changes(ctx, r.Root, madeIn(c.out.Made, r.Root)...); err != nil {
		return h, err
	}
	file := filepath.Base(c.out.Path)
	has, err := git.Tracked(ctx, dir, file)
	if err != nil {
		return h, err
	}
	if len(has) == 0 && !listed(h.changes, r.Root, c.out.Path) { // it may be ignored
		h.changes = append(h.changes, file)
	}
	if !h.shallow {
		h.upTo, err = git.TagsUpTo(ctx, dir, h.commit.Hash)
	}
	return h, err
}

// listed reports whether changes, which are relative to root, have a file, or a directory that it
// is in.
func listed(changes []string, root, file string) bool {
	file, err := filepath.Abs(file)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(changes, func(name string) bool { return disk.Within(filepath.Join(root, name), file) })
}

// version returns the version of a commit: that of its tag, or a pseudo-version behind the highest
// version tag up to it, as the go command makes them. The version has a v where the tag has one
// after the prefix.
func (h history) version(prefix string) (string, VersionSource, error) {
	s := VersionSource{From: fromGit, Commit: h.commit.Hash, Changed: len(h.changes) > 0}
	tag, fault := h.tag(prefix)
	switch {
	case s.Changed: // the tag does not name these files
	case fault != nil:
		return "", s, fault
	case tag != "":
		s.Tag = tag
		return strings.TrimPrefix(tag, prefix), s, nil
	}
	if h.shallow && tag == "" {
		return "", s, fmt.Errorf("this clone is shallow, and tags before commit %s are unknown: "+
			"run git fetch --unshallow --tags (fetch-depth: 0 for actions/checkout), %s", h.commit.Short(), orGive)
	}
	var base string // a version, without prefix and build metadata
	for _, t := range append(h.of, h.upTo...) {
		if v, _ := versionOf(t, prefix); v != "" && (base == "" || semver.Compare(withV(v), withV(base)) > 0) {
			base, s.After = strings.TrimSuffix(v, semver.Build(withV(v))), t
		}
	}
	older := ""
	if base != "" {
		older = withV(base)
	}
	version := module.PseudoVersion("", older, h.commit.Time, h.commit.Short())
	if s.Changed {
		version += changedSuffix
	}
	if base == "" && strings.HasSuffix(prefix, "v") || base != "" && base[0] != 'v' {
		version = version[1:]
	}
	return version, s, nil
}

// tag returns the tag of the commit that has its version, "" if there is none.
func (h history) tag(prefix string) (string, error) {
	var found []string
	var fault error
	for _, t := range h.of {
		switch v, why := versionOf(t, prefix); {
		case why != "":
			fault = fmt.Errorf("tag %s of commit %s %s: give the commit another tag, %s", t, h.commit.Short(),
				why, orGive)
		case v != "":
			found = append(found, t)
		}
	}
	switch {
	case len(found) > 1:
		return found[0], fmt.Errorf("commit %s has the version tags %s: keep one of them, %s", h.commit.Short(),
			strings.Join(found, ", "), orGive)
	case len(found) == 1:
		return found[0], nil
	}
	return "", fault
}

var (
	threeNumbers = lazyregexp.New(`^v[0-9]+\.[0-9]+\.[0-9]+`)
	likeVersion  = lazyregexp.New(`^v[0-9]+\.[0-9]`)
)

// versionOf returns the semantic version, with or without v, that a git tag has after the prefix;
// "" without one. A tag that looks like a version and cannot be that of an image has a fault,
// with or without a version.
func versionOf(tag, prefix string) (version, fault string) {
	version, ok := strings.CutPrefix(tag, prefix)
	v := withV(version)
	switch {
	case !ok || !likeVersion.MatchString(v):
		return "", ""
	case !threeNumbers.MatchString(v) || !semver.IsValid(v):
		return "", "is not a version such as " + prefix + "v1.2.3 or " + prefix + "v1.2.3-rc.1"
	}
	cause, _, _ := strings.Cut(VersionFault(version), ": ")
	return version, cause
}
