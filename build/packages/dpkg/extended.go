package dpkg

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
)

const extendedStates = "/var/lib/apt/extended_states"

// writeExtendedStates writes which packages are installed automatically, as apt does: packages
// that the file has keep their place, and new ones come at its end.
func (in *installer) writeExtendedStates() error {
	text, err := tree.ReadText(in.t, extendedStates)
	if err != nil {
		return err
	}
	auto := map[AutoInstalled]bool{}
	for _, a := range in.tx.Auto {
		auto[in.native(a)] = true
	}
	var out strings.Builder
	seen := map[AutoInstalled]bool{}
	err = control.Parse(string(text), func(_ int, s control.Stanza) error {
		a := in.native(AutoInstalled{s.Get("Package"), s.Get("Architecture")})
		only := !slices.ContainsFunc(s, func(f control.Field) bool {
			return !slices.Contains([]string{"Package", "Architecture", "Auto-Installed"}, f.Name)
		})
		if !auto[a] && only {
			return nil
		}
		seen[a] = true
		out.WriteString("Package: " + a.Name + "\nArchitecture: " + a.Architecture + "\n")
		out.WriteString("Auto-Installed: " + one(auto[a]) + "\n")
		for _, f := range s {
			if !slices.Contains([]string{"Package", "Architecture", "Auto-Installed"}, f.Name) {
				out.WriteString(f.Name + ": " + f.Value + "\n")
			}
		}
		out.WriteString("\n")
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", extendedStates, err)
	}
	fresh := slices.Clone(in.tx.Auto)
	slices.SortStableFunc(fresh, func(a, b AutoInstalled) int {
		return cmp.Or(cmp.Compare(aptBin(a.Name), aptBin(b.Name)), strings.Compare(a.Name, b.Name))
	})
	for _, a := range fresh {
		if a = in.native(a); seen[a] {
			continue
		}
		seen[a] = true
		out.WriteString("Package: " + a.Name + "\nArchitecture: " + a.Architecture + "\nAuto-Installed: 1\n\n")
	}
	const mode = 0o644
	return in.t.WriteText(extendedStates, []byte(out.String()), mode)
}

// aptBin is the place of a name in the hash table of apt's cache, in whose order apt writes.
func aptBin(name string) uint32 {
	const begin, factor, bins, lower = 5381, 33, 196613, 0x20
	h := uint32(begin)
	for n := range len(name) {
		h = factor*h + uint32(name[n]|lower)
	}
	return h % bins
}

func one(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// native names the architecture of a package as apt does: one for all architectures has the
// native one.
func (in *installer) native(a AutoInstalled) AutoInstalled {
	if a.Architecture == "" || a.Architecture == "all" {
		a.Architecture = in.tx.Architecture
	}
	return a
}
