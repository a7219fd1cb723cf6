package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/keyfile"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/release"
)

func newKeygen(f *flags) *cobra.Command {
	return add(&cobra.Command{
		Use:   "keygen [NAME]",
		Short: "Make a key that signs releases",
		Long: `Keygen makes an ECDSA key on P-256 and writes its two halves: NAME.key, which signs releases and
is encrypted by a password, and NAME.pub, by which others verify them. NAME is release by
default. cosign reads both files. Keygen does not overwrite files.

The password is that of SLIPWAY_PASSWORD, or is asked for on the terminal. Give NAME.pub to the
operators in another way than the release: a key that comes with a release proves nothing.`,
		Example: "  slipway keygen\n  slipway keygen keys/release",
		RunE: f.prints(func(cmd *cobra.Command, args []string) (table, error) {
			name := "release"
			if len(args) > 0 {
				name = args[0]
			}
			files, err := signature.FilesOf(name)
			if err != nil {
				return nil, err
			}
			password, err := newPassword(cmd)
			if err != nil {
				return nil, err
			}
			return files, files.Generate(cmd.Context(), password, saying(cmd))
		}),
	}, f.addJSON)
}

// passwordVariable has the password of a private key.
const passwordVariable = "SLIPWAY_PASSWORD"

// signing are the flags of commands that make and sign a release.
type signing struct {
	key, signer, public, builder string
	binary                       bool
}

func (s *signing) add(cmd *cobra.Command) {
	fileFlag(cmd, &s.key, "sign", "", "private key that signs, of slipway keygen or cosign (password: $"+
		passwordVariable+", or the terminal)", "key")
	cmd.Flags().StringVar(&s.signer, "signer", "", "program that signs, such as a client of a KMS: "+
		"bytes on its standard input, a signature in DER on its standard output")
	fileFlag(cmd, &s.public, "signer-key", "", "public key of -signer", "pub")
	needs(cmd, "signer", "signer-key")
	needs(cmd, "signer-key", "signer")
	cmd.MarkFlagsMutuallyExclusive("sign", "signer")
	cmd.Flags().StringVar(&s.builder, "builder", "", "URI of who builds, for the provenance")
	cmd.Flags().BoolVar(&s.binary, "binary", true,
		"write the program for operators to bin/ of the output directory")
}

// options returns the options of a release, with what signs it.
func (s *signing) options(cmd *cobra.Command, f *flags) (o release.Options, err error) {
	if err := release.CheckBuilder(s.builder); err != nil {
		return o, howto.Usage("%w", err)
	}
	o = release.Options{Out: f.out, Store: f.storeDir(), IncludeBinary: s.binary, Builder: s.builder}
	o.Signer, err = s.open(cmd)
	return o, err
}

// open returns what signs; nil without a key.
func (s *signing) open(cmd *cobra.Command) (*signature.Signer, error) {
	switch {
	case s.signer != "":
		text, err := readKey(s.public)
		if err != nil {
			return nil, fmt.Errorf("-signer-key: %w", err)
		}
		k, err := signature.ParsePublicKey(text)
		if err != nil {
			return nil, fmt.Errorf("-signer-key=%s: %w", s.public, err)
		}
		return signature.Command(s.signer, k)
	case s.key == "":
		return nil, nil
	}
	return privateKey(cmd, "-sign", s.key, s.key)
}

// privateKey reads the private key that a flag names. place is what errors about it begin with.
func privateKey(cmd *cobra.Command, flag, path, place string) (*signature.Signer, error) {
	text, err := readKey(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	password, err := askPassword(cmd, "password of "+path)
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", path, err)
	}
	signer, err := signature.ParsePrivateKey(text, password)
	if errors.Is(err, signature.ErrPassword) {
		return nil, fmt.Errorf("%s: %w: check $%s, or type it again", place, err, passwordVariable)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", place, err)
	}
	return signer, nil
}

