package apt

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/build/packages/dpkg"
	"github.com/slipway-dev/slipway/build/packages/dpkg/deb"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// architectures are Debian's names for those of platforms.
var architectures = map[string]string{
	"amd64": "amd64", "386": "i386", "arm64": "arm64", "arm/v7": "armhf", "arm/v6": "armel", "arm/v5": "armel",
	"arm": "armhf", "ppc64le": "ppc64el", "s390x": "s390x", "riscv64": "riscv64", "mips64le": "mips64el",
	"loong64": "loong64",
}

// architecture returns Debian's name for the architecture of a platform.
func architecture(p platform.Platform) (string, error) {
	for _, name := range []string{strings.Trim(p.Architecture+"/"+p.Variant, "/"), p.Architecture} {
		if a, ok := architectures[name]; ok {
			return a, nil
		}
	}
	return "", fmt.Errorf("there are no packages of Debian for %s", p)
}

// install unpacks and configures packages, and removes others, as packages.lock.yaml has them.
func (m *Manager) install(ctx context.Context, c packages.Call, o operation, entry product.LockedPackages,
	debs []layer.Content,
) error {
	arch, err := architecture(c.Platform)
	if err != nil {
		return err
	}
	tx := dpkg.Transaction{
		Architecture: arch, Archives: c.Archives, Script: m.scripts(c, arch).run, Options: dpkgOptions(o),
	}
	for n, p := range entry.Packages {
		change := dpkg.Change{Name: p.Name, Purge: p.Action == product.ActionPurge}
		if p.Arch != arch && p.Arch != "all" {
			change.Name += ":" + p.Arch
		}
		if p.Action == product.ActionInstall {
			want := deb.Identity{Package: p.Name, Version: p.Version, Architecture: p.Arch}
			if change.Deb, err = deb.Open(path.Base(p.Path), debs[n], want); err != nil {
				return err
			}
			if p.Repository.URL != "" && change.Deb.Control.Get("Priority") != "" { // else that of the file
				change.Priority = cmp.Or(p.Priority, "optional")
			}
		}
		tx.Changes = append(tx.Changes, change)
	}
	if err := unpacked(ctx, c.Archives, tx.Changes, debs); err != nil {
		return err
	}
	if tx.Auto, err = automatic(c.Tree, o, entry, arch); err != nil {
		return err
	}
	_, err = dpkg.Install(ctx, c.Tree, tx)
	return err
}

// unpacked unpacks packages into the store, on all processors, the largest first: installing them
// then only reads lists of files.
func unpacked(ctx context.Context, a *tree.Archives, changes []dpkg.Change, debs []layer.Content) error {
	var order []int
	for n, change := range changes {
		if change.Deb != nil {
			order = append(order, n)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(debs[b].Size, debs[a].Size) })
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	var apart []*tree.Archives
	for _, n := range order {
		own := a.Aside()
		apart = append(apart, own)
		g.Go(func() error {
			return changes[n].Deb.Walk(ctx, own, func(deb.Member) error { return nil })
		})
	}
	err := g.Wait()
	a.Join(apart...)
	return err
}

// dpkgOptions are the options that apt gives to dpkg: those of -o Dpkg::Options::=--force-confold.
func dpkgOptions(o operation) (all []string) {
	for _, s := range o.settings {
		if strings.EqualFold(strings.TrimRight(s.key, ":"), "Dpkg::Options") {
			all = append(all, strings.Trim(s.value, `"'`))
		}
	}
	return all
}

// extendedStates is where apt keeps which packages were installed for others.
const extendedStates = "/var/lib/apt/extended_states"

// automatic returns the packages that were installed for others, as they are after an operation.
func automatic(t *tree.Tree, o operation, entry product.LockedPackages, arch string) ([]dpkg.AutoInstalled, error) {
	all, err := readAuto(t)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(a dpkg.AutoInstalled) bool {
		return o.verb == install && slices.ContainsFunc(o.names, func(w string) bool { return means(w, a.Name) })
	})
	if len(entry.Packages) > 0 { // apt forgets what is not installed when it writes the file
		there, err := present(t, arch)
		if err != nil {
			return nil, err
		}
		all = slices.DeleteFunc(all, func(a dpkg.AutoInstalled) bool { return !there[a] })
	}
	for _, p := range entry.Packages {
		a := dpkg.AutoInstalled{Name: p.Name, Architecture: p.Arch}
		if a.Architecture == "all" {
			a.Architecture = arch
		}
		all = slices.DeleteFunc(all, func(o dpkg.AutoInstalled) bool { return o == a })
		if p.Auto && p.Action == product.ActionInstall {
			all = append(all, a)
		}
	}
	return all, nil
}

// present returns the packages of which files are there, by /var/lib/dpkg/status.
func present(t *tree.Tree, arch string) (map[dpkg.AutoInstalled]bool, error) {
	text, err := tree.ReadText(t, statusFile)
	all := map[dpkg.AutoInstalled]bool{}
	for paragraph := range strings.SplitSeq(string(text), "\n\n") {
		a := dpkg.AutoInstalled{Name: field(paragraph, "Package"), Architecture: field(paragraph, "Architecture")}
		if a.Architecture == "all" {
			a.Architecture = arch
		}
		words := strings.Fields(field(paragraph, "Status"))
		if n := len(words); n > 0 && words[n-1] != "not-installed" && words[n-1] != "config-files" {
			all[a] = true
		}
	}
	return all, err
}

// readAuto returns the packages of extended_states.
func readAuto(t *tree.Tree) ([]dpkg.AutoInstalled, error) {
	text, err := tree.ReadText(t, extendedStates)
	all := []dpkg.AutoInstalled{}
	for paragraph := range strings.SplitSeq(string(text), "\n\n") {
		a := dpkg.AutoInstalled{Name: field(paragraph, "Package"), Architecture: field(paragraph, "Architecture")}
		if a.Name != "" && field(paragraph, "Auto-Installed") == "1" {
			all = append(all, a)
		}
	}
	return all, err
}

// means reports whether an operand of install means a package.
func means(operand, name string) bool {
	operand, _, _ = strings.Cut(operand, "=")
	operand, _, _ = strings.Cut(operand, "/")
	operand, _, _ = strings.Cut(operand, ":")
	return operand == name
}
