package base_test

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/product"
)

// TestLockNewer raises tags of slipway.yaml: in place, with the digest where there is one, and only
// to an image for the platform.
func TestLockNewer(t *testing.T) {
	host, dir := serve(t), t.TempDir()
	core := host + "/core"
	full := func(build string) string { return core + ":1.4.0-" + build }
	for build, version := range map[string]string{
		"ltsc2019": "10.0.17763", "ltsc2022": "10.0.20348",
		"ltsc2025": "10.0.26100",
	} {
		push(t, full(build), made(t, windows(version+".1"), "2026-01-13"))
		push(t, core+":1.4.2-"+build, made(t, windows(version+".2"), "2026-02-10"))
	}
	push(t, core+":1.5.0-ltsc2022", made(t, windows("10.0.20348.3"), "2026-03-10"))
	push(t, core+":1.5.0-ltsc2019", made(t, parse(t, "linux/amd64"), "2026-03-10"))
	pinned := push(t, full("ltsc2025"), made(t, windows("10.0.26100.1"), "2026-01-13"))
	bases := `  # bases
  - name: on # used by a
    images:
      "windows/amd64:ltsc2019": ` + full("ltsc2019") + `   # old
      windows/amd64:ltsc2022: '` + full("ltsc2022") + `'
      windows/amd64:ltsc2025: ` + pinned + `
  - {name: host, microsoft: hostprocess, repository: ` + host + `/host}`
	push(t, host+"/host:v1.0.0", made(t, windows(""), "2026-01-13"))
	push(t, host+"/host:v1.1.0", made(t, windows(""), "2026-01-13"))
	lock(t, dir, host, bases)

	p, err := load(t, dir, host, bases, true)
	if err != nil {
		t.Fatal(err)
	}
	l, err := base.Lock(t.Context(), p, client, base.LockOptions{Newer: imagetag.Minor})
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(dir + "/slipway.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := product.WriteBases(t.Context(), p, l.Entries, l.References, nil); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(dir + "/slipway.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	var now string
	for _, c := range l.Changes {
		if c.Base == "host" {
			if c.Why != "" {
				t.Errorf("a base of Microsoft: %+v", c)
			}
			continue
		}
		if c.Platform == "windows/amd64:ltsc2025" {
			now = c.To
		}
		from, _, _ := strings.Cut(strings.TrimPrefix(c.From, core), "@")
		to, _, _ := strings.Cut(strings.TrimPrefix(c.To, core), "@")
		got = append(got, c.Platform+" "+from+" "+to+" "+c.Why+" "+strings.Join(c.Unsuitable, "; "))
	}
	if d := cmp.Diff([]string{
		"windows/amd64:ltsc2025 :1.4.0-ltsc2025 :1.4.2-ltsc2025 newer patch ",
		"windows/amd64:ltsc2022 :1.4.0-ltsc2022 :1.5.0-ltsc2022 newer minor ",
		"windows/amd64:ltsc2019 :1.4.0-ltsc2019 :1.4.2-ltsc2019 newer patch 1.5.0-ltsc2019: " +
			"it is an image for linux/amd64: name the right one for windows/amd64:ltsc2019",
	}, got); d != "" {
		t.Errorf("what has changed (-want +got):\n%s", d)
	}
	want := strings.NewReplacer(full("ltsc2019")+" ", core+":1.4.2-ltsc2019 ", full("ltsc2022"), core+":1.5.0-ltsc2022",
		pinned, now).Replace(string(before))
	if d := cmp.Diff(want, string(after)); d != "" || want == string(before) {
		t.Errorf("slipway.yaml (-want +got):\n%s", d)
	}
	if p, err := product.Load(t.Context(),
		product.Options{Path: dir + "/slipway.yaml", Registries: []string{host}}); err != nil || len(p.Demands) > 0 {
		t.Errorf("after raising: %v, %v", p, err)
	}
}

// TestLockNewerFails has registries that do not list tags, and a reference that cannot be replaced.
func TestLockNewerFails(t *testing.T) {
	s, dir := registrytest.Serve(t), t.TempDir()
	for _, tag := range []string{"1.0.0", "1.0.1"} {
		push(t, s.Host()+"/core:"+tag, made(t, windows("10.0.20348.1"), "2026-01-13"))
	}
	on := s.Host() + "/core:1.0.0"
	push(t, s.Host()+"/on:v1.0.0", made(t, windows("10.0.20348.1"), "2026-01-13"))
	bases := "  - {name: on, microsoft: hostprocess, repository: " + s.Host() +
		"/on}\n  - {name: too, images: {\"windows/amd64:ltsc2022\": &ref \"" +
		on + "\"}}\n  - {name: three, images: {\"windows/amd64:ltsc2022\": *ref}}"
	try := func() error {
		p, err := load(t, dir, s.Host(), bases, true)
		if err != nil {
			t.Fatal(err)
		}
		l, err := base.Lock(t.Context(), p, network.New(network.Options{Attempts: 1}),
			base.LockOptions{Newer: imagetag.Patch})
		if err != nil {
			return err
		}
		return product.WriteBases(t.Context(), p, l.Entries, l.References, nil)
	}
	if err := try(); err == nil || !strings.Contains(err.Error(), "slipway.yaml:9:") || !strings.Contains(err.Error(),
		"/core:1.0.0 cannot be replaced in place: write it out here instead of an alias") {
		t.Errorf("with an alias: %v", err)
	}
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if strings.HasSuffix(q.URL.Path, "/tags/list") {
			w.WriteHeader(http.StatusForbidden)
		}
		return strings.HasSuffix(q.URL.Path, "/tags/list")
	})
	if err := try(); err == nil || strings.Count(err.Error(), ": listing the tags of "+s.Host()+"/core: ") != 2 ||
		!strings.Contains(err.Error(), "slipway.yaml:8:") {
		t.Errorf("without a list of tags: %v", err)
	}
	if _, err := os.Stat(dir + "/bases.lock.yaml"); err == nil {
		t.Error("a lock was written")
	}
}
