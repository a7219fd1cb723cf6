// Kyverno asks Kyverno's own verifier about an image, as its rule verifyImages would in a cluster:
//
//	kyverno POLICY.yaml IMAGE@DIGEST
//
// The policy is read strictly into Kyverno's own type. Of Kyverno itself it is the package that
// verifies images, without the engine around it: what an attestor's key means is repeated here
// from pkg/engine/internal of Kyverno, which nobody else can import.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	kyverno "github.com/kyverno/kyverno/api/kyverno/v1"
	"github.com/kyverno/kyverno/ext/wildcard"
	"github.com/kyverno/kyverno/pkg/image/verifiers"
	"github.com/kyverno/kyverno/pkg/image/verifiers/cpol/cosign"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: kyverno POLICY.yaml IMAGE@DIGEST")
		os.Exit(2)
	}
	if err := admit(context.Background(), os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	fmt.Println("admitted")
}

// admit returns nil if every rule about the image is satisfied, and there is one.
func admit(ctx context.Context, file, image string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var policy kyverno.ClusterPolicy
	if err := yaml.UnmarshalStrict(text, &policy); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	asked := 0
	for _, rule := range policy.Spec.Rules {
		for _, v := range rule.VerifyImages {
			if !slices.ContainsFunc(v.ImageReferences, func(p string) bool { return wildcard.Match(p, image) }) {
				continue
			}
			asked++
			if err := verify(ctx, &v, image); err != nil {
				return fmt.Errorf("%s: rule %s: %w", file, rule.Name, err)
			}
		}
	}
	if asked == 0 {
		return fmt.Errorf("%s: no rule is about %s", file, image)
	}
	return nil
}

// verify asks for signatures by the attestors, then for each attestation by its own.
func verify(ctx context.Context, v *kyverno.ImageVerification, image string) error {
	err := each(v.Attestors, func(a kyverno.Attestor) error {
		_, err := cosign.NewVerifier().VerifySignature(ctx, options(v, a, nil, image))
		return err
	})
	if err != nil || len(v.Attestors)+len(v.Attestations) == 0 {
		return errors.Join(err, missing(len(v.Attestors)+len(v.Attestations), "attestors"))
	}
	for _, attestation := range v.Attestations {
		err := each(attestation.Attestors, func(a kyverno.Attestor) error {
			got, err := cosign.NewVerifier().FetchAttestations(ctx, options(v, a, &attestation, image))
			if err != nil {
				return err
			}
			of := slices.DeleteFunc(got.Statements, func(s map[string]any) bool { return s["type"] != attestation.Type })
			return missing(len(of), "attestations of type "+attestation.Type)
		})
		if err := errors.Join(err, missing(len(attestation.Attestors), "attestors")); err != nil {
			return err
		}
	}
	return nil
}

func missing(n int, what string) error {
	if n == 0 {
		return errors.New("there are no " + what)
	}
	return nil
}

// each wants every attestor of every set.
func each(sets []kyverno.AttestorSet, ask func(kyverno.Attestor) error) error {
	for _, set := range sets {
		if err := missing(len(set.Entries), "entries of attestors"); err != nil {
			return err
		}
		for _, a := range set.Entries {
			if err := ask(a); err != nil {
				return err
			}
		}
	}
	return nil
}

// options are those of buildCosignVerifier in pkg/engine/internal/imageverifier.go for a key.
func options(v *kyverno.ImageVerification, a kyverno.Attestor, attestation *kyverno.Attestation, image string) verifiers.Options {
	o := verifiers.Options{ImageRef: image, Client: client{}, SigstoreBundle: v.Type == kyverno.SigstoreBundle, Annotations: v.Annotations, Repository: v.Repository}
	if attestation != nil {
		o.Type, o.PredicateType, o.FetchAttestations = attestation.Type, attestation.PredicateType, true
	}
	if a.Keys != nil {
		o.Key, o.SignatureAlgorithm = a.Keys.PublicKeys, a.Keys.SignatureAlgorithm
		o.RekorURL = "https://rekor.sigstore.dev"
		if a.Keys.Rekor != nil {
			o.RekorURL, o.IgnoreTlog = a.Keys.Rekor.URL, a.Keys.Rekor.IgnoreTlog
		}
		o.IgnoreSCT = a.Keys.CTLog != nil && a.Keys.CTLog.IgnoreSCT
	}
	return o
}

// client asks registries without credentials, over HTTP on loopback.
type client struct{}

func (client) Options(ctx context.Context) ([]remote.Option, []name.Option, error) {
	return []remote.Option{remote.WithContext(ctx)}, nil, nil
}

func (client) NameOptions() []name.Option { return nil }
