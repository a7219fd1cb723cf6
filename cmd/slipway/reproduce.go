package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/sandbox"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/release/reproduce"
)

func newReproduce(f *flags) *cobra.Command {
	r := &reproducing{flags: f, sandbox: sandbox.Auto}
	cmd := &cobra.Command{
		Use:   "reproduce DIR|BUNDLE",
		Short: "Make a release again, and compare it",
		Long: `Reproduce makes a release again from its inputs, in a new store and with an empty build cache,
and compares the digest of every image, manifest, chart, artifact and of release.yaml with the
statement of the release. Where one differs, it names platform, layer and file, and why: the
build information of programs first, then bytes. Nothing is pushed or run. Where the machine
permits it, the compiler works in a sandbox, without network and with no files but those that it
needs; the first lines say what protects, and docs/trust.md what that means.

It takes the directory of a release, with provenance.json and the archive of inputs, or a
signed bundle. With -key, it verifies the statement by the maintainer's public key first.
Sources come from where slipway.yaml says; a repository that the statement does not name by
address is given with -repository. Bases come from the statement and the bundles, and what
these lack from registries.

With -sign, it signs what it made by a private key of its own, if everything is the same
(password: $SLIPWAY_PASSWORD, or the terminal). Given that file, too, "slipway airgap verify
-threshold=2" accepts only what two builders made.`,
		Example: `  slipway reproduce dist
  slipway reproduce -key=/etc/slipway/keys/release.pub -inputs=kpack-0.16.1.inputs.tar.gz kpack-images.tar.zst
  slipway reproduce -sign=mine.key -builder=https://example.org/rebuilders/me dist`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: r.run,
	}
	r.proof.add(cmd)
	cmd.Flags().StringVar(&r.inputs, "inputs", "", "the archive of inputs (default that next to the release)")
	cmd.Flags().StringArrayVar(&r.repositories, "repository", nil, "[SOURCE=]DIRECTORY or address of the git repository of a source, without a name that of the product")
	cmd.Flags().BoolVar(&r.commands, "allow-commands", false, "let flags and variables of the release (-toolexec, CC, …) run commands on this machine")
	addSandbox(cmd, &r.sandbox)
	cmd.Flags().StringVar(&r.private, "sign", "", "sign the statement on what was made with this private key of your own")
	cmd.Flags().StringVar(&r.builder, "builder", "", "the URI of who makes it again, for -sign")
	cmd.Flags().StringVar(&r.out, "out", "reproduced.sigstore.json", "the file that -sign writes")
	cmd.MarkFlagFilename("sign", "key")      //nolint:errcheck // fails only where the flag is missing
	cmd.MarkFlagFilename("inputs", "tar.gz") //nolint:errcheck // as above
	f.addQuiet(cmd)
	f.addJSON(cmd)
	return cmd
}

// reproducing has the flags of the command.
type reproducing struct {
	flags                         *flags
	proof                         proof
	inputs, private, builder, out string
	repositories                  []string
	commands                      bool
	sandbox                       sandbox.Mode
}

func (r *reproducing) run(cmd *cobra.Command, args []string) error {
	if err := r.proof.read(cmd, args[0]); err != nil {
		return err
	}
	signer, err := r.signer(cmd)
	if err != nil {
		return err
	}
	pr := r.flags.printer(cmd)
	defer pr.Close()
	original, err := reproduce.Open(args[0])
	if err != nil {
		return err
	}
	defer original.Close() //nolint:errcheck // it was only read
	s, dir, err := r.statement(pr, args[0], original)
	if err != nil {
		return err
	}
	o := reproduce.Options{Statement: s, Original: original, Inputs: r.inputs, Repositories: map[string]string{}, Builder: r.builder, Signed: r.proof.asked(), Commands: r.commands, Sandbox: r.sandbox, Progress: pr}
	if o.Inputs == "" {
		o.Inputs = filepath.Join(dir, filepath.Base(s.Predicate.BuildDefinition.ExternalParameters.Inputs))
	}
	for _, v := range r.repositories {
		name, where, ok := strings.Cut(v, "=")
		if !ok {
			name, where = "", v
		}
		o.Repositories[name] = where
	}
	made, err := reproduce.Run(cmd.Context(), o)
	if err != nil {
		return err
	}
	pr.Close()
	if err := r.flags.show(cmd, made); err != nil {
		return err
	}
	if !made.Same() {
		return fmt.Errorf("%s %s: what was made here is not the same", made.Product, made.Version)
	}
	return r.sign(cmd, signer, made.Made)
}

// signer returns what signs; nil without a key.
func (r *reproducing) signer(cmd *cobra.Command) (*signature.Signer, error) {
	switch {
	case r.private == "" && r.builder != "":
		return nil, usageError{fmt.Errorf("-builder is for the statement that -sign signs; see %s -h", cmd.CommandPath())}
	case r.private == "" && cmd.Flags().Changed("out"):
		return nil, usageError{fmt.Errorf("-out is the file that -sign writes; see %s -h", cmd.CommandPath())}
	case r.private == "":
		return nil, nil //nolint:nilnil // nothing was asked for
	case r.builder == "":
		return nil, usageError{errors.New("-sign needs -builder, the URI of who makes the release again: two statements of one builder prove no more than one")}
	}
	text, err := readKey(r.private)
	if err != nil {
		return nil, fmt.Errorf("-sign: %w", err)
	}
	if err := release.CheckBuilder(r.builder); err != nil {
		return nil, usageError{err}
	}
	password, err := askPassword(cmd, "password of "+r.private)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", r.private, err)
	}
	s, err := signature.ParsePrivateKey(text, password)
	if err != nil {
		return nil, fmt.Errorf("-sign %s: %w", r.private, err)
	}
	return s, nil
}

// statement reads the statement of the release and returns it with the directory of its files.
func (r *reproducing) statement(pr *progress.Printer, path string, original *reproduce.Original) (*provenance.Statement, string, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, "", err
	}
	switch {
	case !fi.IsDir() && !r.proof.asked():
		return nil, "", usageError{errors.New("a bundle has a signed statement only: name the key with -key, or the directory of the release")}
	case !fi.IsDir():
		rep, err := r.proof.check(pr, []string{path}, original.Bundles)
		if err != nil {
			return nil, "", err
		}
		return rep.Statement, filepath.Dir(path), nil
	case r.proof.asked():
		rep, err := evidence.ReadDirStatements(path, r.proof.policy)
		if err != nil {
			return nil, "", err
		}
		rep.Tell(pr)
		return rep.Statement, path, nil
	}
	text, err := readKey(filepath.Join(path, evidence.Provenance))
	if err != nil {
		return nil, "", fmt.Errorf("reading the statement: %w: name the directory of a release", err)
	}
	s, err := provenance.Decode(text)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", filepath.Join(path, evidence.Provenance), err)
	}
	pr.Printf("the statement was not verified: no -key was given")
	return s, path, nil
}

// sign writes the signed statement.
func (r *reproducing) sign(cmd *cobra.Command, signer *signature.Signer, s *provenance.Statement) error {
	if signer == nil {
		return nil
	}
	text, err := s.Encode()
	if err != nil {
		return err
	}
	signed, err := signature.SignStatement(cmd.Context(), signer, text)
	if err != nil {
		return err
	}
	return disk.WriteAlone(cmd.Context(), r.out, signed, disk.ModeFile, saying(cmd))
}
