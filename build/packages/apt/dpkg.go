package apt

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/build/packages/dpkg"
	"github.com/slipway-dev/slipway/build/packages/dpkg/deb"
	"github.com/slipway-dev/slipway/platform"
)

// dpkgCall is a command of dpkg, read.
type dpkgCall struct {
	action  string   // --install, --extract, …
	options []string // --force-…
	names   []string
}

// actions are those of dpkg and dpkg-deb, by their long form. Those that are nothing print, and
// change no file.
var actions = map[string]string{
	"-i": "--install", "--install": "--install", "-r": "--remove", "--remove": "--remove", "-P": "--purge",
	"--purge": "--purge", "-x": "--extract", "--extract": "--extract", "-X": "--extract", "--vextract": "--extract",
	"--add-architecture": "--add-architecture", "--configure": "", "-l": "", "--list": "", "-s": "", "--status": "",
	"-L": "", "--listfiles": "", "-S": "", "--search": "", "-V": "", "--verify": "", "-C": "", "--audit": "",
	"-I": "", "--info": "", "-c": "", "--contents": "", "--print-architecture": "", "--print-foreign-architectures": "",
	"--version": "",
}

func readDpkg(args []string) (c dpkgCall, err error) {
	found := false
	for _, w := range args[1:] {
		action, ok := actions[w]
		switch {
		case ok && found:
			return c, fmt.Errorf("%s has two actions, the second is %s", args[0], w)
		case ok:
			c.action, found = action, true
		case strings.HasPrefix(w, "--force-"), strings.HasPrefix(w, "--no-force-"):
			c.options = append(c.options, w)
		case w == "-a" || w == "--pending" || w == "-E" || w == "-G":
		case strings.HasPrefix(w, "-"):
			return c, fmt.Errorf("option %s is not known here", w)
		default:
			c.names = append(c.names, w)
		}
	}
	switch {
	case !found:
		return c, fmt.Errorf("%s has no action such as -i", args[0])
	case c.action != "" && len(c.names) == 0:
		return c, fmt.Errorf("%s %s names nothing", args[0], c.action)
	case c.action == "--extract" && len(c.names) != 2:
		return c, fmt.Errorf("%s %s has a file and a directory", args[0], c.action)
	}
	return c, nil
}

func checkDpkg(args []string) error {
	_, err := readDpkg(args)
	return err
}

// Print returns what a command prints: the architecture of the stage.
func (m *Manager) Print(args []string, p platform.Platform) (string, error) {
	if len(args) != 2 || args[1] != "--print-architecture" {
		return "", fmt.Errorf("%s: what it prints is not known here: write the text", strings.Join(args, " "))
	}
	arch, err := architecture(p)
	return arch + "\n", err
}

// dpkg is dpkg, or dpkg-deb where it unpacks.
func (m *Manager) dpkg(ctx context.Context, c packages.Call) error {
	o, err := readDpkg(c.Args)
	if err != nil || o.action == "" {
		return err
	}
	if c.Unknown {
		return packages.Later(fmt.Errorf("the base is not at hand"))
	}
	arch, err := architecture(c.Platform)
	if err != nil {
		return err
	}
	switch o.action {
	case "--add-architecture":
		return addArchitecture(c.Tree, arch, o.names)
	case "--extract":
		d, err := open(c, o.names[0])
		if err != nil {
			return err
		}
		return extract(ctx, c, d, path.Join("/", c.Dir, o.names[1]), o.names[1])
	}
	tx := dpkg.Transaction{
		Architecture: arch, Archives: c.Archives, Dpkg: true, Options: o.options, Script: m.scripts(c, arch).run,
	}
	for _, name := range o.names {
		change := dpkg.Change{Name: name, Purge: o.action == "--purge"}
		if o.action == "--install" {
			if change.Deb, err = open(c, name); err != nil {
				return err
			}
		}
		tx.Changes = append(tx.Changes, change)
	}
	_, err = dpkg.Install(ctx, c.Tree, tx)
	return err
}

// open opens a .deb of the stage.
func open(c packages.Call, name string) (*deb.Deb, error) {
	content, err := local(c, name)
	if err != nil {
		return nil, err
	}
	return deb.Open(name, content, deb.Identity{})
}

// local returns a file of the stage by its path.
func local(c packages.Call, name string) (layer.Content, error) {
	p := name
	if !path.IsAbs(p) {
		p = path.Join(c.Dir, p)
	}
	_, n, err := tree.Resolve(c.Tree, path.Clean(p))
	switch {
	case err != nil:
		return layer.Content{}, err
	case n == nil || n.Kind != layer.Regular || n.Odd != "":
		return layer.Content{}, fmt.Errorf("%s is not a file of the stage", name)
	}
	content, err := n.Content()
	if err == nil && content.Open == nil {
		err = packages.Later(fmt.Errorf("a check does not read %s", name))
	}
	return content, err
}

// addArchitecture is dpkg --add-architecture.
func addArchitecture(t *tree.Tree, native string, names []string) error {
	const file = "/var/lib/dpkg/arch"
	text, err := tree.ReadText(t, file)
	if err != nil {
		return err
	}
	all := strings.Fields(string(text))
	if len(all) == 0 {
		all = []string{native}
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	const mode = 0o644
	return t.WriteText(file, []byte(strings.Join(all, "\n")+"\n"), mode)
}

// extract is dpkg -x: it unpacks the files of a package into a directory, and runs no script.
func extract(ctx context.Context, c packages.Call, d *deb.Deb, dir, word string) error {
	if path.IsAbs(word) {
		dir = path.Clean(word)
	}
	dir, err := tree.Follow(c.Tree, dir)
	if err != nil {
		return err
	}
	if err := c.Tree.MkdirAll(dir, tree.Root); err != nil {
		return err
	}
	return d.Walk(ctx, c.Archives, func(member deb.Member) error {
		at, err := tree.Follow(c.Tree, path.Join(dir, path.Dir(member.Path)))
		if err != nil {
			return err
		}
		if member.Path != "/" {
			at = path.Join(at, path.Base(member.Path))
		}
		n := member.Node
		if member.Kind == layer.Hardlink {
			if _, n, err = tree.Resolve(c.Tree, path.Join(dir, member.Link)); err != nil {
				return err
			}
		}
		if n.Kind == layer.Dir {
			if there, err := c.Tree.Lstat(at); err != nil || there != nil && there.Kind == layer.Symlink {
				return err // as tar: a link to a directory stays
			}
		}
		return c.Tree.Set(at, n)
	})
}
