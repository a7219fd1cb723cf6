package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
)

func newInspect(f *flags) *cobra.Command {
	i := inspecting{format: formatTable}
	cmd := &cobra.Command{
		Use:   "inspect BUNDLE",
		Short: "List the images of a bundle",
		Long: `Inspect lists the images of a bundle with their platforms, sizes and digests, and the images
that were omitted with the reason. Inspect reads only the metadata at the beginning of the
file, so it is fast however large the bundle is. Nothing is proven by it: "slipway verify -key"
proves who made a bundle.

Other forms of the list, by -format:

  names     the name of each image on a line, as in images.txt and the image lists of k3s
            and RKE2
  digests   the same, with the digest of each
  charts    the names of the Helm charts
  kubelet   preloadedImagesVerificationAllowlist for the configuration of a kubelet whose
            node has the bundle: its pods may use these images without credentials`,
		Example: `  slipway airgap inspect dist/kpack-images.tar.zst
  slipway airgap inspect -json dist/kpack-images.linux-amd64.tar.zst
  slipway airgap inspect -format=names dist/kpack-images.tar.zst`,
		RunE: f.prints(func(_ *cobra.Command, args []string) (table, error) {
			var err error
			i.Contents, err = bundle.Inspect(args[0])
			return i, err
		}),
	}
	choose(cmd, &i.format, "format", "form of the result", formatTable, formatNames, formatDigests, formatCharts,
		formatKubelet)
	f.addJSON(cmd)
	cmd.MarkFlagsMutuallyExclusive("json", "format") // -json has all
	return cmd
}

// format is a form in which inspect prints a bundle.
type format string

const (
	formatTable   format = "table"
	formatNames   format = "names"
	formatDigests format = "digests"
	formatCharts  format = "charts"
	formatKubelet format = "kubelet"
)

// inspecting is the printed result of inspect.
type inspecting struct {
	*bundle.Contents

	// Proven is false: nothing was verified.
	Proven bool `json:"proven"`

	format format
}

func (i inspecting) WriteTable(w io.Writer) error {
	switch i.format { //nolint:exhaustive // a table is below
	case formatKubelet:
		return i.WriteKubelet(w)
	case formatNames, formatDigests, formatCharts:
		return i.WriteNames(w, i.format == formatCharts, i.format == formatDigests)
	}
	if err := i.Contents.WriteTable(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "Nothing of this is proven: slipway verify -key proves who made it.")
	return err
}

func newDiff(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff OLD-BUNDLE NEW-BUNDLE",
		Short: "Compare two bundles",
		Long: `Diff lists the images that were added, removed or changed, and the size of the new layers:
the contents of a delta, and the bytes that push sends to a registry with the old images. Diff
reads only the metadata of the bundles. Either of them may be a delta.`,
		Example: `  slipway airgap diff old/kpack-images.tar.zst dist/kpack-images.tar.zst
  slipway airgap diff -json old/kpack-images.tar.zst dist/kpack-images.tar.zst`,
		RunE: f.prints(func(_ *cobra.Command, args []string) (table, error) {
			from, err := bundle.Inspect(args[0])
			if err != nil {
				return nil, err
			}
			to, err := bundle.Inspect(args[1])
			if err != nil {
				return nil, err
			}
			return bundle.Diff(from, to), nil
		}),
	}
	return add(cmd, f.addJSON)
}
