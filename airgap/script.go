package airgap

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/platform"
)

//go:embed scripts
var scripts embed.FS

// Script is a script for nodes.
type Script struct {
	Name string // load-images.sh or load-images.ps1
	Data []byte
}

// machines are what uname -m prints on an architecture, as patterns of a shell.
var machines = map[string]string{
	"386": "i386 | i486 | i586 | i686", "amd64": "x86_64 | amd64", "arm64": "aarch64 | arm64", "arm/v6": "armv6l",
	"arm": "armv7l", "arm/v7": "armv7l",
	"loong64": "loongarch64", "mips64le": "mips64el", "ppc64le": "ppc64le", "riscv64": "riscv64", "s390x": "s390x",
}

// nodeBundle is a bundle in a script.
type nodeBundle struct {
	File, Groups string // Groups are names, separated by spaces; "" for all images
	Images       []bundle.Image
	// Lacking are the layers of images that a sparse bundle lacks, and Base is the file that has
	// them.
	Lacking []v1.Hash
	Base    string
}

// node is a kind of nodes, and the bundles for it.
type node struct {
	Platform, Machines, Architecture string
	Build                            int
	All                              *nodeBundle  // that with all images; nil if there is none
	Parts                            []nodeBundle // those of groups, in the order of import
}

// Bundles are all of them.
func (n node) Bundles() []nodeBundle {
	if n.All == nil {
		return n.Parts
	}
	return append([]nodeBundle{*n.All}, n.Parts...)
}

// nodes divides bundles among the nodes that they are for, in the order of the targets. complete is
// the bundle of all images for all platforms, "" if there is none.
func nodes(targets []Target, files []bundle.File) (all []*node, complete string) {
	for _, b := range targets {
		at := slices.IndexFunc(files, func(f bundle.File) bool {
			return filepath.Base(f.Path) == b.Name+distfile.BundleSuffix
		})
		switch {
		case at < 0:
			continue
		case b.Platform.IsZero():
			if len(b.Groups) == 0 {
				complete = cmp.Or(complete, b.Name+distfile.BundleSuffix)
			}
			continue
		}
		c := files[at].Contents
		one := nodeBundle{File: b.Name + distfile.BundleSuffix, Groups: strings.Join(b.Groups, " "), Images: c.Images}
		if c.Needs != nil {
			one.Lacking, one.Base = lacked(c), c.Needs.Bundle
		}
		n := slices.IndexFunc(all, func(o *node) bool { return o.Platform == b.Platform.String() })
		if n < 0 {
			n = len(all)
			all = append(all, &node{
				Platform: b.Platform.String(), Architecture: b.Platform.Architecture, Machines: machinesOf(b.Platform),
				Build: platform.Build(b.Platform.OSVersion),
			})
		}
		switch of := all[n]; {
		case one.Groups != "":
			of.Parts = append(of.Parts, one)
		case of.All == nil:
			of.All = &one
		}
	}
	for _, n := range all { // complete bundles of groups first, which complete the sparse ones
		slices.SortStableFunc(n.Parts, func(a, b nodeBundle) int {
			return cmp.Compare(min(len(a.Base), 1), min(len(b.Base), 1))
		})
	}
	return all, complete
}

// lacked returns the layers of images that a sparse bundle lacks. Those of their referrers are on
// no node: containerd removes what no image refers to.
func lacked(c *bundle.Contents) []v1.Hash {
	own := map[v1.Hash]bool{}
	for _, i := range c.Images {
		for _, m := range i.Included() {
			for _, l := range m.Layers {
				own[l.Digest] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(c.Needs.Lacking), func(h v1.Hash) bool { return !own[h] })
}

// machinesOf returns what uname -m prints on machines of a platform.
func machinesOf(p platform.Platform) string {
	if m := machines[p.Architecture+"/"+p.Variant]; p.Variant != "" && m != "" {
		return m
	}
	return machines[p.Architecture]
}

// Scripts returns the scripts that load the bundles of a release on nodes. Each chooses the bundles
// for the node's platform, checks them and imports them with ctr. There is none for an operating
// system without a bundle.
func Scripts(product, version string, targets []Target, files []bundle.File) ([]Script, error) {
	data := struct {
		Name, Version  string
		Complete       string // the bundle for all platforms, where there is one
		Parts          bool   // there are bundles of groups
		Groups         string // that have bundles of their own; "" for none
		Releases       []platform.WindowsRelease
		Linux, Windows []*node
		Gzip           bool // bundles have a .tar.gz, too
		Snapshot       bool // the bundles are of a snapshot
	}{
		Name: product, Version: version, Releases: platform.LTSC,
		Gzip:     slices.ContainsFunc(files, func(f bundle.File) bool { return f.Gzip != nil }),
		Snapshot: slices.ContainsFunc(files, func(f bundle.File) bool { return f.Contents.Snapshot }),
	}
	kinds, complete := nodes(targets, files)
	data.Complete = complete
	var groups []string
	for _, n := range kinds {
		data.Parts = data.Parts || len(n.Parts) > 0
		for _, p := range n.Parts {
			if !slices.Contains(groups, p.Groups) && !strings.Contains(p.Groups, " ") {
				groups = append(groups, p.Groups)
			}
		}
		switch {
		case n.Build > 0:
			data.Windows = append(data.Windows, n)
		case !slices.ContainsFunc(data.Linux, func(o *node) bool { return o.Machines == n.Machines }):
			data.Linux = append(data.Linux, n)
		}
	}
	data.Groups = strings.Join(groups, " ")
	slices.SortStableFunc(data.Windows, func(a, b *node) int { return cmp.Compare(b.Build, a.Build) })
	var all []Script
	for _, s := range []struct {
		name string
		has  bool
	}{{distfile.WindowsScript, len(data.Windows) > 0}, {distfile.LinuxScript, len(data.Linux) > 0}} {
		if !s.has {
			continue
		}
		t, err := template.ParseFS(scripts, "scripts/"+s.name)
		if err != nil {
			return nil, err
		}
		var out bytes.Buffer
		if err := t.Execute(&out, data); err != nil {
			return nil, fmt.Errorf("writing %s: %w", s.name, err)
		}
		text := out.String()
		if strings.HasSuffix(s.name, ".ps1") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		all = append(all, Script{s.name, []byte(text)})
	}
	return all, nil
}
