package apt

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/build/packages/debian"
	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/product"
)

// isFile reports whether an operand of install is a file, as apt decides it.
func isFile(name string) bool {
	return strings.HasSuffix(name, ".deb") && (strings.HasPrefix(name, "/") || strings.HasPrefix(name, "./") ||
		strings.HasPrefix(name, "../"))
}

// localPath returns the path of a file of the stage.
func localPath(c packages.Call, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join("/", c.Dir, name)
}

// addLocal adds a .deb of the stage to what can be installed.
func addLocal(u *debian.Universe, c packages.Call, name string) (*debian.Package, layer.Content, error) {
	d, err := open(c, name)
	if err != nil {
		return nil, layer.Content{}, err
	}
	p, err := u.AddLocal(name, string(d.Text("control")))
	if err != nil {
		return nil, layer.Content{}, err
	}
	content, err := local(c, name)
	return p, content, err
}

// localContent returns a .deb of the stage that packages.lock.yaml has, if it is still that file.
func localContent(c packages.Call, p product.LockedPackage) (layer.Content, error) {
	content, err := local(c, p.Path)
	if err == nil && content.Digest != p.SHA256 {
		err = fmt.Errorf("%s has the digest %s, and %s has %s: run %s", p.Path, content.Digest,
			product.PackagesLock, p.SHA256, howto.Run("pin -update"))
	}
	return content, err
}

// downloaded puts the files of packages into the working directory, as apt-get download does.
func downloaded(c packages.Call, list []product.LockedPackage, debs []layer.Content) error {
	dir, err := tree.Follow(c.Tree, path.Join("/", c.Dir))
	if err != nil {
		return err
	}
	const mode = 0o644
	for n, p := range list {
		name := fmt.Sprintf("%s_%s_%s.deb", p.Name, strings.ReplaceAll(p.Version, ":", "%3a"), p.Arch)
		content := debs[n]
		node := tree.Node{
			Kind: layer.Regular, Mode: mode,
			Content: func() (layer.Content, error) { return content, nil },
		}
		if err := c.Tree.Set(path.Join(dir, name), node.Sized(content.Size)); err != nil {
			return err
		}
	}
	return nil
}

// onlySecurity returns pins that keep packages at the versions which packages.lock.yaml has, and
// others at those that are installed, but for packages that a security suite has newer.
func onlySecurity(u *debian.Universe, list []product.LockedPackage) ([]debian.Pin, error) {
	var text strings.Builder
	all := slices.Clone(list)
	for _, name := range u.Names() {
		is := u.Installed(name)
		if is != nil && !slices.ContainsFunc(list, func(p product.LockedPackage) bool { return p.Name == name }) {
			all = append(all, product.LockedPackage{
				Action: product.ActionInstall, Name: name, Arch: is.Architecture, Version: is.Version,
			})
		}
	}
	for _, p := range all {
		if p.Action != product.ActionInstall {
			continue
		}
		version := p.Version
		was, err := control.ParseVersion(version)
		if err != nil {
			return nil, err
		}
		for _, v := range u.Versions(p.Name + ":" + p.Arch) {
			r := v.Repository()
			is, err := control.ParseVersion(v.Version)
			if err == nil && r != nil && security(r) && is.Compare(was) > 0 {
				version = v.Version
				break
			}
		}
		fmt.Fprintf(&text, "Package: %s\nPin: version %s\nPin-Priority: 1001\n\n", p.Name, version)
	}
	return debian.ParsePreferences(product.PackagesLock, text.String())
}

// security reports whether a suite has security updates.
func security(r *debian.Repository) bool {
	return strings.HasSuffix(r.Suite, "-security") || strings.HasSuffix(r.Suite, "/updates") ||
		strings.HasSuffix(r.Codename, "-security") || strings.HasSuffix(r.Label, "-Security")
}
