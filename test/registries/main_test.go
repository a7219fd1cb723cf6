package registries

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/internal/testing/consumertable"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/internal/testing/wine"
	"github.com/slipway-dev/slipway/lock"
)

// targets is what registries had after a push, in docs/results/consumers.md.
var targets = &consumertable.Table{
	Name:    "registries",
	Columns: []string{"registry", "call", "bundle", "names", "digests", "platforms"},
	Keys:    3,
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "slipway-*")
	if err != nil {
		panic(err)
	}
	programs = dir
	code := consumertable.Main(m, "../../docs/results/consumers.md", "test/registries", targets, seeded, published, publishedFaults, made,
		mended, chosen)
	if err := wine.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

var distributionVersion = regexp.MustCompile(`github.com/distribution/distribution/v3 v(\S+)`)

// label names a registry of a test with its version: "Debian with TLS" is the registry of this
// system, with TLS.
func label(t *testing.T, name string) string {
	t.Helper()
	if rest, ok := strings.CutPrefix(name, "Debian"); ok {
		return consumertable.Packaged("docker-registry", testprog.Run(t, "docker-registry", "--version")) + rest
	}
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	return consumertable.Built("distribution", string(distributionVersion.FindSubmatch(text)[1])) +
		strings.TrimPrefix(name, "distribution 3")
}

// arrived asks a registry for every image of a lock by tag and by digest, and for each manifest
// of its index with all its layers, and records what exists.
func arrived(t *testing.T, r software, l *lock.Lock, registry, call, bundle string) {
	t.Helper()
	options := []remote.Option{remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	if r.transport != nil {
		options = append(options, remote.WithTransport(r.transport))
	}
	names, digests := map[string]int{}, map[string]int{}
	whole, lacking := map[string]bool{}, map[string]bool{}
	for _, i := range l.Images {
		for kind, text := range map[string]string{"tag": i.Tagged(), "digest": i.Reference()} {
			ref, err := name.ParseReference(text)
			if err != nil {
				t.Fatal(err)
			}
			d, err := remote.Head(ref, options...)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			names[kind]++
			if d.Digest == i.Digest {
				digests["as pinned"]++
			}
		}
		for _, c := range i.Children {
			ref, err := name.NewDigest(i.Repository + "@" + c.Digest.String())
			if err != nil {
				t.Fatal(err)
			}
			img, err := remote.Image(ref, options...)
			if err == nil {
				err = validate.Image(img)
			}
			if err != nil {
				lacking[c.Platform.String()] = true
				continue
			}
			whole[c.Platform.String()] = true
		}
	}
	if names["tag"] != len(l.Images) || names["digest"] != len(l.Images) || digests["as pinned"] != 2*len(l.Images) {
		t.Errorf("of %d images the registry has %v, of which %v", len(l.Images), names, digests)
	}
	platforms := "all"
	if len(lacking) > 0 {
		var list []string
		for p := range whole {
			if !lacking[p] {
				list = append(list, p)
			}
		}
		slices.Sort(list)
		platforms = strings.Join(list, ", ")
	}
	if !t.Failed() {
		targets.Record(t, registry, "`"+call+"`", bundle, "tag, digest", "as pinned", platforms)
	}
}
