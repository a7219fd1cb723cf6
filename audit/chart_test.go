//go:build !race

package audit_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/render/chart"
	_ "github.com/slipway-dev/slipway/render/chart/engine"
)

func init() { charts = true }

// rawManifest is a manifest that is pushed as it is.
type rawManifest []byte

func (m rawManifest) RawManifest() ([]byte, error)        { return m, nil }
func (m rawManifest) MediaType() (types.MediaType, error) { return types.OCIManifestSchema1, nil }

// pushChart pushes blobs as Helm does, the archive behind a provenance, and returns the descriptor
// of the archive. change changes the manifest.
func pushChart(t *testing.T, tag name.Tag, archive []byte, change func(*v1.Manifest)) v1.Descriptor {
	t.Helper()
	blob := func(text []byte, mt types.MediaType) v1.Descriptor {
		l := static.NewLayer(text, mt)
		must(t, remote.WriteLayer(tag.Context(), l))
		h, err := l.Digest()
		must(t, err)
		return v1.Descriptor{MediaType: mt, Digest: h, Size: int64(len(text))}
	}
	m := v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: blob([]byte("{}"), chart.ConfigType),
		Layers: []v1.Descriptor{
			blob([]byte("signed"), "application/vnd.cncf.helm.chart.provenance.v1.prov"),
			blob(archive, chart.LayerType),
		},
	}
	if change != nil {
		change(&m)
	}
	raw, err := json.Marshal(m)
	must(t, err)
	must(t, remote.Put(tag, rawManifest(raw)))
	return m.Layers[len(m.Layers)-1]
}

// packaged returns the archive of a chart.
func packaged(t *testing.T, dir string) []byte {
	t.Helper()
	c, err := chart.Load(chart.Locate(dir))
	must(t, err)
	var b bytes.Buffer
	must(t, c.Package(&b, now))
	return b.Bytes()
}

// twoSystems writes the chart app, which places an image for Linux by its values, and values for
// Windows.
func twoSystems(t *testing.T, version, linux string) (dir string) {
	t.Helper()
	return write(t, map[string]string{
		"app/Chart.yaml": "apiVersion: v2\nname: app\nversion: " + version + "\nannotations:\n  artifacthub.io/images: |\n" +
			"    - name: app\n      image: " + linux + "\n    - name: old\n      image: example.com/old:1\n",
		"app/values.yaml":       "os: linux\n",
		"app/templates/ds.yaml": daemonSet("d", "{{ .Values.os }}", linux, "none"),
		"windows.yaml":          "os: windows\n",
	})
}

// TestPulledChart: a chart in a registry is judged as its directory is.
func TestPulledChart(t *testing.T) {
	r := registrytest.Serve(t)
	linux := push(t, r.Repo(t, "linux"), "1", "linux/amd64")
	dir := twoSystems(t, "1.0.0+2", linux)
	tag := r.Repo(t, "charts/app").Tag("1.0.0_2")
	pushChart(t, tag, packaged(t, filepath.Join(dir, "app")), nil)
	arg := audit.OCI + strings.Replace(tag.String(), "_", "+", 1)
	r.Reset()
	reading := reader()
	reading.Cases = []audit.Case{{Name: "windows", Files: []string{filepath.Join(dir, "windows.yaml")}}}
	got := lines(report(t, reading, lint.IndexOptions{Now: now}, arg), dir)
	want := []string{
		arg + "/Chart.yaml:5  [chart-images]",
		arg + ":13 DaemonSet d [image-os] case windows",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	calls, _ := r.Reset()
	asked := map[string]int{}
	for _, c := range calls {
		if asked[c]++; asked[c] > 1 {
			t.Errorf("asked twice: %s", c)
		}
	}
}

// TestPulledChartBad: what is no chart, or another one than its manifest says, is one line.
func TestPulledChartBad(t *testing.T) {
	r := registrytest.Serve(t)
	dir := write(t, map[string]string{"app/Chart.yaml": "apiVersion: v2\nname: app\nversion: 1.0.0\n"})
	archive := packaged(t, filepath.Join(dir, "app"))
	repo := r.Repo(t, "charts/app")
	push(t, repo, "image", "linux/amd64")
	pushChart(t, repo.Tag("artifact"), archive, func(m *v1.Manifest) { m.Config.MediaType = "text/x\x1b[31m" })
	pushChart(t, repo.Tag("empty"), archive, func(m *v1.Manifest) { m.Layers = m.Layers[:1] })
	pushChart(t, repo.Tag("large"), archive, func(m *v1.Manifest) { m.Layers[1].Size = 1 << 40 })
	pushChart(t, repo.Tag("text"), []byte("no archive"), nil)
	// The same archive, with something behind it.
	other := pushChart(t, repo.Tag("other"), append(bytes.Clone(archive), "behind"...), nil)
	r.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		lies := q.Method == http.MethodGet && strings.HasSuffix(q.URL.Path, "/blobs/"+other.Digest.String())
		if lies {
			w.Write(append(bytes.Clone(archive), "BEHIND"...)) //nolint:errcheck // the client of this test
		}
		return lies
	})
	for what, want := range map[string]string{
		":image":    "is not a chart but an image; name an image without oci://",
		":artifact": "is not a chart but text/x\\x1b[31m; name an image without oci://",
		":empty":    "lists no layer of type application/vnd.cncf.helm.chart.content.v1.tar+gzip",
		":large":    "has 1099511627776 bytes: it may have at most 67108864",
		":text":     "is not a chart: ",
		":other":    "its bytes have the digest sha256:",
		":none":     "is not in its registry: correct the name or the version",
		"":          "write oci://REGISTRY/CHART:VERSION, or @sha256:… in place of the version",
		":a:b":      "write oci://REGISTRY/CHART:VERSION",
	} {
		arg := audit.OCI + repo.Name() + what
		_, _, err := reader().Read(t.Context(), arg)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\x1b") {
			t.Errorf("%s: %v, want %s", what, err, want)
		}
	}
}

// TestChart: what a chart renders with its values and in cases, and what its annotations list.
func TestChart(t *testing.T) {
	r := registrytest.Serve(t)
	linux := push(t, r.Repo(t, "linux"), "1", "linux/amd64")
	dir := twoSystems(t, "1.0.0", linux)
	reading := reader()
	reading.Cases = []audit.Case{{Name: "windows", Files: []string{filepath.Join(dir, "windows.yaml")}}}
	got := lines(report(t, reading, lint.IndexOptions{Now: now}, filepath.Join(dir, "app")), dir)
	want := []string{"app/Chart.yaml:5  [chart-images]", "app:13 DaemonSet d [image-os] case windows"}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