// askPassword returns the password from the environment, or asks for it on the terminal, where it
// is not shown.
func askPassword(cmd *cobra.Command, question string) ([]byte, error) {
	if password, ok := os.LookupEnv(passwordVariable); ok {
		output.Secret(password)
		return []byte(password), nil
	}
	fd := int(os.Stdin.Fd())
	if !term.IsTerminal(fd) {
		return nil, fmt.Errorf("its password is missing: set %s, or run it on a terminal", passwordVariable)
	}
	w := output.New(cmd.ErrOrStderr())
	fmt.Fprintf(w, "%s: ", question)
	if err := w.Flush(); err != nil { // the line is not complete
		return nil, fmt.Errorf("asking for the password: %w", err)
	}
	password, err := readPassword(cmd.Context(), fd)
	fmt.Fprintln(w)
	if err != nil {
		return nil, fmt.Errorf("reading the password: %w", err)
	}
	output.Secret(string(password))
	return password, nil
}

// readPassword reads a line that is not shown from a terminal. If ctx ends first, it leaves the
// terminal as it was.
func readPassword(ctx context.Context, fd int) ([]byte, error) {
	before, err := term.GetState(fd)
	if err != nil {
		return nil, err
	}
	type answer struct {
		password []byte
		err      error
	}
	read := make(chan answer, 1)
	go func() {
		password, err := term.ReadPassword(fd)
		read <- answer{password, err}
	}()
	select {
	case a := <-read:
		return a.password, a.err
	case <-ctx.Done():
		return nil, cmp.Or(term.Restore(fd, before), context.Cause(ctx))
	}
}

// newPassword returns the password for a new key, which is asked for twice.
func newPassword(cmd *cobra.Command) ([]byte, error) {
	password, err := askPassword(cmd, "password of the new key")
	if err != nil {
		return nil, fmt.Errorf("making a key: %w", err)
	}
	if _, ok := os.LookupEnv(passwordVariable); !ok {
		again, err := askPassword(cmd, "once more")
		if err != nil {
			return nil, fmt.Errorf("making a key: %w", err)
		}
		if !bytes.Equal(password, again) {
			return nil, errors.New("making a key: the passwords are not the same: run it again")
		}
	}
	if len(password) == 0 {
		return nil, errors.New("making a key: the password is empty: whoever copies the file could sign")
	}
	return password, nil
}

// proof has the flags of commands that verify a release before they use it.
type proof struct {
	keys      []string
	threshold int
	policy    evidence.Policy
}

func (p *proof) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&p.keys, "key", nil,
		"public key of the maintainer, which must have signed the release; may be repeated")
	cmd.Flags().IntVar(&p.threshold, "threshold", 1, "how many of the keys must have signed")
	needs(cmd, "key", "threshold")
	cmd.MarkFlagFilename("key", "pub", "pem") //nolint:errcheck // fails only where the flag is missing
}

// asked reports whether a key was named.
func (p *proof) asked() bool { return len(p.keys) > 0 }

// read reads the keys, which are to prove files. An empty name means no file.
func (p *proof) read(files ...string) error {
	if !p.asked() {
		return nil
	}
	if p.threshold < 1 {
		return howto.Usage("-threshold=%d: at least one key must have signed", p.threshold)
	}
	files = slices.DeleteFunc(files, func(f string) bool { return f == "" })
	p.policy = evidence.Policy{Threshold: p.threshold}
	for _, path := range p.keys {
		text, err := readKey(path)
		if err != nil {
			return fmt.Errorf("-key: %w", err)
		}
		if err := keyfile.Check(path, files...); err != nil {
			return fmt.Errorf("-key %w", err)
		}
		k, err := signature.ParsePublicKey(text)
		if err != nil {
			return fmt.Errorf("-key %s: %w", path, err)
		}
		p.policy.Keys = append(p.policy.Keys, k)
	}
	if err := p.policy.Check(); err != nil {
		return howto.Usage("%w", err)
	}
	return nil
}

func readKey(path string) ([]byte, error) { return regular.Given(path, 1<<20) }

// verify verifies files before they are used, if a key was named, and reports who signed them.
func (p *proof) verify(pr *progress.Printer, all []evidence.Material, statements ...string) (*evidence.Report, error) {
	if !p.asked() {
		return nil, nil //nolint:nilnil // nothing was asked for
	}
	r, err := evidence.Verify(all, p.policy, statements...)
	if err == nil {
		r.Tell(pr)
	}
	return r, err
}
