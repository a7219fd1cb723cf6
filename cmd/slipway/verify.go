package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/lock"
)

func newVerify(f *flags) *cobra.Command {
	v := &verifying{flags: f}
	cmd := &cobra.Command{
		Use:   "verify BUNDLE|DIR ...",
		Short: "Check who made bundles, and every byte of them",
		Long: `Verify reads bundles completely and compares every blob with its digest. With -sums it also
compares the files with SHA256SUMS, and with -lock the images with release.lock.json. Each
problem is a line that names the images of a damaged blob.

With -key, verify first checks that the maintainer has signed a statement that names every image
and manifest by digest, under its very name, and prints which facts are proven and which are not.
The key must not be part of the release: get it once, in another way. With several keys,
-threshold says how many must have signed; two builders who made the same have signed twice.
-since names the release that runs now, as a bundle, a directory or its provenance.sigstore.json:
an older one is refused.

Besides bundles, volumes and deltas, verify takes the directory of a release, with its
SHA256SUMS, the directories that extract writes, and provenance.sigstore.json for images that
no statement refers to. Verify uses no network and no clock.`,
		Example: `  slipway verify -key=/etc/slipway/keys/release.pub kpack-images.tar.zst
  slipway verify -key=/etc/slipway/keys/release.pub -since=/srv/kpack-0.16.0 dist
  slipway verify -sums=SHA256SUMS -lock=release.lock.json kpack-images.*.tar.zst`,
		RunE: f.prints(v.run),
	}
	cmd.Flags().StringVar(&v.sums, "sums", "", "SHA256SUMS of the release, to compare the files with")
	addLock(cmd, &v.lock, ", to compare the images with")
	addSince(cmd, &v.since, ": a bundle, directory or provenance.sigstore.json; an older release is refused")
	add(cmd, v.proof.add, f.addQuiet, f.addJSON)
	needs(cmd, "key", "since")
	return cmd
}

// verifying has the flags of the command.
type verifying struct {
	flags             *flags
	sums, lock, since string
	proof             proof
}

func (v *verifying) run(cmd *cobra.Command, args []string) (table, error) {
	if err := v.proof.read(slices.Concat(args, []string{v.sums, v.since, v.lock})...); err != nil {
		return nil, err
	}
	given := evidence.Sort(args)
	if err := v.check(cmd, given); err != nil {
		return nil, err
	}
	o := evidence.GivenOptions{Policy: v.proof.policy, Sums: v.sums, Since: v.since, Progress: v.flags.printer(cmd)}
	if v.lock != "" {
		o.Compare = func() (func(*bundle.Contents, bool) []string, error) {
			l, err := lock.ReadGiven(v.lock)
			return airgap.Compare(l), err
		}
	}
	all, wrong, err := given.Verify(cmd.Context(), o)
	return verdict{all, wrong}, err
}

// check reports flags and arguments that do not belong together.
func (v *verifying) check(cmd *cobra.Command, given evidence.Given) error {
	dirs := slices.Concat(given.Directories, given.Layouts)
	switch {
	case v.proof.asked() && given.Len() == 0:
		return misuse(cmd, "name a bundle or a directory besides the statement")
	case len(dirs) > 0 && v.sums+v.lock != "":
		return misuse(cmd, "-sums and -lock are compared with bundles, not with %s: name the bundles", dirs[0])
	case v.proof.asked() && len(given.Directories) > 1:
		return misuse(cmd, "%s and %s: name one directory of a release", dirs[0], dirs[1])
	}
	return nil
}
