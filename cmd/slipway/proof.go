package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/keyfile"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/signature"
)

// proof has the flags of commands that verify a release before they use it.
type proof struct {
	keys      []string
	threshold int
	policy    evidence.Policy
}

func (p *proof) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&p.keys, "key", nil, "public key of the maintainer, which must have signed the release; may be repeated")
	cmd.Flags().IntVar(&p.threshold, "threshold", 1, "how many of the keys must have signed")
	cmd.MarkFlagFilename("key", "pub", "pem") //nolint:errcheck // fails only where the flag is missing
}

// asked reports whether a key was named.
func (p *proof) asked() bool { return len(p.keys) > 0 }

// read reads the keys, which are to prove files. An empty name means no file.
func (p *proof) read(cmd *cobra.Command, files ...string) error {
	if !p.asked() {
		if cmd.Flags().Changed("threshold") {
			return misuse(cmd, "-threshold counts keys: name them with -key")
		}
		return nil
	}
	files = slices.DeleteFunc(files, func(f string) bool { return f == "" })
	p.policy = evidence.Policy{Threshold: p.threshold}
	for _, path := range p.keys {
		if err := keyfile.Check(path, files...); err != nil {
			return fmt.Errorf("-key %w", err)
		}
		text, err := readKey(path)
		if err != nil {
			return fmt.Errorf("-key: %w", err)
		}
		k, err := signature.ParsePublicKey(text)
		if err != nil {
			return fmt.Errorf("-key %s: %w", path, err)
		}
		p.policy.Keys = append(p.policy.Keys, k)
	}
	if err := p.policy.Check(); err != nil {
		return usageError{err}
	}
	return nil
}

func readKey(path string) ([]byte, error) { return regular.Given(path, 1<<20) }

// verify verifies what is about to be used, if a key was named, and reports who signed it.
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

// needBundles refuses a command line that names statements only.
func needBundles(cmd *cobra.Command, paths []string) error {
	if len(paths) == 0 {
		return misuse(cmd, "no bundle is named")
	}
	return nil
}
