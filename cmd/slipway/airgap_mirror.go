package main

import (
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
)

func newMirrorConfig(f *flags) *cobra.Command {
	var o airgap.MirrorOptions
	var config airgap.ConfigFiles
	cmd := &cobra.Command{
		Use:   "mirror-config BUNDLE ... -to=HOST[/PREFIX]",
		Short: "Write the configuration for nodes that pull from a private registry",
		Long: `Mirror-config writes the configuration by which nodes pull the images of bundles from the
registry that they were pushed to, while manifests keep the original names:

  certs.d          for containerd: copy it to the directory of config_path, usually
                   /etc/containerd/certs.d
  registries.yaml  for RKE2 and k3s: copy it to /etc/rancher/rke2 or /etc/rancher/k3s

An existing file with other content is an error, and then nothing is written.`,
		Example: `  slipway airgap mirror-config kpack-images.tar.zst -to=registry.internal/mirror
  slipway airgap mirror-config kpack-images.tar.zst -to=registry.internal/mirror \
      -node-ca-file=/etc/pki/internal.pem -out=nodes`,
		RunE: f.prints(func(cmd *cobra.Command, args []string) (table, error) {
			if o.To == "" {
				return nil, misuse(cmd, "-to is missing: name the registry, as in -to=registry.internal/mirror")
			}
			if err := swapped(cmd, args, o.To); err != nil {
				return nil, err
			}
			var bundles []*bundle.Contents
			for _, path := range args {
				c, err := bundle.Inspect(path)
				if err != nil {
					return nil, err
				}
				bundles = append(bundles, c)
			}
			var err error
			if config.Files, err = airgap.MirrorConfig(bundles, o); err != nil {
				return nil, err
			}
			return config, config.Write(cmd.Context(), saying(cmd))
		}),
	}
	cmd.Flags().StringVar(&o.To, "to", "", "target registry, host[/prefix], that the bundles were pushed to")
	cmd.Flags().StringVar(&o.CAFile, "node-ca-file", "",
		"path, on the nodes, of a certificate authority that they trust for the registry")
	dirFlag(cmd, &config.Dir, "out", "mirror-config", "output directory")
	return add(cmd, f.addJSON)
}
