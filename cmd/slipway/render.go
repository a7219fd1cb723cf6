package main

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/renaming"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/release"
)

func newRender(f *flags) *cobra.Command {
	var destination string
	cmd := &cobra.Command{
		Use:   "render",
		Short: "Write release.yaml, every image pinned by digest",
		Long: `Render evaluates the product's ytt templates and writes release.yaml. It fails if the result
breaks a rule of lint that is an error: for example, if a reference is not pinned, an image
named for Windows has no Windows platform, or a pod selects no operating system.

The images have their names at the first registry of the release. With -destination they have
those at another one, and the file is release.REGISTRY.yaml.`,
		Example: "  slipway render\n  slipway render -out=/tmp/kpack\n  slipway render -destination=ghcr.io/me",
		Args:    usage(cobra.NoArgs),
		RunE: f.stage(func(cmd *cobra.Command, s stage) error {
			l, err := s.published()
			if err != nil {
				return err
			}
			path := filepath.Join(f.out, release.Manifest)
			if destination != "" {
				if l, err = s.at(l, destination); err != nil {
					return err
				}
				path = renaming.DefaultOut(path, l.Registry)
			}
			text, _, err := release.Render(cmd.Context(), s.product, l, nil)
			if err != nil {
				return err
			}
			if text == nil {
				return fmt.Errorf("no templates to render: name some under release.templates of %s", s.product.Path)
			}
			if err := s.writeManifest(path, text); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		}),
	}
	cmd.Flags().StringVar(&destination, "destination", "", "a registry of the release, host[/prefix], or a selected destination by its name (default the first)")
	f.addProduct(cmd)
	return cmd
}

// writeManifest writes a rendered manifest. Only release.yaml is among the files that checksums list,
// and these hold on if it is as it was.
func (s stage) writeManifest(path string, text []byte) error {
	if have, err := regular.Read(path); err != nil || !bytes.Equal(have, text) {
		if filepath.Base(path) == release.Manifest {
			if err := s.claim(release.Manifest); err != nil {
				return err
			}
		}
		if err := disk.Write(path, text, disk.ModeFile); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return release.Settle(s.flags.out, s.product.Name)
}

// at returns the lock as it is at one registry of the release.
func (s stage) at(l *lock.Lock, destination string) (*lock.Lock, error) {
	registry := destination
	for _, d := range s.product.Destinations {
		if d.Name == destination {
			registry = d.Registry
		}
	}
	at, ok := l.At(registry)
	if !ok {
		return nil, fmt.Errorf("-destination %s: the release is at %s: name one of these", destination, strings.Join(l.Registries(), ", "))
	}
	return at, nil
}
