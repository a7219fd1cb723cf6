package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
)

func newVerify(f *flags) *cobra.Command {
	v := &verifying{flags: f}
	cmd := &cobra.Command{
		Use:   "verify BUNDLE|DIR ...",
		Short: "Check who made bundles, and every byte of them",
		Long: `Verify reads bundles completely and compares every blob with its digest. With -sums it also
compares the files with SHA256SUMS, and with -lock the images with release.lock.json. It
prints a line for each problem and names the images that a damaged blob belongs to.

With -key, it first verifies that the maintainer has signed a statement that names every image
and manifest by digest, under its very name, and prints what was verified and what was not.
The key must not come with the release: get it once, in another way. With several keys,
-threshold says how many must have signed; two builders who made the same have signed twice.
-since names the release that runs now, as a bundle, a directory or its provenance.sigstore.json:
an older one is refused.

Besides bundles, volumes and deltas, verify takes the directory of a release, with its
SHA256SUMS, the directories that extract writes, and provenance.sigstore.json for images that
no statement refers to. It uses no network and no clock.`,
		Example: `  slipway airgap verify -key=/etc/slipway/keys/release.pub kpack-images.tar.zst
  slipway airgap verify -key=/etc/slipway/keys/release.pub -since=/srv/kpack-0.16.0 dist
  slipway airgap verify -sums=SHA256SUMS -lock=release.lock.json kpack-images.*.tar.zst`,
		Args: usage(cobra.MinimumNArgs(1)),
		RunE: v.run,
	}
	cmd.Flags().StringVar(&v.sums, "sums", "", "SHA256SUMS of the release, to compare the files with")
	cmd.Flags().StringVar(&v.lock, "lock", "", "release.lock.json of the release, to compare the images with")
	cmd.Flags().StringVar(&v.since, "since", "", "a bundle, directory or provenance.sigstore.json of the release that runs now: refuse an older one")
	v.proof.add(cmd)
	f.addQuiet(cmd)
	f.addJSON(cmd)
	return cmd
}

// verifying has the flags of the command, and what its arguments are.
type verifying struct {
	flags             *flags
	sums, lock, since string
	proof             proof

	dirs, layouts, bundles, statements []string

	proven map[string]*bundle.Bundle      // bundles whose signatures were verified, by path; closed
	layout map[string]*bundle.ImageLayout // layouts whose signatures were verified, by path
}

func (v *verifying) run(cmd *cobra.Command, args []string) error {
	if err := v.proof.read(cmd, slices.Concat(args, []string{v.sums, v.since, v.lock})...); err != nil {
		return err
	}
	if v.since != "" && !v.proof.asked() {
		return usageError{fmt.Errorf("-since compares what is signed: name the key with -key; see %s -h", cmd.CommandPath())}
	}
	v.sort(args)
	if v.proof.asked() && v.proofOf() == 0 {
		return usageError{fmt.Errorf("name a bundle or a directory besides the statement; see %s -h", cmd.CommandPath())}
	}
	if len(v.dirs)+len(v.layouts) > 0 && v.sums+v.lock != "" {
		return usageError{fmt.Errorf("-sums and -lock are compared with bundles, not with %s: name the bundles; see %s -h", slices.Concat(v.dirs, v.layouts)[0], cmd.CommandPath())}
	}
	pr := v.flags.printer(cmd)
	defer pr.Close()
	if v.proof.asked() && v.sums != "" { // before a file is compared with them
		if err := evidence.CheckSums(v.sums, v.proof.policy); err != nil {
			return err
		}
	}
	var all verified
	if v.proof.asked() && !v.alone() {
		var err error
		if all.Evidence, err = v.prove(cmd, pr, nil); err != nil {
			return err
		}
	}
	errs := v.bytes(cmd, pr, &all)
	if cmd.Context().Err() != nil || v.proof.asked() && all.Evidence == nil {
		return errors.Join(errs...)
	}
	pr.Close()
	if len(errs) > 0 {
		all.Evidence = nil // who made it does not matter where bytes are wrong
	}
	return errors.Join(v.flags.show(cmd, all), errors.Join(errs...))
}

func (v *verifying) proofOf() int { return len(v.dirs) + len(v.layouts) + len(v.bundles) }

// alone reports whether a single bundle is verified: its signatures are verified as it is read,
// so that it is opened once.
func (v *verifying) alone() bool { return v.proofOf() == 1 && len(v.bundles) == 1 }

