package release_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// TestOnHostProcess makes a release of the example on Microsoft's base for HostProcess
// containers, which is one image without an os.version for every build. Images built on it, by
// a Dockerfile or as a Go image, must have each build in the index and the configuration.
func TestOnHostProcess(t *testing.T) {
	host, _ := serveRegistry(t)
	nanoserver(t, host+"/host-process:v1.0.0", platform.Platform{OS: platform.Windows, Architecture: "amd64"})
	yaml, out := hello(t), t.TempDir()
	text, err := os.ReadFile(yaml)
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile(`(?m)^  - name: nanoserver\n    images:\n(      .*\n)+`)
	if !named.Match(text) {
		t.Fatal("the example names no base to replace")
	}
	text = named.ReplaceAll(text,
		[]byte("  - {name: nanoserver, microsoft: hostprocess, repository: "+host+"/host-process}\n"))
	if err := os.WriteFile(yaml, text, 0o644); err != nil {
		t.Fatal(err)
	}
	options := product.Options{Path: yaml, Registries: []string{host + "/team"}, Bases: true}
	p, err := product.Load(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	locked, err := base.Lock(t.Context(), p, network.New(network.Options{}), base.LockOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := product.WriteBases(t.Context(), p, locked.Entries, locked.References, nil); err != nil {
		t.Fatal(err)
	}
	options.Bases = false
	if _, err := cut(t, options, out); err != nil {
		t.Fatal(err)
	}
	l, err := lock.Read(filepath.Join(out, lock.Name))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"10.0.26100.1", "10.0.20348.1", "10.0.17763.1"}
	for _, i := range l.Images {
		_, children := pull(t, i.Repository+"@"+i.Digest.String())
		var said, configured []string
		for _, d := range children {
			if d.Platform.OS != platform.Windows {
				continue
			}
			cf, err := d.Image.ConfigFile()
			if err != nil {
				t.Fatal(err)
			}
			said, configured = append(said, d.Platform.OSVersion), append(configured, cf.OSVersion)
		}
		if !slices.Equal(said, want) || !slices.Equal(configured, want) {
			t.Errorf("%s: the index says %q, the configurations %q, want %q", i.Name, said, configured, want)
		}
	}
	if len(l.Images) != 2 {
		t.Errorf("%d images", len(l.Images))
	}
}
