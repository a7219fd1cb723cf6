package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/regular"
)

func newMirrorConfig(f *flags) *cobra.Command {
	var o airgap.MirrorOptions
	out := "mirror-config"
	cmd := &cobra.Command{
		Use:   "mirror-config BUNDLE ... -to=HOST[/PREFIX]",
		Short: "Write the configuration for nodes that pull from a private registry",
		Long: `Mirror-config writes the configuration by which nodes pull the images of bundles from the
registry that they were pushed to, while manifests keep the original names:

  certs.d          for containerd: copy it to the directory that config_path names, usually
                   /etc/containerd/certs.d
  registries.yaml  for RKE2 and k3s: copy it to /etc/rancher/rke2 or /etc/rancher/k3s

An existing file with other content is an error, and then nothing is written.`,
		Example: `  slipway airgap mirror-config kpack-images.tar.zst -to=registry.internal/mirror
  slipway airgap mirror-config kpack-images.tar.zst -to=registry.internal/mirror -ca-file=/etc/pki/internal.pem -out=nodes`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.To == "" {
				return usageError{fmt.Errorf("-to is missing: name the registry, as in -to=registry.internal/mirror; see %s -h", cmd.CommandPath())}
			}
			var bundles []*bundle.Contents
			for _, path := range args {
				c, err := bundle.Inspect(path)
				if err != nil {
					return err
				}
				bundles = append(bundles, c)
			}
			files, err := airgap.MirrorConfig(bundles, o)
			if err != nil {
				return err
			}
			if err := writeConfig(cmd, out, files); err != nil {
				return err
			}
			return f.show(cmd, configFiles{out, files})
		},
	}
	cmd.Flags().StringVar(&o.To, "to", "", "host[/prefix] that the bundles were pushed to")
	cmd.Flags().StringVar(&o.CAFile, "ca-file", "", "path, on the nodes, of a certificate authority that they trust for the registry")
	cmd.Flags().StringVar(&out, "out", out, "directory for the files")
	cmd.MarkFlagDirname("out") //nolint:errcheck // fails only where the flag is missing
	f.addJSON(cmd)
	return cmd
}

// writeConfig writes files into a directory. It writes none if the directory has one
// of them with other content.
func writeConfig(cmd *cobra.Command, dir string, files []airgap.ConfigFile) error {
	var errs []error
	for _, file := range files {
		path := filepath.Join(dir, filepath.FromSlash(file.Path))
		if old, err := regular.Read(path); err == nil && !bytes.Equal(old, file.Data) {
			errs = append(errs, fmt.Errorf("%s exists with other content: name another directory with -out, or merge the two", path))
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, file := range files {
		path := filepath.Join(dir, filepath.FromSlash(file.Path))
		if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
			return err
		}
		if err := disk.WriteAlone(cmd.Context(), path, file.Data, disk.ModeFile, saying(cmd)); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}

// configFiles is the printed list of files for nodes.
type configFiles struct {
	Dir   string              `json:"dir"`
	Files []airgap.ConfigFile `json:"files"`
}

func (c configFiles) WriteTable(w io.Writer) error {
	for _, f := range c.Files {
		if _, err := fmt.Fprintln(w, filepath.Join(c.Dir, filepath.FromSlash(f.Path))); err != nil {
			return err
		}
	}
	return nil
}