// sort finds out what the arguments are.
func (v *verifying) sort(args []string) {
	v.statements, args = statements(args)
	for _, a := range args {
		fi, err := os.Stat(a)
		switch {
		case err != nil || !fi.IsDir():
			v.bundles = append(v.bundles, a)
		case bundle.IsImageLayout(a):
			v.layouts = append(v.layouts, a)
		default:
			v.dirs = append(v.dirs, a)
		}
	}
}

// bytes reads everything and compares it with its digests.
func (v *verifying) bytes(cmd *cobra.Command, pr *progress.Printer, all *verified) (errs []error) {
	o := bundle.VerifyOptions{Sums: v.sums, Progress: pr}
	if v.lock != "" {
		l, err := lock.ReadGiven(v.lock)
		if err != nil {
			return []error{err}
		}
		o.Compare = airgap.Compare(l)
	}
	for _, path := range v.bundles {
		switch {
		case v.proof.asked() && v.alone():
			o.Check = func(b *bundle.Bundle) (err error) {
				all.Evidence, err = v.prove(cmd, pr, b)
				return err
			}
		case v.proof.asked():
			o.Check = v.unchanged(path)
		}
		r, err := bundle.Verify(cmd.Context(), path, o)
		if cmd.Context().Err() != nil {
			return []error{err}
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all.Bundles = append(all.Bundles, *r)
		for _, p := range r.Problems {
			errs = append(errs, fmt.Errorf("%s: %s", path, p))
		}
	}
	return append(errs, v.directories(cmd, pr, all)...)
}

// directories reads extracted images and, without a key, the directories of releases: with one they
// were read.
func (v *verifying) directories(cmd *cobra.Command, pr *progress.Printer, all *verified) (errs []error) {
	for _, dir := range v.layouts {
		l, err := v.layout[dir], error(nil)
		if l == nil {
			l, err = bundle.OpenImageLayout(dir)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		blobs, size, err := l.Verify(cmd.Context(), pr)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all.Layouts = append(all.Layouts, layoutReport{dir, l.Image.Name, blobs, size})
	}
	if v.proof.asked() {
		return errs
	}
	for _, dir := range v.dirs {
		files, err := evidence.CompareDir(cmd.Context(), dir, pr)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all.Directories = append(all.Directories, directoryReport{dir, files})
	}
	return errs
}

// unchanged returns an error unless a bundle whose layers are about to be read is the one that was
// verified: the file could have been exchanged.
func (v *verifying) unchanged(path string) func(*bundle.Bundle) error {
	return func(b *bundle.Bundle) error {
		if was := v.proven[path]; was == nil || !b.SameDocuments(was) {
			return fmt.Errorf("%s was exchanged while it was verified: let nobody write to it, and verify it again", path)
		}
		return nil
	}
}

// verified is the printed result of verifying bundles.
type verified struct {
	Bundles     []bundle.Report   `json:"bundles"`
	Layouts     []layoutReport    `json:"layouts,omitempty"`
	Directories []directoryReport `json:"directories,omitempty"`
	// Evidence is nil without a key.
	Evidence *evidence.Report `json:"evidence,omitempty"`
}

// layoutReport is an extracted image whose blobs have their digests.
type layoutReport struct {
	Path  string `json:"path"`
	Image string `json:"image"`
	Blobs int    `json:"blobs"`
	Bytes int64  `json:"bytes"`
}

// directoryReport is a directory whose files are those of its checksums.
type directoryReport struct {
	Path string `json:"path"`
	*evidence.Files
}

// WriteTable writes a line for each intact bundle; damage is reported as errors.
func (v verified) WriteTable(w io.Writer) error {
	intact := 0
	for _, r := range v.Bundles {
		if len(r.Problems) > 0 {
			continue
		}
		intact++
		note := ""
		if r.Note != "" {
			note = "; note: " + r.Note
		}
		fmt.Fprintf(w, "%s is intact: %d images, %d blobs, %s%s\n", r.Path, r.Images, r.Blobs, progress.Size(r.Bytes), note)
	}
	for _, l := range v.Layouts {
		intact++
		fmt.Fprintf(w, "%s is intact: %s, %d blobs, %s\n", l.Path, l.Image, l.Blobs, progress.Size(l.Bytes))
	}
	for _, d := range v.Directories {
		intact++
		fmt.Fprintf(w, "%s is intact: %d of %d files of SHA256SUMS\n", d.Path, d.Have, d.Of)
		if v.Evidence == nil {
			for _, l := range d.Lists() {
				output.Fprintf(w, "%s\n", l)
			}
		}
	}
	if v.Evidence != nil {
		return v.Evidence.WriteTable(w)
	}
	if intact > 0 {
		fmt.Fprintln(w, "who made it is not proven: -key names the public key of the maintainer")
	}
	return nil
}
