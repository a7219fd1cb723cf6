package containerfile

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/util/system"
	"github.com/moby/patternmatcher"
	mode "github.com/tonistiigi/dchapes-mode"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/modechange"
	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// copying is what COPY and ADD have in common.
type copying struct {
	instructions.SourcesAndDest
	chown, chmod string
	excludes     []string
	link         bool
	line         string // for the history
}

func (b *builder) copy(ctx context.Context, s *stage, c *instructions.CopyCommand) error {
	for _, src := range c.SourcePaths {
		if remote(src) != "" {
			return mistake.At(src, "%s: COPY does not download: use ADD --checksum", src)
		}
	}
	var src tree.Files
	var open bool
	var of base.Base
	var err error
	switch {
	case strings.Contains(c.From, "$"):
		return mistake.At("--from", "--from=%s has a variable, which --from does not take: "+
			"write FROM %s AS source above, and --from=source", c.From, c.From)
	case s.Toolchain && b.tools(s, c):
		s.AddSkip(&run.Skip{
			At: c.Location(), Text: "COPY --from=" + c.From + " " + strings.Join(c.SourcePaths, " "),
			System: true,
		})
		return nil
	case c.From != "":
		if src, of, err = b.source(ctx, s, c.From, c.SourcePaths...); err != nil {
			return mistake.At("--from", "%w", err)
		}
		if b.find(c.From) == nil {
			b.refers(c.Location(), "--from", of, s.System)
		}
		if t, ok := src.(*tree.Tree); ok {
			open = t.Open
			s.Tree.Later = s.Tree.Later || t.Later
		}
		var more bool
		src, more, err = stubFiles(src, of, c.SourcePaths, s.System.OS)
		s.Tree.Open, s.Tree.More = s.Tree.Open || more, s.Tree.More || more
	case len(c.SourcePaths) > 0:
		src, err = b.buildContext(ctx)
	}
	if err != nil {
		return err
	}
	t := copying{
		SourcesAndDest: c.SourcesAndDest, chown: c.Chown, chmod: c.Chmod, excludes: c.ExcludePatterns,
		link: c.Link, line: "COPY",
	}
	if c.Parents {
		t.line += " --parents"
	}
	return b.transfer(ctx, s, t, func(cp *copier, p, dest string) error {
		cp.src = src
		cp.matched = cp.matched || open // some of its files are unknown
		if c.Parents {
			return cp.withParents(ctx, p, dest, s.System.OS)
		}
		return cp.each(p, s.System.OS, func(p string) error { return cp.copy(ctx, p, dest) })
	})
}

// each calls do for every path that a source means.
func (c *copier) each(p, os string, do func(p string) error) error {
	p, err := system.NormalizePath("/", p, os, false)
	if err != nil {
		return err
	}
	paths, err := tree.Glob(c.src, path.Clean(p))
	if err != nil {
		return err
	}
	c.matched = c.matched || len(paths) > 0 && c.include == nil
	for _, p := range paths {
		if err := do(p); err != nil {
			return err
		}
	}
	return nil
}

