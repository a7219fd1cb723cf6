package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish/promote"
	"github.com/slipway-dev/slipway/release"
)

func newPromote(f *flags) *cobra.Command {
	p := &promoting{flags: f}
	cmd := &cobra.Command{
		Use:   "promote [LOCK|BUNDLE]",
		Short: "Copy a release from one registry to others, by digest",
		Long: `Promote copies the images of a release, with what refers to them (signatures, SBOMs), from the
registry that it was published to, or from a bundle, to other registries. Digests stay the same.
It needs neither the sources nor slipway.yaml. Without an argument it reads release.lock.json in
the output directory. Third-party images are not copied.

First it checks everything: that the source has all images by their digests, that no tag at a
destination names another digest, and that the manifest is right under the new names. Then it
sends what a destination lacks: blobs, manifests, tags. Floating tags move last, and only forward.
A promotion that was interrupted continues where it was.

Helm charts follow the images. With -rename, their values get the new names of the images, and so
they get new digests; otherwise they keep their digests, and name the images at the source.
-charts=rename and -charts=keep decide it in any case.

In each name, -to replaces -from; -rename changes the path behind it, of one repository or of all
below a path. A copy of release.yaml with the new names is written beside it.

With -key, promote also verifies first that the maintainer has signed every image, by what the
source has of evidence, and release.yaml.

With -images-yaml, promote adds the release to the file that Kubernetes' image promoter reads
(kpromo). Without -to it does only that.`,
		Example: `  slipway promote -to=ghcr.io/me
  slipway promote dist/release.lock.json -from=staging.example/kpack -to=ghcr.io/me,quay.io/me -rename=kpack/build-init=build-init
  slipway promote -images-yaml=k8s.io/registry.k8s.io/images/k8s-staging-sig-storage/images.yaml`,
		Args: usage(cobra.MaximumNArgs(1)),
		RunE: p.run,
	}
	cmd.Flags().StringVar(&p.o.From, "from", "", "host[/prefix] to copy from (default the primary registry of the lock, or the host of the bundle's names)")
	cmd.Flags().StringSliceVar(&p.o.To, "to", nil, "host[/prefix] to copy to; may be repeated")
	cmd.Flags().StringSliceVar(&p.renames, "rename", nil, "OLD=NEW: another path for the repository OLD, or for all below it; may be repeated")
	cmd.Flags().StringVar(&p.o.Charts, "charts", "", "keep or rename: what becomes of the names of images in Helm charts (default rename with -rename, or else keep)")
	cmd.Flags().StringVar(&p.o.Release, "release", "", "release.yaml, to write a copy of it with the new names (default the one beside the lock, if there is one)")
	cmd.Flags().StringVar(&p.o.Out, "release-to", "", "file for the copy (default release.REGISTRY.yaml beside -release)")
	cmd.Flags().StringVar(&p.imagesYAML, "images-yaml", "", "kpromo's file to add the release to")
	cmd.Flags().StringVar(&p.authorities, "ca-file", "", "PEM file of certificate authorities to trust in addition to the system's")
	cmd.Flags().StringVar(&f.product, "product", "", "a slipway.yaml whose lint.allow is used for the copy of release.yaml")
	cmd.Flags().StringVar(&f.out, "out", "dist", "directory of the release's files")
	cmd.MarkFlagFilename("release", "yaml", "yml")     //nolint:errcheck // fails only where the flag is missing
	cmd.MarkFlagFilename("release-to", "yaml", "yml")  //nolint:errcheck // as above
	cmd.MarkFlagFilename("images-yaml", "yaml", "yml") //nolint:errcheck // as above
	cmd.MarkFlagFilename("product", "yaml", "yml")     //nolint:errcheck // as above
	cmd.MarkFlagFilename("ca-file", "pem", "crt")      //nolint:errcheck // as above
	cmd.MarkFlagDirname("out")                         //nolint:errcheck // as above
	p.proof.add(cmd)
	f.addFloating(cmd)
	f.addQuiet(cmd)
	f.addJSON(cmd)
	return cmd
}

// promoting has the command's flags.
type promoting struct {
	flags       *flags
	o           promote.Options
	renames     []string
	imagesYAML  string
	authorities string
	proof       proof
}

func (p *promoting) run(cmd *cobra.Command, args []string) error {
	path := filepath.Join(p.flags.out, lock.Name)
	if len(args) > 0 {
		path = args[0]
	}
	pr := p.flags.printer(cmd)
	defer pr.Close()
	if err := errors.Join(p.options(cmd, pr), p.proof.read(cmd, path, p.o.Release)); err != nil {
		return err
	}
	if p.proof.asked() && len(p.o.To) == 0 {
		return usageError{fmt.Errorf("-key verifies what is copied: name the registry with -to; see %s -h", cmd.CommandPath())}
	}
	p.o.Policy = p.proof.policy
	var done *promote.Promoted
	var err error
	if strings.HasSuffix(path, ".json") {
		done, err = p.lock(cmd, path)
	} else {
		done, err = p.bundle(cmd, path)
	}
	if err != nil {
		return err
	}
	pr.Close()
	return p.flags.show(cmd, promotedRelease{done, p.imagesYAML})
}

