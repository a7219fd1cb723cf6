package apt

import (
	"slices"
	"testing"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/dpkg"
	"github.com/slipway-dev/slipway/product"
)

// TestAutomatic checks which packages are marked as installed for others after an operation: those
// that are not installed lose their mark when apt writes the file.
func TestAutomatic(t *testing.T) {
	const arch = "amd64"
	here := tree.New(nil)
	for p, text := range map[string]string{
		statusFile: "Package: kept\nStatus: install ok installed\nArchitecture: amd64\n\n" +
			"Package: asked\nStatus: install ok installed\nArchitecture: all\n\n" +
			"Package: rest\nStatus: deinstall ok config-files\nArchitecture: amd64\n",
		extendedStates: "Package: kept\nArchitecture: amd64\nAuto-Installed: 1\n\n" +
			"Package: asked\nArchitecture: amd64\nAuto-Installed: 1\n\n" +
			"Package: gone\nArchitecture: amd64\nAuto-Installed: 1\n\n" +
			"Package: rest\nArchitecture: amd64\nAuto-Installed: 1\n",
	} {
		if err := here.MkdirAll("/var/lib/dpkg", tree.Root); err != nil {
			t.Fatal(err)
		}
		if err := here.MkdirAll("/var/lib/apt", tree.Root); err != nil {
			t.Fatal(err)
		}
		if err := here.WriteText(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	added := []product.LockedPackage{{Action: product.ActionInstall, Name: "new", Arch: arch, Auto: true}}
	for _, c := range []struct {
		packages []product.LockedPackage
		want     []string
	}{
		{nil, []string{"kept", "gone", "rest"}},
		{added, []string{"kept", "new"}},
	} {
		got, err := automatic(here, operation{verb: install, names: []string{"asked"}},
			product.LockedPackages{Packages: c.packages}, arch)
		var names []string
		for _, a := range got {
			names = append(names, a.Name)
		}
		if err != nil || !slices.Equal(names, c.want) {
			t.Errorf("%v, %v, want %v", names, err, c.want)
		}
		if slices.Contains(got, dpkg.AutoInstalled{}) {
			t.Errorf("%v has an empty entry", got)
		}
	}
}
