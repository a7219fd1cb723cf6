package containerfile_test

import (
	"context"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

const stubCase = `
-- Dockerfile --
FROM servercore AS addon
FROM nanoserver
COPY --from=addon /Windows/System32/netapi32.dll /Windows/System32/
COPY --from=tools /bin/*.exe /charts/ /tools/
COPY --from=tools /there.txt /
ENTRYPOINT ["/x.exe"]
-- images/servercore --
layer
file 644 0:0 slipway-stub.txt "a stub"
-- images/nanoserver --
layer
file 644 0:0 nano.txt "nano"
-- images/tools --
layer
file 644 0:0 there.txt "there"
`

// TestStub copies from images that are stubs in a snapshot, through a stage and directly,
// and copies from the same images when they are real.
func TestStub(t *testing.T) {
	c := dockerfiletest.Load(t, txtar.Parse([]byte(stubCase)))
	in := c.Input
	p, err := platform.Parse("windows/amd64:ltsc2022")
	must(t, err)
	in.Platform = p
	there := in.Base
	in.Base = func(ctx context.Context, name string, p platform.Platform) (base.Base, error) {
		b, err := there(ctx, name, p)
		if err == nil {
			b.Info = &base.Info{Name: name, Digest: v1.Hash{
				Algorithm: "sha256",
				Hex:       strings.Repeat("a", 63) + name[:1],
			}, Stub: name != "nanoserver"}
		}
		return b, err
	}
	r, err := build(t, in)
	must(t, err)
	got := dump(t, r)
	for _, want := range []string{
		"file 0755 0:0 /Windows/System32/netapi32.dll (",
		"file 0755 0:0 /tools/stub.exe (",
		"file 0755 0:0 /tools/stub.txt (",
		`file 0644 0:0 /there.txt "there"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing:\n%s", want, got)
		}
	}
	var others []string
	for _, o := range r.Others {
		others = append(others, o.Name)
	}
	if strings.Join(others, " ") != "servercore tools" {
		t.Errorf("the other images are %v", others)
	}

	in.Base = there
	if _, err := build(t, in); err == nil ||
		!strings.Contains(err.Error(), "netapi32.dll is not there") {
		t.Errorf("a real image without the file: %v", err)
	}
}
