package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
)

func newInspect(f *flags) *cobra.Command {
	return add(&cobra.Command{
		Use:   "inspect BUNDLE",
		Short: "List the images of a bundle",
		Long: `Inspect lists the images of a bundle with their platforms, sizes and digests, and the images
that were omitted with the reason. It reads only the metadata at the beginning of the file,
so it is fast however large the bundle is. All of it is what the file says of itself: only
"slipway airgap verify -key" proves who made it.`,
		Example: `  slipway airgap inspect dist/kpack-images.tar.zst
  slipway airgap inspect -json dist/kpack-images.linux-amd64.tar.zst`,
		RunE: f.prints(func(_ *cobra.Command, args []string) (table, error) {
			c, err := bundle.Inspect(args[0])
			return inspected{Contents: c}, err
		}),
	}, f.addJSON)
}

// inspected is what a bundle says of itself.
type inspected struct {
	*bundle.Contents

	// Proven is false: nothing was verified.
	Proven bool `json:"proven"`
}

func (i inspected) WriteTable(w io.Writer) error {
	if err := i.Contents.WriteTable(w); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, "nothing of this is proven: airgap verify with -key tells who made it")
	return err
}

func newList(f *flags) *cobra.Command {
	var l imageList
	cmd := &cobra.Command{
		Use:   "list BUNDLE",
		Short: "List the names of a bundle's images",
		Long: `List prints the name of each image, one per line: the format of images.txt and of the image
lists of k3s and RKE2. With -charts it prints those of the Helm charts instead, with -kubelet the
configuration of a kubelet whose node has the bundle: its pods may use these images without
credentials, and no others that they have none for. It reads only the metadata of the bundle.`,
		Example: `  slipway airgap list kpack-images.tar.zst
  slipway airgap list -digests kpack-images.tar.zst
  slipway airgap list -kubelet kpack-images.linux-amd64.tar.zst`,
		RunE: f.prints(func(_ *cobra.Command, args []string) (table, error) {
			c, err := bundle.Inspect(args[0])
			if err != nil {
				return nil, err
			}
			l.contents, l.Images = c, c.Images
			return l, nil
		}),
	}
	cmd.Flags().BoolVar(&l.charts, "charts", false, "print the names of the charts instead of those of the images")
	cmd.Flags().BoolVar(&l.digests, "digests", false, "add the digest to each name")
	cmd.Flags().BoolVar(&l.kubelet, "kubelet", false,
		"print the images as preloadedImagesVerificationAllowlist of a kubelet's configuration")
	f.addJSON(cmd)
	cmd.MarkFlagsMutuallyExclusive("kubelet", "charts")
	cmd.MarkFlagsMutuallyExclusive("kubelet", "digests")
	for _, name := range []string{"charts", "digests", "kubelet"} {
		cmd.MarkFlagsMutuallyExclusive("json", name) // has all
	}
	return cmd
}

// imageList is the printed list of a bundle's images.
type imageList struct {
	contents *bundle.Contents
	Images   []bundle.Image `json:"images"` // and charts

	charts, digests, kubelet bool
}

func (l imageList) WriteTable(w io.Writer) error {
	if l.kubelet {
		return l.contents.WriteKubelet(w)
	}
	return l.contents.WriteNames(w, l.charts, l.digests)
}

func newDiff(f *flags) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Compare two bundles",
		Long: `Diff lists the images that were added, removed or changed, and the size of the new layers:
what a delta contains, and what push sends to a registry that has the old images. It reads
only the metadata of the bundles. Either of them may be a delta.`,
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