// transfer prepares the destination and its owner, and calls do for every source path; heredocs
// it copies itself.
func (b *builder) transfer(ctx context.Context, s *stage,
	t copying, do func(cp *copier, src, dest string) error,
) error {
	dest, err := s.destination(t.DestPath)
	if err != nil {
		return err
	}
	cp := &copier{dst: s.Tree, windows: s.Windows()}
	if cp.chmod, err = parseChmod(t.chmod); err != nil {
		return mistake.At("--chmod", "%w", err)
	}
	if t.chmod != "" {
		t.line += " --chmod=" + t.chmod
	}
	if t.chown != "" {
		t.line += " --chown=" + t.chown
	}
	if user, group, _ := strings.Cut(t.chown, ":"); t.link && t.chown != "" &&
		(!tree.Numeric(user) || !tree.Numeric(group)) {
		return mistake.At("--chown", "--chown=%s has a name, which --link does not look up: write the number", t.chown)
	}
	if t.chown != "" && !s.Windows() {
		if cp.owner, err = tree.LookUp(s.Tree, t.chown); err != nil {
			return mistake.At("--chown", "--chown=%s: %w", t.chown, err)
		}
	}
	if len(t.excludes) > 0 {
		if cp.exclude, err = patternmatcher.New(t.excludes); err != nil {
			return mistake.At("--exclude", "--exclude: %w", err)
		}
	}
	if t.link && t.chmod == "" {
		cp.dst = s.newTree(nil)
	}
	var errs []error
	for _, p := range t.SourcePaths {
		if err := do(cp, p, dest); err != nil {
			var l mistake.Located
			if !errors.As(err, &l) {
				err = mistake.At(p, "%w", err)
			}
			errs = append(errs, err)
		}
		t.line += " " + p
	}
	if !cp.matched && len(errs) == 0 && len(t.SourceContents) == 0 {
		errs = append(errs,
			mistake.At(t.SourcePaths[0], "nothing matches %s, and so nothing would be copied: "+
				"correct the pattern, or what should be there", strings.Join(t.SourcePaths, " ")))
	}
	for _, c := range t.SourceContents {
		errs = append(errs, cp.inline(ctx, c, dest))
		t.line += " <<" + c.Path
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if cp.dst != s.Tree {
		if err := s.Tree.Merge(cp.dst); err != nil {
			return err
		}
		s.Tree.Open, s.Tree.Later = s.Tree.Open || cp.dst.Open, s.Tree.Later || cp.dst.Later
	}
	return b.commit(s, t.line+" "+t.DestPath)
}

// destination returns the absolute path of a destination. A slash or "/." at its end stays: it
// says that a directory is meant.
func (s *stage) destination(p string) (string, error) {
	os := s.System.OS
	p, err := system.CheckSystemDriveAndRemoveDriveLetter(p, os, true)
	if err != nil {
		return "", fmt.Errorf("destination: %w", err)
	}
	dir := s.Dir()
	if system.IsAbs(p, os) {
		dir = "/"
	} else if p == "." || p == "" {
		p = "./"
	}
	p, err = system.NormalizePath(dir, p, os, true)
	if err != nil {
		return "", fmt.Errorf("destination: %w", err)
	}
	clean := path.Join("/", p)
	if clean != "/" && (strings.HasSuffix(p, "/") || strings.HasSuffix(p, "/.")) {
		clean += "/"
	}
	return clean, nil
}

// inline copies a heredoc: a file of mode 0644 under its name.
func (c *copier) inline(ctx context.Context, content instructions.SourceContent, dest string) error {
	if content.Path != path.Base(path.Clean("/"+content.Path)) {
		return fmt.Errorf("the name %q of the inline file has a slash: write a plain word after <<", content.Path)
	}
	t := tree.New(nil)
	err := t.Set("/"+content.Path, &tree.Node{
		Kind: layer.Regular, Mode: 0o644,
		Content: func() (layer.Content, error) { return layer.Bytes([]byte(content.Data)), nil },
	})
	if err != nil {
		return err
	}
	c.src = t
	return c.copy(ctx, "/"+content.Path, dest)
}

// withParents copies with --parents: the path of each file below the source, or below "/./" in
// it, is kept.
func (c *copier) withParents(ctx context.Context, p, dest, os string) error {
	base, pattern, pivot := strings.Cut(p, "/./")
	if !pivot {
		base, pattern = "/", p
	}
	base, err := system.NormalizePath("/", base, os, false)
	if err != nil {
		return err
	}
	if pattern, err = system.NormalizePath("/", pattern, os, false); err != nil {
		return err
	}
	pattern = path.Clean(pattern)
	if !tree.Wild(base) && !tree.Wild(pattern) {
		switch _, n, err := tree.Resolve(c.src, path.Join(base, pattern)); {
		case err != nil:
			return err
		case n == nil:
			return tree.Missing(c.src, path.Join(base, pattern))
		}
	}
	if pattern == "/" {
		pattern = "/**"
	}
	if c.include, err = patternmatcher.New([]string{pattern[1:]}); err != nil {
		return err
	}
	return c.each(base, os, func(p string) error { return c.copy(ctx, p, dest) })
}

func parseChmod(s string) (chmod, error) {
	if s == "" {
		return chmod{}, nil
	}
	if n, err := strconv.ParseUint(s, 8, 32); err == nil {
		if n > 0o7777 {
			return chmod{}, fmt.Errorf("--chmod=%s is above 07777", s)
		}
		m := modechange.Mode(uint32(n))
		return chmod{octal: &m}, nil
	}
	set, err := mode.ParseWithUmask(s, 0)
	if err != nil {
		return chmod{}, fmt.Errorf("--chmod=%s is neither octal, such as 0755, nor symbolic, such as u=rwX,go=rX", s)
	}
	return chmod{set: &set}, nil
}
