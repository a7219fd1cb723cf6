package verifiers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// verifier asks a third-party program about an image in a registry.
type verifier struct {
	consumer string // that the program belongs to, see package consumer
	name     string // in the table
	call     string
	// ask returns nil if the program accepts the image.
	ask func(t *testing.T, key string, ref name.Digest) error
	// private asks about an image that has another name than the signed one; nil where ask does.
	private func(t *testing.T, key string, ref name.Digest, signed name.Repository) error
	// blind is the name of a registry in which it does not find the evidence.
	blind string
}

// bundles reports whether the verifier is given bundles, and asks no registry.
func (v verifier) bundles() bool { return v.consumer == "node" || v.consumer == "openssl" }

// verifiers are all that look at images. No call has a way to a transparency log.
var verifiers = []verifier{
	{consumer: "cosign", name: "cosign 3.1", call: "cosign verify", ask: cosign3("verify")},
	{
		consumer: "cosign", name: "cosign 3.1", call: "cosign verify-attestation --type=slsaprovenance1",
		ask: cosign3("verify-attestation", "--type=slsaprovenance1"),
	},
	{
		consumer: "cosign", name: "cosign 3.1", call: "cosign verify-attestation --type=spdxjson",
		ask: cosign3("verify-attestation", "--type=spdxjson"),
	},
	{consumer: "cosign", name: "cosign 2.6", call: "cosign verify --trusted-root=FILE", ask: cosign2},
	{consumer: "cosign", name: "cosign 2.6", call: "cosign verify, without bundles", ask: cosign2Old},
	{
		consumer: "imagepolicy", name: "containers/image 5.42", call: "policy.json", ask: imagePolicy,
		private: imagePolicyPrivate,
	},
	{consumer: "kyverno", name: "Kyverno 1.19", call: "kyverno-cosign.yaml", ask: kyverno("kyverno-cosign.yaml")},
	{
		consumer: "kyverno", name: "Kyverno 1.19", call: "kyverno-bundle.yaml", ask: kyverno("kyverno-bundle.yaml"),
		blind: configurationType,
	},
	{consumer: "node", name: "sigstore-js 4.1", call: "@sigstore/verify, each bundle", ask: sigstoreJS},
	{consumer: "openssl", name: "openssl 3.0", call: "openssl dgst -sha256 -verify, each bundle", ask: openssl},
}

// run is a command, and why it refuses.
func run(cmd *exec.Cmd) error {
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "HOME="+filepath.Join(workDir, "home"), "DOCKER_CONFIG="+filepath.Join(workDir, "home"))
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w: %s", filepath.Base(cmd.Path), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return nil
}

func cosign3(args ...string) func(*testing.T, string, name.Digest) error {
	return func(t *testing.T, key string, ref name.Digest) error {
		t.Helper()
		all := slices.Concat(args, []string{"--key=" + key, "--insecure-ignore-tlog", ref.String()})
		return run(exec.CommandContext(t.Context(), testprog.Built(t, "cosign", "cosign3"), all...))
	}
}

// cosign2 verifies bundles where it finds some, and then wants to know whom else it could trust,
// also with a key: without a file it asks Sigstore, and fails. Nothing is in the file.
func cosign2(t *testing.T, key string, ref name.Digest) error {
	t.Helper()
	root := filepath.Join(t.TempDir(), "trusted_root.json")
	if err := os.WriteFile(root, []byte(`{"mediaType":"application/vnd.dev.sigstore.trustedroot+json;version=0.1"}`),
		0o644); err != nil {
		t.Fatal(err)
	}
	return run(exec.CommandContext(t.Context(), testprog.Built(t, "cosign", "cosign2"), "verify",
		"--key="+key, "--insecure-ignore-tlog", "--trusted-root="+root, ref.String()))
}

// cosign2Old verifies the signature under the tag, which cosign 1 and 2 before 2.6 always do: it
// is asked about a copy of the image without its referrers, as most copies are.
func cosign2Old(t *testing.T, key string, ref name.Digest) error {
	t.Helper()
	to, err := name.NewRepository(ours().host + "/" + ref.RepositoryStr())
	if err != nil {
		t.Fatal(err)
	}
	d := copied(t, ref.Context(), to, subject{digest: hash(t, ref)}, false)
	for _, a := range evidence(t, ref.Context(), d.Digest) {
		if a.tag != "" {
			a.store(t, to, d)
		}
	}
	return run(exec.CommandContext(t.Context(), testprog.Built(t, "cosign", "cosign2"), "verify",
		"--key="+key, "--insecure-ignore-tlog", to.Digest(d.Digest.String()).String()))
}

// imagePolicy asks what podman, CRI-O and skopeo ask.
func imagePolicy(t *testing.T, key string, ref name.Digest) error {
	t.Helper()
	dir := t.TempDir()
	return underPolicy(t, dir, sample(t, "policy.json", key, ref.RegistryStr(), dir), ref)
}

// imagePolicyPrivate asks the same about an image in a private registry: its signature names the
// repository that the release was pushed to.
func imagePolicyPrivate(t *testing.T, key string, ref name.Digest, signed name.Repository) error {
	t.Helper()
	dir := t.TempDir()
	policy := sample(t, "policy-private.json", key, signed.RegistryStr(), dir, "registry.internal/mirror/me/app",
		ref.Context().Name(), "registry.example.com/me/app", signed.Name())
	return underPolicy(t, dir, policy, ref)
}

