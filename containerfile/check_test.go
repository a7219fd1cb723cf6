package containerfile_test

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

// unasked is a transport that fails the test on every request.
type unasked struct{ t *testing.T }

func (o unasked) RoundTrip(q *http.Request) (*http.Response, error) {
	o.t.Errorf("a check asks for %s", q.URL)
	return nil, http.ErrServerClosed
}

// TestCheck checks every testdata/*.txtar. A check downloads nothing and reports no
// error that a build does not report. It reports all of a build's errors if no
// image has to be downloaded.
func TestCheck(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	must(t, err)
	found := 0
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		must(t, err)
		c := dockerfiletest.Load(t, a)
		images := slices.ContainsFunc(a.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "images/") })
		for _, p := range c.Platforms {
			in := c.Input
			in.Platform, err = platform.Parse(p)
			must(t, err)
			built, want := build(t, in)
			in.Client = network.New(network.Options{Transport: unasked{t}})
			checked, got := check(t, in)
			switch {
			case images && got == nil:
			case (got == nil) != (want == nil):
				t.Errorf("%s for %s: a check finds %v, a build %v", f, p, got, want)
			case got != nil:
				found++
				of := strings.Split(want.Error(), "\n")
				for _, line := range strings.Split(got.Error(), "\n") {
					if !slices.Contains(of, line) {
						t.Errorf("%s for %s: a check finds %q, and a build does not:\n%v", f, p, line, want)
					}
				}
				if !images && got.Error() != want.Error() {
					t.Errorf("%s for %s: a check finds\n%v\nand a build\n%v", f, p, got, want)
				}
			}
			for n, l := range checked.Layers {
				if !images && !strings.Contains(f, "url") && l.CreatedBy != built.Layers[n].CreatedBy {
					t.Errorf("%s for %s: layer %d is of %q, want %q", f, p, n, l.CreatedBy, built.Layers[n].CreatedBy)
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d mistakes were found at all", found)
	}
}

const distantCase = `
-- Dockerfile --
FROM tools AS tools
COPY --chown=app app.txt /opt/
USER app
WORKDIR /home/app
FROM scratch AS archive
ADD --unpack --checksum=sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef https://example.com/a.tar.gz /a/
ADD --checksum=sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef https://example.com/b.txt /b/
FROM scratch
COPY --from=tools /usr/bin/tool /usr/lib/lib?.so /etc/ssl/ /opt/app.txt /x/
COPY --from=archive /a/bin/x /b/b.txt /y/
COPY --from=other --chown=0 /z /z
COPY missing.txt /
-- context/app.txt --
app
-- images/tools --
layer
file 644 0:0 usr/bin/tool "tool"
-- images/other --
layer
file 644 0:0 z "z"
`

// TestCheckDistant checks that Check assumes only what it cannot know without a download.
func TestCheckDistant(t *testing.T) {
	c := dockerfiletest.Load(t, txtar.Parse([]byte(distantCase)))
	in := c.Input
	in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
	in.Client = network.New(network.Options{Transport: unasked{t}})
	there := in.Base
	in.Base = func(ctx context.Context, name string, p platform.Platform) (base.Base, error) {
		b, err := there(ctx, name, p)
		b.Demand = errDemand(name)
		return b, err
	}
	r, err := check(t, in)
	if err == nil || strings.Count(err.Error(), "\n") > 0 ||
		!strings.Contains(err.Error(), "Dockerfile:12:6: missing.txt is not there") {
		t.Errorf("a check finds %v, want missing.txt alone", err)
	}
	var demands []string
	for _, d := range r.Demands {
		demands = append(demands, strings.TrimPrefix(d.Error(), c.Dir+"/"))
	}
	if want := []string{"Dockerfile:1:6: pin tools", "Dockerfile:11:6: pin other"}; !slices.Equal(demands, want) {
		t.Errorf("the demands are %q, want %q", demands, want)
	}
}

type errDemand string

func (e errDemand) Error() string { return "pin " + string(e) }
