package apt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	_ "embed"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/product"
)

// debianKeys are the keys of Debian's archive, those of bullseye, bookworm and trixie, as package
// debian-archive-keyring has them.
//
//go:embed debian/archive.gpg
var debianKeys []byte

// passwd and group are the accounts of every system of Debian, as package base-passwd has them.
// Scripts name them, and nothing depends on that package.
var (
	//go:embed debian/passwd
	passwd string
	//go:embed debian/group
	group string
)

// The account of 65532, whom builtin static has, too.
const (
	nonRoot      = "nonroot:*:65532:65532:nonroot:/home/nonroot:/usr/sbin/nologin\n"
	nonRootGroup = "nonroot:*:65532:\n"
)

// debianKeyring is where that package has them.
const debianKeyring = "/usr/share/keyrings/debian-archive-keyring.gpg"

// always is the package that every base has: by its os-release scanners know the distribution.
const always = "base-files"

// Base puts the files of a base that consists of packages into the tree of a call, which is empty,
// and leaves there what Dockerfiles on it need to install more: the sources and their keys.
func (m *Manager) Base(ctx context.Context, c packages.Call, spec product.BasePackages) error {
	arch, err := architecture(c.Platform)
	if err != nil {
		return err
	}
	if err := prepared(c.Tree, spec, arch); err != nil {
		return err
	}
	o := operation{
		verb: install, names: spec.Install, set: []string{"--no-install-recommends"}, text: spec.String(),
	}
	if !slices.ContainsFunc(o.names, func(w string) bool { return means(w, always) }) {
		o.names = append([]string{always}, o.names...)
	}
	entry, err := m.entry(ctx, c, o)
	if err != nil {
		return err
	}
	own := !slices.ContainsFunc(entry.Packages, func(p product.LockedPackage) bool { return p.Name == "base-passwd" })
	users, groups := passwd, group
	if own {
		users, groups = passwd+nonRoot, group+nonRootGroup
	}
	if err := written(c.Tree, map[string]string{"/etc/passwd": users, "/etc/group": groups}); err != nil {
		return err
	}
	debs, err := m.take(ctx, c, entry.Packages)
	if err != nil {
		return err
	}
	if err := m.install(ctx, c, o, entry, debs); err != nil {
		return err
	}
	if own {
		home := &tree.Node{Kind: layer.Dir, Mode: 0o700, UID: 65532, GID: 65532}
		if err := c.Tree.Set("/home/nonroot", home); err != nil {
			return err
		}
	}
	return cleaned(c.Tree)
}

// written writes texts into a tree, by path.
func written(t *tree.Tree, files map[string]string) error {
	for name, text := range files {
		if err := t.WriteText(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// prepared makes what is there before the first package: the directories of a system with /usr
// merged, as debootstrap makes them, dpkg's database, and the sources.
func prepared(t *tree.Tree, spec product.BasePackages, arch string) error {
	links := []string{"bin", "lib", "sbin"}
	if slices.Contains([]string{"amd64", "loong64", "ppc64el"}, arch) {
		links = append(links, "lib64")
	}
	for _, name := range links {
		if err := t.MkdirAll("/usr/"+name, &tree.Node{Kind: layer.Dir, Mode: 0o755}); err != nil {
			return err
		}
		if err := t.Set("/"+name, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: "usr/" + name}); err != nil {
			return err
		}
	}
	files := map[string]string{
		statusFile: "",
		"/etc/apt/sources.list.d/" + sourcesName(spec): sourcesOf(spec),
	}
	if spec.Distribution == "debian" {
		files[debianKeyring] = string(debianKeys)
	}
	return written(t, files)
}

func sourcesName(spec product.BasePackages) string {
	if spec.Distribution == "" {
		return "base.sources"
	}
	return spec.Distribution + ".sources"
}

// sourcesOf returns the sources of a base, in the form of deb822. Those of Debian are the ones that
// its official images have.
func sourcesOf(spec product.BasePackages) string {
	list := spec.Repositories
	if len(list) == 0 {
		list = debianRepositories(spec.Suite)
	}
	var all []string
	for _, r := range list {
		key := " " + debianKeyring
		if r.Key != "" {
			key = "\n" + indented(r.Key)
		}
		all = append(all, fmt.Sprintf("Types: deb\nURIs: %s\nSuites: %s\nComponents: %s\nSigned-By:%s\n", r.URL,
			strings.Join(r.Suites, " "), strings.Join(r.Components, " "), key))
	}
	return strings.Join(all, "\n")
}

// debianRepositories are those of a suite: a release has its updates in others.
func debianRepositories(suite string) []product.BaseRepository {
	all := []product.BaseRepository{
		{URL: "http://deb.debian.org/debian", Suites: []string{suite}, Components: []string{"main"}},
	}
	if !slices.Contains([]string{"sid", "unstable", "experimental"}, suite) {
		all[0].Suites = append(all[0].Suites, suite+"-updates")
		all = append(all, product.BaseRepository{
			URL: "http://deb.debian.org/debian-security", Suites: []string{suite + "-security"},
			Components: []string{"main"},
		})
	}
	return all
}

// indented returns a text as a field of several lines has it: an empty line is a dot.
func indented(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for n, line := range lines {
		if line = strings.TrimRight(line, " \t\r"); line == "" {
			line = "."
		}
		lines[n] = " " + line
	}
	return strings.Join(lines, "\n")
}
