package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
)

func newPush(f *flags) *cobra.Command {
	var o airgap.PushOptions
	var authorities string
	var p proof
	cmd := &cobra.Command{
		Use:   "push BUNDLE ...",
		Short: "Push bundles to a private registry",
		Long: `Push sends all images of bundles to a registry. Digests stay the same. Several bundles, such
as volumes, are pushed as one. A delta can be pushed if the registry has the images of its
base. The host of each name is replaced by -to and the path is kept: registry.k8s.io/pause
becomes registry.internal/mirror/pause. Nothing that the registry has is sent again.
Credentials are those of docker login, podman login or a credential helper.

Helm charts follow the images. Their values get the new names of the images, so that they have
another digest than in the bundle; an annotation names the original, which is pushed by digest.

With -release, push then writes a copy of release.yaml in which all references to the images
have their new names, and the renamed charts next to it. It first checks that the images can be
pulled by these names.

Floating tags, such as latest, move last of all, and to a newer version only, unless -floating
says otherwise.

With -key, push first verifies that the maintainer has signed every image, and release.yaml. A
volume of third-party images alone needs the provenance.sigstore.json of the release besides.

With -platforms, push sends only the manifests of these platforms. The indexes are then
sparse, which many registries refuse.`,
		Example: `  slipway airgap push dist/kpack-images.tar.zst -to=registry.internal/mirror
  slipway airgap push dist/kpack-images.tar.zst -to=registry.internal/mirror -ca-file=ca.pem -release=dist/release.yaml -out=release.internal.yaml`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.To == "" {
				return usageError{fmt.Errorf("-to is missing: name the registry, as in -to=registry.internal/mirror; see %s -h", cmd.CommandPath())}
			}
			if o.Out != "" && o.Release == "" {
				return usageError{fmt.Errorf("-out names the copy of -release, which is missing; see %s -h", cmd.CommandPath())}
			}
			pr := f.printer(cmd)
			defer pr.Close()
			o.Platforms, o.Floating, o.Registry.Progress = f.platforms, f.floating, pr
			if authorities != "" {
				var err error
				if o.Registry.Transport, err = network.TrustFile(authorities); err != nil {
					return err
				}
			}
			signed, paths := statements(args)
			if err := errors.Join(needBundles(cmd, paths), p.read(cmd, slices.Concat(args, []string{o.Release})...)); err != nil {
				return err
			}
			bundles, closeAll, err := openAll(paths)
			if err != nil {
				return err
			}
			defer closeAll()
			r, err := p.check(pr, paths, bundles, signed...)
			if err == nil && r != nil && o.Release != "" {
				err = r.CheckFile(o.Release)
			}
			if err != nil {
				return err
			}
			done, err := airgap.Push(cmd.Context(), bundles, o)
			if err != nil {
				return err
			}
			pr.Close()
			return f.show(cmd, pushed{done, r})
		},
	}
	f.addPush(cmd, &o, &authorities)
	p.add(cmd)
	return cmd
}

// addPush adds the flags of push.
func (f *flags) addPush(cmd *cobra.Command, o *airgap.PushOptions, authorities *string) {
	cmd.Flags().StringVar(&o.To, "to", "", "host[/prefix] to push to")
	cmd.Flags().StringVar(&o.Release, "release", "", "release.yaml, to write a copy of it with the new names")
	cmd.Flags().StringVar(&o.Out, "out", "", "file for the copy (default release.REGISTRY.yaml beside -release)")
	cmd.Flags().StringVar(authorities, "ca-file", "", "PEM file of certificate authorities to trust in addition to the system's")
	f.addFloating(cmd)
	f.addPlatforms(cmd)
	f.addQuiet(cmd)
	f.addJSON(cmd)
	cmd.MarkFlagFilename("release", "yaml", "yml") //nolint:errcheck // fails only where the flag is missing
	cmd.MarkFlagFilename("out", "yaml", "yml")     //nolint:errcheck // as above
	cmd.MarkFlagFilename("ca-file", "pem", "crt")  //nolint:errcheck // as above
}

// pushed is the printed result of a push.
type pushed struct {
	*airgap.Pushed

	Evidence *evidence.Report `json:"evidence,omitempty"` // with -key
}

func (p pushed) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tDIGEST\t")
	for _, i := range p.Images {
		_, digest, _ := strings.Cut(i.Reference, "@")
		note := ""
		switch {
		case len(i.NotInRegistry) > 0:
			note = "sparse: lacks " + strings.Join(i.NotInRegistry, " ")
		case i.Existed:
			note = "existed"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", i.Target, digest, note)
	}
	for _, c := range p.Charts {
		_, digest, _ := strings.Cut(c.Reference, "@")
		note := ""
		if c.Existed {
			note = "existed"
		}
		output.Fprintf(t, "%s\t%s\t%s\n", c.Target, digest, note)
	}
	for _, i := range p.FloatingTags {
		output.Fprintf(t, "%s\t%s\t%s\n", i.Target, i.Digest, moved(i))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, l := range p.Omitted {
		fmt.Fprintf(w, "omitted: %s: %s\n", l.Name, l.Reason)
	}
	writeRenamedCharts(w, p.Charts)
	_, err := fmt.Fprintf(w, "%d images, %s sent in %d blobs\n", len(p.Images), progress.Size(p.Bytes), p.Blobs)
	if r := p.Release; r != nil && err == nil {
		for _, u := range r.Untouched {
			fmt.Fprintf(w, "not renamed: %s\n", u)
		}
		_, err = fmt.Fprintf(w, "%s: %d references renamed\n", r.Path, r.References)
	}
	return err
}

// writeRenamedCharts reports what became of the names of images in charts.
func writeRenamedCharts(w io.Writer, charts []airgap.PushedChart) {
	for _, c := range charts {
		for _, u := range c.Untouched {
			output.Fprintf(w, "not renamed: chart %s: %s\n", c.Name, u)
		}
		if c.References > 0 {
			output.Fprintf(w, "%s: %d values renamed; the original is %s\n", c.Target, c.References, c.Original)
		}
		if c.File != "" {
			output.Fprintf(w, "%s: written\n", c.File)
		}
	}
}

// moved reports what became of a floating tag.
func moved(t airgap.PushedTag) string {
	switch {
	case t.Kept != "":
		return "stays: " + t.Kept
	case t.From == t.Digest:
		return "existed"
	case t.From.Hex != "":
		return "moved from " + t.From.String()
	}
	return "new"
}
