package containerfile

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/image/webfile"
)

func (b *builder) add(ctx context.Context, s *stage, c *instructions.AddCommand) error {
	if c.KeepGitDir != nil {
		return errGit
	}
	if c.Checksum != "" && len(c.SourcePaths) != 1 {
		return errors.New("--checksum is for one URL: write an ADD for each")
	}
	t := copying{
		SourcesAndDest: c.SourcesAndDest, chown: c.Chown, chmod: c.Chmod, excludes: c.ExcludePatterns,
		link: c.Link, line: "ADD",
	}
	return b.transfer(ctx, s, t, func(cp *copier, src, dest string) error {
		switch remote(src) {
		case "git":
			return fmt.Errorf("%s: %w", src, errGit)
		case "http":
			return fmt.Errorf("%s: plain http is not used for downloads: write https", src)
		case "https":
			return b.addURL(ctx, cp, src, dest, c)
		}
		if c.Checksum != "" {
			return fmt.Errorf("--checksum is for URLs, and %s is a file", src)
		}
		from, err := b.buildContext(ctx)
		if err != nil {
			return err
		}
		cp.src = from
		return cp.each(src, s.System.OS, func(p string) error { return b.addFile(ctx, cp, p, dest, c.Unpack) })
	})
}

var errGit = errors.New("git repositories are not fetched here: " +
	"make the repository a source in slipway.yaml, or ADD an archive of it by https with --checksum")

// remote returns the kind of a source that is not in the context: "git", "http" or "https"; empty
// for paths.
func remote(src string) string {
	switch {
	case regexp.MustCompile(`^(git|ssh)://|^git@`).MatchString(src),
		regexp.MustCompile(`^https?://[^?]*\.git(/?#.*|/?)$`).MatchString(src):
		return "git"
	case strings.HasPrefix(src, "http://"):
		return "http"
	case strings.HasPrefix(src, "https://"):
		return "https"
	}
	return ""
}

// addFile copies one file of the context; what is an archive is unpacked.
func (b *builder) addFile(ctx context.Context, cp *copier, p, dest string, unpack *bool) error {
	if unpack == nil || *unpack {
		_, n, err := tree.Resolve(cp.src, p)
		if err != nil {
			return err
		}
		if n != nil && n.Kind == layer.Regular && n.Odd == "" {
			content, err := n.Content()
			if err != nil {
				return err
			}
			if content.Open == nil { // a check does not have programs, which are not archives
				return cp.copy(ctx, p, dest)
			}
			if done, err := b.unpack(ctx, cp, content, dest, unpack != nil); done || err != nil {
				return err
			}
		}
	}
	return cp.copy(ctx, p, dest)
}

// addURL downloads a file and copies it, with mode 0600 as BuildKit gives it.
func (b *builder) addURL(ctx context.Context, cp *copier, src, dest string, c *instructions.AddCommand) error {
	if c.Checksum == "" {
		return fmt.Errorf("%s needs --checksum=sha256:…, "+
			"so that the image is the same whenever and wherever it is built", src)
	}
	digest, err := v1.NewHash(c.Checksum)
	if err != nil || digest.Algorithm != "sha256" {
		return mistake.At("--checksum", "--checksum=%s is not sha256: and 64 hexadecimal digits", c.Checksum)
	}
	u, err := url.Parse(src)
	if err != nil {
		return err
	}
	unpack := c.Unpack != nil && *c.Unpack
	var content layer.Content
	switch {
	case b.in.Check && unpack:
		cp.dst.Open, cp.dst.Later, cp.matched = true, true, true // it has what the archive has
		return nil
	case !b.in.Check:
		if content, err = b.downloaded(ctx, src, digest); err != nil {
			return err
		}
		if unpack {
			if done, err := b.unpack(ctx, cp, content, dest, true); done || err != nil {
				cp.matched = true
				return err
			}
		}
	}
	name := path.Base(u.Path)
	if name == "." || name == "/" {
		name = "__unnamed__"
	}
	t := tree.New(nil)
	n := &tree.Node{Kind: layer.Regular, Mode: 0o600, Content: func() (layer.Content, error) {
		if b.in.Check {
			return b.downloaded(ctx, src, digest)
		}
		return content, nil
	}}
	if err := t.Set("/"+name, n); err != nil {
		return err
	}
	cp.src, cp.matched = t, true
	return cp.copy(ctx, "/"+name, dest)
}

// downloaded returns the bytes of a URL, of which a check has nothing until it is read.
func (b *builder) downloaded(ctx context.Context, src string, digest v1.Hash) (layer.Content, error) {
	if b.in.Check && !b.reading {
		b.assume()
		return layer.Content{Digest: digest}, nil
	}
	return webfile.Get(ctx, b.in.Store, b.in.Client, src, digest)
}
