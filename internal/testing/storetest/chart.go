package storetest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// Chart returns a packaged chart of that name and version, with a pod per image of a lock: values
// has each image twice, as repository and digest, and in one string.
func Chart(tb testing.TB, l *lock.Lock, name, version string) []byte {
	tb.Helper()
	files := map[string]string{"Chart.yaml": fmt.Sprintf("apiVersion: v2\nname: %s\nversion: %s\nappVersion: "+
		"%q\ndescription: a chart\n", name, version, l.Version)}
	values := "# what the chart installs\nimage:\n"
	for _, i := range l.Images {
		values += fmt.Sprintf("  %s:\n    repository: %s\n    digest: %s # of all platforms\n", i.Name,
			i.Repository, i.Digest)
		files["templates/"+i.Name+".yaml"] = fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: "+
			"{name: %[1]s}\nspec:\n  nodeSelector: {kubernetes.io/os: linux}\n"+
			"  containers:\n  - name: main\n    image: \"{{ .Values.image.%[1]s.repository }}@{{ "+
			".Values.image.%[1]s.digest }}\"\n  - name: plain\n    image: {{ .Values.plain.%[1]s }}\n", i.Name)
	}
	values += "plain:\n"
	for _, i := range l.Images {
		values += fmt.Sprintf("  %s: %s\n", i.Name, i.Reference())
	}
	files["values.yaml"] = values
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	t := tar.NewWriter(z)
	names := []string{"Chart.yaml", "values.yaml"}
	for _, i := range l.Images {
		names = append(names, "templates/"+i.Name+".yaml")
	}
	slices.Sort(names)
	for _, n := range names {
		must(tb,
			t.WriteHeader(&tar.Header{
				Name: path.Join(name, n), Typeflag: tar.TypeReg, Mode: 0o644,
				Size: int64(len(files[n])), ModTime: l.Created,
			}))
		_, err := t.Write([]byte(files[n]))
		must(tb, err)
	}
	must(tb, t.Close())
	must(tb, z.Close())
	return b.Bytes()
}

// AddChart puts a [Chart] into st as an artifact, and adds it to l below the repository, with the
// tag latest besides that of its version.
func AddChart(tb testing.TB, st *store.Store, l *lock.Lock, repository, version string) {
	tb.Helper()
	archive := Chart(tb, l, path.Base(repository), version)
	put := func(mt types.MediaType, b []byte) v1.Descriptor {
		h, err := st.PutBytes(b)
		must(tb, err)
		return v1.Descriptor{MediaType: mt, Digest: h, Size: int64(len(b))}
	}
	c := lock.Chart{
		Name: path.Base(repository), Version: version, AppVersion: l.Version, Repository: repository,
		Tags:         []string{imagename.ChartTag(version)},
		FloatingTags: []lock.FloatingTag{{Tag: "latest", Repository: repository}}, MediaType: types.OCIManifestSchema1,
	}
	layer := put("application/vnd.cncf.helm.chart.content.v1.tar+gzip", archive)
	c.File = lock.ChartFile{Name: c.Name + "-" + version + ".tgz", Digest: layer.Digest, Size: layer.Size}
	raw, err := json.Marshal(v1.Manifest{
		SchemaVersion: 2, MediaType: c.MediaType, Layers: []v1.Descriptor{layer},
		Config: put("application/vnd.cncf.helm.config.v1+json",
			fmt.Appendf(nil, `{"name":%q,"version":%q,"apiVersion":"v2"}`, c.Name, version)),
		Annotations: map[string]string{
			"org.opencontainers.image.title":   c.Name,
			"org.opencontainers.image.version": version,
		},
	})
	must(tb, err)
	d := put(c.MediaType, raw)
	c.Digest, c.Size = d.Digest, d.Size
	l.Charts = append(l.Charts, c)
}
