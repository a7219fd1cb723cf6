package registries

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/consumertable"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/wine"
	"github.com/slipway-dev/slipway/platform"
)

// chosen is what hosts take from an index of a broken shape, and from the mended one, in
// docs/results/audit-proof.md.
var chosen = &consumertable.Table{
	Name: "chosen", Page: auditProof, Keys: 3,
	Columns: []string{"shape", "host", "containerd's matcher", "from the index", "from the mended index"},
}

// matchers are the module files that choose is compiled with, one for each version of
// github.com/containerd/platforms.
var matchers = []string{"old.mod", "go.mod"}

// hosts are the builds of Windows that choose. 26300 is newer than each release.
var hosts = []string{
	"10.0.14393", "10.0.17763", "10.0.20348", "10.0.25398", "10.0.26100", "10.0.26300",
}

// TestChoose mends indexes of the shapes of published ones, and asks containerd's matchers on hosts
// of six builds, which wine's registry says it is, which image they take before and after.
func TestChoose(t *testing.T) {
	w := wine.New(t)
	var lists [][]v1.Platform // before and after for each shape
	var images [][]platform.Platform
	r := registrytest.Serve(t)
	for _, shape := range shapes {
		n := slices.IndexFunc(indextest.Cases, func(c indextest.Case) bool { return c.Name == shape })
		ref := r.Repo(t, shape).Tag("1")
		must(t, remote.WriteIndex(ref, indextest.Index(t, indextest.Cases[n].Entries...)))
		done, err := audit.NewReader(network.Options{Jobs: 4}).Fix(t.Context(), ref.String(),
			audit.Fix{To: ref.Context(), Tag: "2"})
		must(t, err)
		for _, index := range []v1.Hash{done.Before, done.After} {
			listed, are := entries(t, ref.Context().Digest(index.String()))
			lists, images = append(lists, listed), append(images, are)
		}
	}
	in, err := json.Marshal(lists)
	must(t, err)
	versions := map[string]string{}
	for _, file := range matchers {
		compile(t, w, file)
		versions[file] = required(t, "platforms", filepath.Join("choose", file), "github.com/containerd/platforms")
	}
	misled := map[string]bool{"rke2-2025": true} // only its name is wrong
	for _, host := range hosts {
		become(t, w, host)
		for file, version := range versions {
			taken := choose(t, w, file, host, string(in))
			p := platform.Platform{OS: platform.Windows, Architecture: "amd64", OSVersion: host}
			for n, shape := range shapes {
				before, after := taken[2*n], taken[2*n+1]
				was, is := images[2*n], images[2*n+1]
				if best := platform.Best(p, is); after != best {
					t.Errorf("%s on %s, %s: it takes %d of %v, not %d", shape, host, version, after, is, best)
				}
				if says(p, was, before) != says(p, is, after) {
					misled[shape] = true
				}
				chosen.Record(t, shape, host, version, says(p, was, before), says(p, is, after))
			}
		}
	}
	if len(misled) != len(shapes) {
		t.Errorf("only of %v some host took another image than from the mended index", misled)
	}
}

// entries returns the platforms that an index lists, and those that its images have.
func entries(t *testing.T, ref name.Digest) (listed []v1.Platform, are []platform.Platform) {
	t.Helper()
	i, err := remote.Index(ref)
	must(t, err)
	m, err := i.IndexManifest()
	must(t, err)
	for _, d := range m.Manifests {
		img, err := i.Image(d.Digest)
		must(t, err)
		config, err := img.ConfigFile()
		must(t, err)
		listed, are = append(listed, *d.Platform), append(are, platform.FromConfig(config))
	}
	return listed, are
}

// says describes the image that a host took.
func says(host platform.Platform, images []platform.Platform, taken int) string {
	if taken < 0 {
		return "none"
	}
	image := images[taken]
	what := platform.Release(image.OSVersion)
	if !platform.Runs(host, image) {
		what += ", which it does not run"
	}
	return what
}

// compile builds choose for Windows with a module file.
func compile(t *testing.T, w wine.Drive, file string) {
	t.Helper()
	build := exec.CommandContext(t.Context(), "go", "build", "-C", "choose", "-trimpath", "-modfile="+file,
		"-o", filepath.Join(w.Dir, file+".exe"))
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// become lets wine report another version of Windows to the programs that start from now on.
func become(t *testing.T, w wine.Drive, version string) {
	t.Helper()
	short, build := version[:strings.LastIndexByte(version, '.')], version[strings.LastIndexByte(version, '.')+1:]
	text := fmt.Sprintf("REGEDIT4\r\n\r\n[%s]\r\n\"CurrentVersion\"=\"%s\"\r\n\"CurrentBuildNumber\"=\"%s\"\r\n",
		`HKEY_LOCAL_MACHINE\Software\Microsoft\Windows NT\CurrentVersion`, short, build)
	must(t, os.WriteFile(filepath.Join(w.Dir, "host.reg"), []byte(text), 0o600))
	if out, err := w.Run(t, nil, "reg", "import", `C:\host.reg`); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// choose asks one of the two programs which entries the host takes.
func choose(t *testing.T, w wine.Drive, file, host, lists string) []int {
	t.Helper()
	out, said, err := w.RunWith(t, strings.NewReader(lists), nil, `C:\`+file+".exe")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	var is struct {
		Host  string
		Taken []int
	}
	must(t, json.Unmarshal([]byte(out), &is))
	if is.Host != host || len(is.Taken) != 2*len(shapes) {
		t.Fatalf("wine's registry says %s, and the program %s", host, out)
	}
	return is.Taken
}