func underPolicy(t *testing.T, dir, policy string, ref name.Digest) error {
	t.Helper()
	attachments := filepath.Join(dir, "registries.d")
	if err := os.Mkdir(attachments, 0o755); err != nil {
		t.Fatal(err)
	}
	sample(t, "registries.d/example.yaml", "", ref.RegistryStr(), dir)
	return run(exec.CommandContext(t.Context(), testprog.Built(t, "imagepolicy", "imagepolicy"),
		policy, attachments, "//"+ref.String()))
}

func kyverno(policy string) func(*testing.T, string, name.Digest) error {
	return func(t *testing.T, key string, ref name.Digest) error {
		t.Helper()
		file := sample(t, policy, key, ref.RegistryStr(), t.TempDir())
		return run(exec.CommandContext(t.Context(), testprog.Built(t, "kyverno", "kyverno"), file, ref.String()))
	}
}

// sigstoreJS gives each bundle that a registry has of an image to sigstore-js.
func sigstoreJS(t *testing.T, key string, ref name.Digest) error {
	t.Helper()
	return bundles(t, ref, func(file string, _ []byte) error {
		return run(node(t, "verify.cjs", key, file, ref.DigestStr()))
	})
}

// openssl verifies the signature in each bundle over the encoding of DSSE, which is made here as
// its specification says.
func openssl(t *testing.T, key string, ref name.Digest) error {
	t.Helper()
	testprog.Need(t, "openssl")
	return bundles(t, ref, func(file string, text []byte) error {
		var b struct {
			Envelope struct {
				Type       string `json:"payloadType"`
				Payload    []byte `json:"payload"`
				Signatures []struct {
					Sig []byte `json:"sig"`
				} `json:"signatures"`
			} `json:"dsseEnvelope"`
		}
		if err := json.Unmarshal(text, &b); err != nil || len(b.Envelope.Signatures) != 1 {
			return fmt.Errorf("%s is not a bundle with a signature: %w", file, err)
		}
		var s struct {
			Subject []struct {
				Digest map[string]string `json:"digest"`
			} `json:"subject"`
		}
		if err := json.Unmarshal(b.Envelope.Payload, &s); err != nil {
			return err
		}
		named := false
		for _, one := range s.Subject {
			named = named || "sha256:"+one.Digest["sha256"] == ref.DigestStr()
		}
		if !named {
			return fmt.Errorf("the statement has no subject %s", ref.DigestStr())
		}
		pae := fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(b.Envelope.Type), b.Envelope.Type, len(b.Envelope.Payload),
			b.Envelope.Payload)
		return dgst(t, key, b.Envelope.Signatures[0].Sig, pae)
	})
}

// dgst is openssl as docs/policies.md calls it.
func dgst(t *testing.T, key string, der, message []byte) error {
	t.Helper()
	file := filepath.Join(t.TempDir(), "sig")
	if err := os.WriteFile(file, der, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "openssl", "dgst", "-sha256", "-verify", key, "-signature", file)
	cmd.Stdin = bytes.NewReader(message)
	return run(cmd)
}

// bundles calls f for each bundle of an image, in a file.
func bundles(t *testing.T, ref name.Digest, f func(file string, text []byte) error) error {
	t.Helper()
	n := 0
	for _, a := range evidence(t, ref.Context(), hash(t, ref)) {
		if a.manifest.ArtifactType != signature.BundleType {
			continue
		}
		n++
		file := filepath.Join(t.TempDir(), "bundle.json")
		if err := os.WriteFile(file, a.layers[1], 0o644); err != nil {
			t.Fatal(err)
		}
		if err := f(file, a.layers[1]); err != nil {
			return err
		}
	}
	if n < 2 {
		t.Errorf("%s has %d bundles, want its provenance and its SBOM", ref, n)
	}
	return nil
}

// TestAccept: every verifier accepts the index and both manifests, in every registry. What it
// says goes to the page.
func TestAccept(t *testing.T) {
	s := theRelease(t)
	for _, v := range verifiers {
		t.Run(v.name+"/"+v.call, func(t *testing.T) {
			cells := []string{v.name, "`" + v.call + "`"}
			for _, sub := range s.subjects() {
				said := "accepted"
				for n, r := range registries() {
					if n > 0 && v.bundles() {
						break
					}
					err := v.ask(t, s.key(), s.repository(t, r.host).Digest(sub.digest.String()))
					if v.blind == r.name {
						if err == nil {
							t.Errorf("%s, %s: it is not blind here", r.name, sub.name)
						}
						continue
					}
					if err != nil {
						t.Errorf("%s, %s: %v", r.name, sub.name, err)
						said = "refused"
					}
				}
				cells = append(cells, said)
			}
			results.Record(t, cells...)
		})
	}
}

func hash(t *testing.T, ref name.Digest) v1.Hash {
	t.Helper()
	h, err := v1.NewHash(ref.DigestStr())
	if err != nil {
		t.Fatal(err)
	}
	return h
}
