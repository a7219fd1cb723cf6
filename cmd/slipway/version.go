package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"golang.org/x/mod/module"
)

// version and revision are set by the linker in a release: -X main.version=v1.2.3. Other builds use
// the version of the module and the commit, as far as the go command knows them.
var version, revision string

func newVersion(f *flags) *cobra.Command {
	return add(&cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  slipway version\n  slipway version -json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := identify()
			if f.json {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(v)
			}
			_, err := fmt.Fprintln(cmd.OutOrStdout(), v)
			return err
		},
	}, f.addJSON)
}

// identity describes the running binary.
type identity struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Platform string `json:"platform"`
	Go       string `json:"go"`
}

// String returns the line that slipway version prints.
func (i identity) String() string {
	commit := ""
	if i.Revision != "" {
		commit = "commit " + i.Revision + ", "
	}
	return fmt.Sprintf("slipway %s (%s%s, %s)", i.Version, commit, i.Platform, i.Go)
}

// identify returns the identity of this binary.
func identify() identity {
	info, _ := debug.ReadBuildInfo()
	return describe(version, revision, info)
}

// describe prefers what the linker has set over the build information of the go command; info may
// be nil. A pseudo-version names its commit.
func describe(version, revision string, info *debug.BuildInfo) identity {
	b := identity{
		Version: version, Revision: revision, Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Go: runtime.Version(),
	}
	if info != nil {
		if b.Version == "" && info.Main.Version != "(devel)" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && b.Revision == "" {
				b.Revision = s.Value
			}
		}
	}
	if b.Revision == "" && module.IsPseudoVersion(b.Version) {
		b.Revision, _ = module.PseudoVersionRev(b.Version) // it is one
	}
	if b.Version == "" {
		b.Version = "devel"
	}
	return b
}
