package containerfile

import (
	"archive/tar"
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

// addFile copies one file of the context, and unpacks an archive.
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
	case b.check && unpack:
		cp.dst.Open, cp.dst.Later, cp.matched = true, true, true // it has what the archive has
		return nil
	case !b.check:
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
		if b.check {
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
	if b.check && !b.reading {
		b.assume()
		return layer.Content{Digest: digest}, nil
	}
	return webfile.Get(ctx, b.in.Store, b.in.Client, src, digest)
}

// unpack lays the files of an archive into dest and reports whether it was one. asked means that
// the file has --unpack: then a zip is an archive, too.
func (b *builder) unpack(ctx context.Context, cp *copier, c layer.Content, dest string, asked bool) (bool, error) {
	open, err := b.archives.Tar(ctx, c, asked)
	if open == nil || err != nil {
		return false, err
	}
	root, err := tree.Follow(cp.dst, dest)
	if err != nil {
		return true, err
	}
	made := &tree.Node{Kind: layer.Dir, Mode: 0o755}
	cp.own(made)
	if err := cp.dst.MkdirAll(root, made); err != nil {
		return true, err
	}
	cp.led = map[string]string{}
	return true, b.archives.Each(ctx, c, open, func(h *tar.Header, n *tree.Node) error {
		return cp.extract(root, h, n)
	})
}

// extract puts one file of an archive into the tree, below root.
func (c *copier) extract(root string, h *tar.Header, n *tree.Node) error {
	name := path.Clean("/" + h.Name)
	if name == "/" {
		return nil
	}
	dir, ok := c.led[path.Dir(name)]
	if !ok {
		var err error
		if dir, err = tree.FollowWithin(c.dst, root, path.Dir(name)); err != nil {
			return err
		}
		if err := c.dst.MkdirAll(dir, tree.Root); err != nil {
			return err
		}
		c.led[path.Dir(name)] = dir
	}
	p := path.Join(dir, path.Base(name))
	if h.Typeflag == tar.TypeLink {
		target, err := tree.FollowWithin(c.dst, root, path.Dir(path.Clean("/"+h.Linkname)))
		if err != nil {
			return err
		}
		if n, err = c.dst.Lstat(path.Join(target, path.Base(h.Linkname))); err != nil {
			return err
		}
		if n == nil || n.Kind == layer.Dir {
			return fmt.Errorf("the archive has a hard link %s to %s, which is not a file before it", h.Name, h.Linkname)
		}
	}
	if n.Odd != "" {
		return fmt.Errorf("%s in the archive is %s, which a layer cannot contain here", h.Name, n.Odd)
	}
	there, err := c.dst.Lstat(p)
	if err != nil {
		return err
	}
	directory := there != nil && there.Kind == layer.Dir
	if c.windows && directory && n.Kind == layer.Dir {
		return nil
	}
	if n.Kind == layer.Symlink || there != nil && there.Kind == layer.Symlink || directory && n.Kind != layer.Dir {
		clear(c.led) // any of them may lead elsewhere from here on
	}
	k := *n
	c.own(&k)
	return c.dst.Set(p, &k)
}
