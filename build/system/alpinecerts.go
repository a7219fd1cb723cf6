package system

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// updateAlpine does what Alpine's program does, and its hook certhash.
func (c *certificates) updateAlpine() error {
	wanted := map[string]string{}
	if err := c.alpineWanted(wanted); err != nil {
		return err
	}
	etc, err := tree.Follow(c.s.Tree, c.etc)
	if err != nil {
		return err
	}
	names, err := c.s.Tree.ReadDir(etc)
	if err != nil {
		return err
	}
	for _, name := range names {
		p := path.Join(etc, name)
		n, err := c.s.Tree.Lstat(p)
		if err != nil {
			return err
		}
		_, wants := wanted[name]
		ours := strings.HasPrefix(n.Link, c.dir+"/") || strings.HasPrefix(n.Link, c.local+"/")
		if name[0] == '.' || n.Kind != layer.Symlink || wants || !ours {
			continue
		}
		if err := c.s.Tree.Erase(p); err != nil {
			return err
		}
	}
	for _, name := range sortedKeys(wanted) {
		n, err := c.s.Tree.Lstat(path.Join(etc, name))
		if err != nil {
			return err
		}
		if n != nil && n.Kind != layer.Symlink {
			continue
		}
		if err := c.s.symlink(wanted[name], path.Join(etc, name)); err != nil {
			return err
		}
	}
	if err := c.writeBundle(); err != nil {
		return err
	}
	if ok, err := c.s.is(c.hooks+"/certhash", layer.Regular); err != nil || !ok {
		return err
	}
	if err := c.refuseHooks("certhash"); err != nil {
		return err
	}
	return c.s.rehash(c.etc)
}

// alpineWanted collects the links that are wanted, and the bundle: the certificates of
// /etc/ca-certificates.conf, then those that the administrator has installed.
func (c *certificates) alpineWanted(wanted map[string]string) error {
	conf, err := c.s.read(c.conf)
	if err != nil {
		return err
	}
	add := func(p string) error {
		name := "ca-cert-" + pemName.Replace(strings.TrimSuffix(path.Base(p), ".crt")) + ".pem"
		wanted[name] = p
		if ok, err := c.s.is(p, layer.Regular); err != nil || !ok {
			return err
		}
		text, err := c.s.read(p)
		c.text.Write(text)
		return err
	}
	for line := range strings.Lines(string(conf)) {
		line = strings.TrimSuffix(line, "\n")
		if !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "!") && line != "" {
			if err := add(c.dir + "/" + line); err != nil {
				return err
			}
		}
	}
	at, n, err := tree.Resolve(c.s.Tree, c.local)
	if err != nil || n == nil || n.Kind != layer.Dir {
		return err
	}
	names, err := c.s.Tree.ReadDir(at)
	if err != nil {
		return err
	}
	for _, name := range names {
		if name[0] != '.' {
			if err := add(c.local + "/" + name); err != nil {
				return err
			}
		}
	}
	return nil
}
