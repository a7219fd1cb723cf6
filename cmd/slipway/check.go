package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

func newCheck(f *flags) *cobra.Command {
	return add(&cobra.Command{
		Use:   "check",
		Short: "Find mistakes that would stop a release, without building anything",
		Long: `Check is the first step of every release: slipway.yaml, the main packages of its programs, its
Dockerfiles with all files that they copy, and release.yaml, rendered with placeholder digests
and checked by the rules of lint. All mistakes are reported at once, with the warnings that a
release prints. Check compiles nothing and writes nothing, but downloads Go modules that are not
in the module cache.

With -registry, check also enforces the requirements of a release to a registry, such as bases
pinned by digest, and reads the documents of bases, prebuilt and third-party images in their
registries. Without -registry, check asks no registry, and lists these requirements.`,
		Example: "  slipway check\n  slipway check -registry=ghcr.io/me -json",
		RunE: f.prints(func(cmd *cobra.Command, _ []string) (table, error) {
			r := checked{Errors: []string{}}
			f.looks = true
			p, err := f.load(cmd.Context())
			if err == nil {
				if !f.quiet {
					fmt.Fprintln(cmd.ErrOrStderr(), p.Title())
				}
				r.Name, r.Version, r.VersionSource, r.Channel, r.Snapshot = p.Name, p.Version, &p.VersionSource,
					p.Channel, p.Snapshot()
				r.Checked, err = release.Check(cmd.Context(), p)
				r.Warnings = append(r.Warnings, release.Aged(p, time.Now())...)
			}
			for _, e := range output.Split(err) {
				r.Errors = append(r.Errors, e.Error())
			}
			return verdict{r, err}, nil
		}),
	}, f.addDescription, f.addRegistry, f.addVersion, f.addSelection, f.addQuiet, f.addJSON)
}

// checked is the printed result of a check.
type checked struct {
	Name          string                 `json:"name,omitempty"` // "" if slipway.yaml has errors
	Version       string                 `json:"version,omitempty"`
	VersionSource *product.VersionSource `json:"versionSource,omitempty"`
	Channel       string                 `json:"channel,omitempty"`
	Snapshot      bool                   `json:"snapshot"`
	Errors        []string               `json:"errors"`
	release.Checked
}

// WriteTable writes the warnings and, without errors, the product and the further requirements of a
// release.
func (c checked) WriteTable(w io.Writer) error {
	for _, line := range c.Warnings {
		output.Fprintf(w, "%s\n", line)
	}
	if len(c.Errors) > 0 {
		return nil
	}
	fmt.Fprintf(w, "%s %s: no mistakes found\n", c.Name, c.Version)
	if len(c.BeforeRelease) > 0 {
		fmt.Fprintln(w, "A release to a registry also requires:")
	}
	for _, line := range c.BeforeRelease {
		fmt.Fprintln(w, "  "+line)
	}
	return nil
}
