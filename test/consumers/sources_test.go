package consumers

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/core/content"
	"github.com/containerd/containerd/v2/pkg/labels"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/spegel-org/spegel/pkg/oci"

	"github.com/slipway-dev/slipway/airgap/bundle"
)

// sources are the labels by which containerd knows where a blob came from, as its own
// AppendDistributionSourceLabel writes them after a pull.
type sources map[string]string

// labeled returns the sources of all blobs in a namespace, by digest.
func (c containerd) labeled(t *testing.T, ns string) map[string]sources {
	t.Helper()
	api, err := client.New(c.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close() //nolint:errcheck // everything was read
	all := map[string]sources{}
	err = api.ContentStore().Walk(namespaces.WithNamespace(t.Context(), ns), func(i content.Info) error {
		of := sources{}
		for key, value := range i.Labels {
			if strings.HasPrefix(key, labels.LabelDistributionSource+".") {
				of[key] = value
			}
		}
		all[i.Digest.String()] = of
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// pulled are the sources that the blobs of a bundle would have if all of its images had been pulled
// in their own names.
func pulled(t *testing.T, b packedBundle) map[string]sources {
	t.Helper()
	contents, err := bundle.Inspect(b.path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]map[string][]string{}
	for _, i := range contents.Images {
		host, path, _ := strings.Cut(i.Name, "/")
		path = path[:strings.LastIndex(path, ":")]
		host, _, _ = strings.Cut(host, ":")
		key := labels.LabelDistributionSource + "." + host
		blobs := []v1.Hash{i.Digest()}
		for _, m := range i.Included() {
			blobs = append(blobs, m.Desc.Digest, m.Config.Digest)
			for _, l := range m.Layers {
				blobs = append(blobs, l.Digest)
			}
		}
		for _, h := range blobs {
			if all[h.String()] == nil {
				all[h.String()] = map[string][]string{}
			}
			all[h.String()][key] = append(all[h.String()][key], path)
		}
	}
	joined := map[string]sources{}
	for h, of := range all {
		joined[h] = sources{}
		for key, list := range of {
			slices.Sort(list)
			joined[h][key] = strings.Join(slices.Compact(list), ",")
		}
	}
	return joined
}

// advertised returns the digests in a namespace that Spegel tells other nodes of when it starts.
func (c containerd) advertised(t *testing.T, ns string) map[string]bool {
	t.Helper()
	store, err := oci.NewContainerd(t.Context(), c.socket, ns)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close() //nolint:errcheck // everything was read
	all, err := store.ListContent(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, refs := range all {
		found[refs[0].Digest.String()] = true
	}
	return found
}

// testSources notes which blobs of a bundle have the labels of a pull after an import, and which of
// them Spegel finds. One that has labels must have those that a pull would have written.
func (c containerd) testSources(t *testing.T, ns, call string, b packedBundle) {
	t.Helper()
	have, found := c.labeled(t, ns), c.advertised(t, ns)
	var here, known count
	for digest, want := range pulled(t, b) {
		here.add(len(have[digest]) > 0)
		known.add(found[digest])
		if len(have[digest]) > 0 && !maps.Equal(have[digest], want) {
			t.Errorf("%s has %v, want %v", digest, have[digest], want)
		}
	}
	shared.Record(t, c.version, "`"+call+"`", b.platform.String(), here.word(), known.word())
}

// word is what the page calls a count.
func (c count) word() string {
	switch c.n {
	case 0:
		return "none"
	case c.of:
		return "all"
	}
	return "some"
}
