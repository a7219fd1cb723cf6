package chart

import (
	"bytes"
	"encoding/json"
	"maps"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/distfile"
)

// Media types by which Helm knows its artifacts in a registry
// (https://helm.sh/docs/topics/registries/#oci-registry-manifest).
const (
	ConfigType types.MediaType = "application/vnd.cncf.helm.config.v1+json"
	LayerType  types.MediaType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

// OriginalKey is the annotation by which a chart that was made of another one, with other names for
// the same images, names that by its digest.
const OriginalKey = "dev.slipway.chart.original"

// Artifact is a packaged chart as Helm keeps it in a registry: its Chart.yaml as configuration, the
// archive as the only layer, and a manifest of both.
type Artifact struct {
	Name, Version, AppVersion string            // of its Chart.yaml
	Annotations               map[string]string // of its manifest

	Archive, Config, Manifest []byte
}

// FileName returns what Helm calls the archive.
func (a *Artifact) FileName() string { return distfile.Chart(a.Name, a.Version) }

// Blobs returns everything that the artifact consists of, the manifest last.
func (a *Artifact) Blobs() [][]byte { return [][]byte{a.Archive, a.Config, a.Manifest} }

// Artifact packages the chart, with the annotations that "helm push" gives it. The time is not that
// of a file but created, so that equal charts have equal artifacts. extra are further annotations.
func (c *Chart) Artifact(created time.Time, extra map[string]string) (*Artifact, error) {
	var archive bytes.Buffer
	if err := c.Package(&archive, created); err != nil {
		return nil, err
	}
	a := &Artifact{Name: c.Name(), Version: c.Version(), AppVersion: c.AppVersion(), Archive: archive.Bytes()}
	a.Config = c.loaded.Config
	a.Annotations = c.annotations(created)
	maps.Copy(a.Annotations, extra)
	var err error
	a.Manifest, err = json.Marshal(v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Annotations: a.Annotations,
		Config: describe(ConfigType, a.Config), Layers: []v1.Descriptor{describe(LayerType, a.Archive)},
	})
	return a, err
}

func describe(mt types.MediaType, b []byte) v1.Descriptor {
	h, size, _ := v1.SHA256(bytes.NewReader(b)) // memory does not fail
	return v1.Descriptor{MediaType: mt, Digest: h, Size: size}
}

// annotations returns those of "helm push"
// (https://github.com/helm/helm/blob/v4.3.1/pkg/registry/chart.go): what Chart.yaml states, and
// its annotations, which cannot replace the name and the version.
func (c *Chart) annotations(created time.Time) map[string]string {
	const prefix = "org.opencontainers.image."
	m := c.metadata
	stated := map[string]string{
		"created": created.UTC().Format(time.RFC3339), "description": m.Description,
		"url": m.Home,
	}
	if len(m.Sources) > 0 {
		stated["source"] = m.Sources[0]
	}
	var authors []string
	for _, who := range m.Maintainers {
		author := who.Name
		if who.Email != "" {
			author += " (" + who.Email + ")"
		}
		authors = append(authors, author)
	}
	stated["authors"] = strings.Join(authors, ", ")
	all := map[string]string{}
	for key, value := range stated {
		if strings.TrimSpace(value) != "" {
			all[prefix+key] = value
		}
	}
	maps.Copy(all, m.Annotations)
	all[prefix+"title"], all[prefix+"version"] = m.Name, m.Version
	return all
}
