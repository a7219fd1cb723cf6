package sbom_test

import (
	"testing"

	"github.com/slipway-dev/slipway/evidence/sbom"
	"github.com/slipway-dev/slipway/lock"
)

// FuzzSPDX writes documents of programs and bases that others made.
func FuzzSPDX(f *testing.F) {
	f.Add("go1.26.8", "example.com/app", "v1.0.0", "h1:x=", "./lib", "MIT")
	f.Add("devel +abc", "", "(devel)", "h1: x", "", "see the file LICENSE")
	f.Add("go1.26rc1 X:a", "a b/\u202e@#?", "v1+incompatible", "", "/home/me", "LicenseRef-x OR LicenseRef-x")
	f.Fuzz(func(t *testing.T, toolchain, path, version, sum, replace, license string) {
		l, v := kpack()
		p := &v.Programs[0]
		p.Go, p.Source, p.Main = toolchain, "", lock.Module{Path: path, Version: version, Sum: sum}
		p.Modules = append(p.Modules, lock.Module{
			Path: path, Version: version,
			Sum: sum, Replace: &lock.Module{Path: replace, Version: version},
		}, lock.Module{Path: replace, Sum: sum})
		l.Sources[0].Licenses, v.Bases[0].Licenses = license, license
		for _, image := range []string{"controller", "tools"} {
			b, err := sbom.SPDX(l, v, image)
			if err != nil {
				t.Fatal(err)
			}
			checkSPDX(t, b)
		}
		b, err := sbom.CycloneDX(l, v)
		if err != nil {
			t.Fatal(err)
		}
		checkCycloneDX(t, b)
	})
}
