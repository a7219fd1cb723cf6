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
	File, Platform, Machines, Architecture string
	Build                                  int
	Images                                 []bundle.Image
}

// Scripts returns the scripts that load the bundles of a release on nodes. Each chooses the bundle
// for the node's platform, checks it and imports it with ctr. There is none for an operating system
// without a bundle.
func Scripts(product, version string, targets []Target, files []bundle.File) ([]Script, error) {
	data := struct {
		Name, Version  string
		Complete       string // the bundle for all platforms, where there is one
		Releases       []platform.WindowsRelease
		Linux, Windows []nodeBundle
	}{Name: product, Version: version, Releases: platform.LTSC}
	for _, b := range targets {
		at := slices.IndexFunc(files, func(f bundle.File) bool {
			return filepath.Base(f.Path) == b.Name+distfile.BundleSuffix
		})
		switch {
		case at < 0:
			continue
		case b.Platform.IsZero():
			data.Complete = cmp.Or(data.Complete, b.Name+distfile.BundleSuffix)
			continue
		}
		n := nodeBundle{
			File: b.Name + distfile.BundleSuffix, Platform: b.Platform.String(), Architecture: b.Platform.Architecture,
			Build: platform.Build(b.Platform.OSVersion), Images: files[at].Contents.Images,
		}
		if b.Platform.OS == platform.Windows {
			data.Windows = append(data.Windows, n)
			continue
		}
		arch := b.Platform.Architecture
		if b.Platform.Variant != "" && machines[arch+"/"+b.Platform.Variant] != "" {
			arch += "/" + b.Platform.Variant
		}
		n.Machines = machines[arch]
		if !slices.ContainsFunc(data.Linux, func(o nodeBundle) bool { return o.Machines == n.Machines }) {
			data.Linux = append(data.Linux, n)
		}
	}
	slices.SortStableFunc(data.Windows, func(a, b nodeBundle) int { return cmp.Compare(b.Build, a.Build) })
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
