package main

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/sandbox"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/release/reproduce"
)

// rebuilt is the build cache of reproduce: "", an empty one, but in tests.
var rebuilt string

func newReproduce(f *flags) *cobra.Command {
	r := &reproducing{flags: f, o: reproduce.Options{Sandbox: sandbox.Auto, Cache: rebuilt}}
	cmd := &cobra.Command{
		Use:   "reproduce DIR|BUNDLE",
		Short: "Make a release again, and compare it",
		Long: `Reproduce makes a release again from its inputs, in a new store and with an empty build cache,
and compares the digest of every image, manifest, chart, artifact and of release.yaml with the
statement of the release. Where one differs, it names platform, layer and file, and why: the
build information of programs first, then bytes. Nothing is pushed or run. Where the machine
permits it, the compiler works in a sandbox, without network and with no files but those that it
needs; the first lines say what protects, and docs/trust.md what that means.

The argument is the directory of a release, with provenance.json and the archive of inputs, or a
signed bundle. With -key, reproduce verifies the statement by the maintainer's public key first.
Sources come from where slipway.yaml says; a repository that the statement does not name by
address is given with -repository. Bases come from the statement and the bundles, and what
these lack from registries.

With -sign, it signs what it made by a private key of its own, if everything is the same
(password: $SLIPWAY_PASSWORD, or the terminal). Given that file, too, "slipway verify
-threshold=2" accepts only what two builders made.`,
		Example: `  slipway reproduce dist
  slipway reproduce -key=/etc/slipway/keys/release.pub \
      -inputs=kpack-0.16.1.inputs.tar.gz kpack-images.tar.zst
  slipway reproduce -sign=mine.key -builder=https://example.org/rebuilders/me dist`,
		RunE: f.prints(r.run),
	}
	fileFlag(cmd, &r.o.Inputs, "inputs", "", "the archive of inputs (default that next to the release)", "tar.gz")
	cmd.Flags().StringArrayVar(&r.repositories, "repository",
		nil, "git repository of a source: [SOURCE=]DIRECTORY or address; without SOURCE that of the product")
	cmd.Flags().BoolVar(&r.o.Commands, "allow-commands",
		false, "let flags and variables of the release (-toolexec, CC, …) run commands on this machine")
	cmd.Flags().BoolVar(&r.o.OldGo, "old-go",
		false, "run the toolchain that the statement names even if Go has no more fixes of security for it")
	fileFlag(cmd, &r.private, "sign", "", "private key that signs: one of your own, if the result is the same", "key")
	cmd.Flags().StringVar(&r.o.Builder, "builder", "", "URI of who builds, for -sign")
	fileToWrite(cmd, &r.out, "reproduced.sigstore.json", ": the statement that -sign makes", "json")
	needs(cmd, "sign", "builder", "output")
	return add(cmd, sandboxFlag(&r.o.Sandbox), r.proof.add, f.addQuiet, f.addJSON)
}

// reproducing has the flags of the command.
type reproducing struct {
	flags        *flags
	o            reproduce.Options
	proof        proof
	private, out string
	repositories []string
}

func (r *reproducing) run(cmd *cobra.Command, args []string) (table, error) {
	if err := r.proof.read(args[0]); err != nil {
		return nil, err
	}
	signer, err := r.signer(cmd)
	if err != nil {
		return nil, err
	}
	pr := r.flags.printer(cmd)
	original, err := reproduce.Open(args[0])
	if err != nil {
		return nil, err
	}
	defer original.Close() //nolint:errcheck // it was only read
	if fi, err := os.Stat(args[0]); err == nil && !fi.IsDir() && !r.proof.asked() {
		return nil, howto.Usage("a bundle has a signed statement only: " +
			"name the key with -key, or the directory of the release")
	}
	s, inputs, err := original.Statement(args[0], r.proof.policy, pr)
	if err != nil {
		return nil, err
	}
	r.o.Statement, r.o.Original, r.o.Signed, r.o.Progress = s, original, r.proof.asked(), pr
	r.o.Inputs = cmp.Or(r.o.Inputs, inputs)
	r.o.Repositories = map[string]string{}
	for _, v := range r.repositories {
		name, where, ok := strings.Cut(v, "=")
		if !ok {
			name, where = "", v
		}
		r.o.Repositories[name] = where
	}
	made, err := reproduce.Run(cmd.Context(), r.o)
	if err != nil {
		return nil, err
	}
	pr.Close()
	if err := r.flags.show(cmd, made); err != nil {
		return nil, err
	}
	if !made.Same() {
		return nil, fmt.Errorf("%s %s: the result differs", made.Product, made.Version)
	}
	if signer == nil {
		return nil, nil
	}
	signed, err := made.Sign(cmd.Context(), signer)
	if err != nil {
		return nil, err
	}
	return nil, disk.WriteAlone(cmd.Context(), r.out, signed, disk.ModeFile, saying(cmd))
}

// signer returns what signs; nil without a key.
func (r *reproducing) signer(cmd *cobra.Command) (*signature.Signer, error) {
	switch {
	case r.private == "":
		return nil, nil //nolint:nilnil // nothing was asked for
	case r.o.Builder == "":
		return nil, howto.Usage("-sign needs -builder, the URI of who makes the release again: " +
			"two statements of one builder prove no more than one")
	}
	if err := release.CheckBuilder(r.o.Builder); err != nil {
		return nil, howto.Usage("%w", err)
	}
	return privateKey(cmd, "-sign", r.private, "-sign "+r.private)
}
