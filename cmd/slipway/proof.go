package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/airgap/bundle"
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
	files = slices.DeleteFunc(slices.Clone(files), func(f string) bool { return f == "" })
	if !p.asked() {
		if cmd.Flags().Changed("threshold") {
			return usageError{fmt.Errorf("-threshold counts keys: name them with -key; see %s -h", cmd.CommandPath())}
		}
		return nil
	}
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

func readKey(path string) ([]byte, error) {
	return regular.Given(path, 1<<20)
}

// check verifies bundles that are about to be used, if a key was named, and reports who signed
// them.
func (p *proof) check(pr *progress.Printer, paths []string, bundles []*bundle.Bundle, statements ...string) (*evidence.Report, error) {
	if !p.asked() {
		return nil, nil //nolint:nilnil // nothing was asked for
	}
	r, err := evidence.Verify(materials(paths, bundles), p.policy, statements...)
	if err == nil {
		r.Tell(pr)
	}
	return r, err
}

// materials returns bundles as what is verified. Each may have blobs that another one lacks.
func materials(paths []string, bundles []*bundle.Bundle) []evidence.Material {
	var all []evidence.Material
	for n, b := range bundles {
		all = append(all, evidence.FromBundle(paths[n], b, bundles...))
	}
	return all
}

// one verifies what a command is about to use.
func (p *proof) one(pr *progress.Printer, m evidence.Material) error {
	r, err := evidence.Verify([]evidence.Material{m}, p.policy)
	if err == nil {
		r.Tell(pr)
	}
	return err
}

// statements divides arguments into signed statements and others.
func statements(args []string) (signed, others []string) {
	for _, a := range args {
		if strings.HasSuffix(a, evidence.StatementSuffix) {
			signed = append(signed, a)
		} else {
			others = append(others, a)
		}
	}
	return signed, others
}

// openAll opens bundles and deltas. The caller calls the function that is returned.
func openAll(paths []string) (all []*bundle.Bundle, closeAll func(), err error) {
	closeAll = func() {
		for _, b := range all {
			b.Close() //nolint:errcheck // it was only read
		}
	}
	for _, path := range paths {
		b, err := bundle.OpenAny(path)
		if err != nil {
			closeAll()
			return nil, func() {}, err
		}
		all = append(all, b)
	}
	return all, closeAll, nil
}

// needBundles refuses a command line that names statements only.
func needBundles(cmd *cobra.Command, paths []string) error {
	if len(paths) == 0 {
		return usageError{fmt.Errorf("no bundle is named; see %s -h", cmd.CommandPath())}
	}
	return nil
}