// options completes the options by the flags.
func (p *promoting) options(cmd *cobra.Command, pr *progress.Printer) error {
	if len(p.o.To) == 0 && p.imagesYAML == "" {
		return usageError{fmt.Errorf("-to is missing: name the registry to promote to, as in -to=ghcr.io/me; see %s -h", cmd.CommandPath())}
	}
	for _, s := range p.renames {
		r, err := promote.ParseRename(s)
		if err != nil {
			return usageError{err}
		}
		p.o.Renames = append(p.o.Renames, r)
	}
	p.o.Floating, p.o.Registry.Progress = p.flags.floating, pr
	if p.authorities != "" {
		var err error
		if p.o.Registry.Transport, err = network.TrustFile(p.authorities); err != nil {
			return err
		}
	}
	if !cmd.Flags().Changed("product") {
		return nil
	}
	described, err := p.flags.load(cmd.Context())
	if err != nil {
		return err
	}
	p.o.Allow = described.Lint.Allow
	return nil
}

// lock promotes the images of a lock, and then writes the file for kpromo.
func (p *promoting) lock(cmd *cobra.Command, path string) (*promote.Promoted, error) {
	l, err := lock.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		part := filepath.Join(filepath.Dir(path), lock.PartName)
		if _, partErr := lock.ReadPart(part); partErr == nil {
			return nil, fmt.Errorf("%s: it is a part of a release: join all parts with %s first", part, howto.Run("merge"))
		}
	}
	if err != nil {
		return nil, err
	}
	beside := filepath.Join(filepath.Dir(path), release.Manifest)
	if _, err := os.Stat(beside); p.o.Release == "" && err == nil {
		p.o.Release = beside
	}
	if p.imagesYAML != "" { // what is wrong with it is reported before anything is sent
		if _, err := promote.ImagesYAML(l, p.o, p.imagesYAML); err != nil {
			return nil, err
		}
	}
	done := &promote.Promoted{From: p.o.From, Destinations: []promote.Destination{}}
	if len(p.o.To) > 0 {
		if done, err = promote.Lock(cmd.Context(), l, p.o); err != nil {
			return nil, err
		}
	}
	if p.imagesYAML != "" {
		err = promote.WriteImagesYAML(cmd.Context(), l, p.o, p.imagesYAML, saying(cmd))
	}
	return done, err
}

func (p *promoting) bundle(cmd *cobra.Command, path string) (*promote.Promoted, error) {
	if p.imagesYAML != "" {
		return nil, usageError{fmt.Errorf("-images-yaml takes names from a lock: name the release.lock.json; see %s -h", cmd.CommandPath())}
	}
	b, err := bundle.OpenAny(path)
	if err != nil {
		return nil, err
	}
	defer b.Close() //nolint:errcheck // it was only read
	return promote.Bundle(cmd.Context(), b, p.o)
}

// promotedRelease is the printed result of a promotion.
type promotedRelease struct {
	*promote.Promoted

	ImagesYAML string `json:"imagesYAML,omitempty"`
}

func (p promotedRelease) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if len(p.Destinations) > 0 {
		fmt.Fprintln(t, "IMAGE\tDIGEST\t")
	}
	for _, d := range p.Destinations {
		for _, i := range d.Images {
			note := ""
			if i.Existed {
				note = "existed"
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", i.Target, i.Digest, note)
		}
		for _, c := range d.Charts {
			note := ""
			if c.Existed {
				note = "existed"
			}
			output.Fprintf(t, "%s\t%s\t%s\n", c.Target, c.Digest, note)
		}
		for _, f := range d.FloatingTags {
			note := "kept: " + f.Reason
			if f.Moved {
				note = "moved: " + f.Reason
			}
			fmt.Fprintf(t, "%s\t%s\t%s\n", f.Reference, f.Digest, note)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, d := range p.Destinations {
		writeCharts(w, d)
		fmt.Fprintf(w, "%s: %d images and %d artifacts about them, %s sent in %d blobs\n", d.To, len(d.Images), d.Referrers, progress.Size(d.Bytes), d.Blobs)
		if r := d.Release; r != nil {
			for _, u := range r.Untouched {
				fmt.Fprintf(w, "not renamed: %s\n", u)
			}
			fmt.Fprintf(w, "%s: %d references renamed\n", r.Path, r.References)
		}
	}
	if p.ImagesYAML != "" {
		fmt.Fprintf(w, "%s: has the release\n", p.ImagesYAML)
	}
	return nil
}

// writeCharts reports which images the charts at a destination name.
func writeCharts(w io.Writer, d promote.Destination) {
	for _, c := range d.Charts {
		for _, u := range c.Untouched {
			output.Fprintf(w, "not renamed: chart %s: %s\n", c.Target, u)
		}
		if c.References > 0 {
			output.Fprintf(w, "%s: %d values renamed; the original is %s\n", c.Target, c.References, c.Source)
		} else {
			output.Fprintf(w, "%s: names the images where they were published: -charts=rename makes a chart that names those here\n", c.Target)
		}
	}
}
