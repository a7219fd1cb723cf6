package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is set by the linker in a release: -X main.version=v1.2.3. Other builds use the
// module version or the commit.
var version string

func newVersion(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  slipway version\n  slipway version -json",
		Args:    usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := identify()
			if f.json {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(v)
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "slipway %s (%s, %s)\n", v.Version, v.Platform, v.Go)
			return err
		},
	}
	f.addJSON(cmd)
	return cmd
}

// identity describes the running binary.
type identity struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Platform string `json:"platform"`
	Go       string `json:"go"`
}

// identify returns the identity of this binary.
func identify() identity {
	info, _ := debug.ReadBuildInfo()
	return describe(version, info)
}

// describe prefers the linker's version over the build information of the go
// command; info may be nil.
func describe(version string, info *debug.BuildInfo) identity {
	b := identity{Version: version, Platform: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	if info != nil {
		if b.Version == "" && info.Main.Version != "(devel)" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Revision = s.Value
			}
		}
	}
	if b.Version == "" {
		b.Version = "devel"
	}
	return b
}
