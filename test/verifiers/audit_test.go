package verifiers

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// TestAudit signs with cosign 2 and 3, in registries with the referrers API and without. slipway
// audit tells an index that alone is signed from one whose images are, too, and a signature that
// was carried over to another image.
func TestAudit(t *testing.T) {
	dir := t.TempDir()
	keys := exec.CommandContext(t.Context(), testprog.Built(t, "cosign", "cosign2"), "generate-key-pair")
	keys.Dir, keys.Env = dir, append(os.Environ(), "COSIGN_PASSWORD=")
	must(t, run(keys))
	for _, program := range []string{"cosign2", "cosign3"} {
		for _, r := range registries() {
			t.Run(program+" "+r.name, func(t *testing.T) {
				repo, err := name.NewRepository(r.host + "/audited/" + program)
				must(t, err)
				i, other := twoImages(t), twoImages(t)
				must(t, remote.WriteIndex(repo.Tag("1.0.0"), i))
				must(t, remote.WriteIndex(repo.Tag("other"), other))
				index := digestOf(t, repo, i)
				sign := func(what name.Digest, args ...string) {
					t.Helper()
					args = append([]string{"sign", "--yes", "--tlog-upload=false", "--key=" + filepath.Join(dir, "cosign.key")}, args...)
					if program == "cosign3" {
						args = append(args, "--use-signing-config=false")
					}
					c := exec.CommandContext(t.Context(), testprog.Built(t, "cosign", program), append(args, what.String())...)
					c.Env = append(os.Environ(), "COSIGN_PASSWORD=")
					must(t, run(c))
				}
				check := func(want ...string) {
					t.Helper()
					if got := audited(t, repo.Tag("1.0.0").String()); !slices.Equal(got, want) {
						t.Errorf("it finds %q, not %q", got, want)
					}
				}
				check()
				sign(index)
				check("evidence-entries")
				sign(index, "--recursive")
				check()
				if program == "cosign3" {
					return
				}
				sign(digestOf(t, repo, other))
				carried, err := remote.Get(repo.Tag(tagOf(digestOf(t, repo, other))))
				must(t, err)
				must(t, remote.Tag(repo.Tag(tagOf(index)), carried))
				check("evidence-subject")
			})
		}
	}
}

// tagOf is the tag under which cosign 2 keeps signatures of a digest.
func tagOf(d name.Digest) string { return strings.Replace(d.DigestStr(), ":", "-", 1) + ".sig" }

func digestOf(t *testing.T, repo name.Repository, i v1.ImageIndex) name.Digest {
	t.Helper()
	h, err := i.Digest()
	must(t, err)
	return repo.Digest(h.String())
}

// twoImages is an index for two platforms.
func twoImages(t *testing.T) v1.ImageIndex {
	t.Helper()
	i := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arch := range []string{"amd64", "arm64"} {
		img, err := random.Image(64, 1)
		must(t, err)
		c, err := img.ConfigFile()
		must(t, err)
		c.OS, c.Architecture = "linux", arch
		img, err = mutate.ConfigFile(img, c)
		must(t, err)
		i = mutate.AppendManifests(i, mutate.IndexAddendum{
			Add:        mutate.ConfigMediaType(mutate.MediaType(img, types.OCIManifestSchema1), types.OCIConfigJSON),
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
		})
	}
	return i
}

// audited returns the rules that slipway audit finds broken.
func audited(t *testing.T, ref string) (rules []string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Getenv(inside), "audit", "-json", ref)
	raw, err := c.Output()
	must(t, err)
	var report struct{ Findings []struct{ Rule string } }
	must(t, json.Unmarshal(raw, &report))
	for _, f := range report.Findings {
		rules = append(rules, f.Rule)
	}
	return slices.DeleteFunc(rules, func(r string) bool { return strings.HasPrefix(r, "index-") })
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
