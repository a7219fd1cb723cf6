// Package engine loads and renders charts by Helm's own packages. Importing it makes it the engine
// of package chart.
package engine

import (
	"encoding/json"
	"fmt"
	"time"

	"helm.sh/helm/v4/pkg/chart/loader/archive"
	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/chart/v2/util"
	"sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/render/chart"
)

func init() { chart.Use(helmEngine{}) }

// helmEngine is a [chart.Engine].
type helmEngine struct{}

// Validate reports what Helm refuses in a Chart.yaml.
func (helmEngine) Validate(chartYAML []byte) error {
	var m helm.Metadata
	if err := yaml.Unmarshal(chartYAML, &m); err != nil {
		return err
	}
	if m.APIVersion == "" {
		m.APIVersion = helm.APIVersionV1
	}
	return m.Validate()
}

// Load reads a chart by Helm's loader.
func (helmEngine) Load(shown string, files []chart.File) (chart.Loaded, error) {
	c, err := load(shown, files)
	if err != nil {
		return chart.Loaded{}, err
	}
	out := chart.Loaded{Conflict: conflict(shown, c)}
	for _, d := range c.Metadata.Dependencies {
		out.Dependencies = append(out.Dependencies,
			chart.Dependency{Name: d.Name, Version: d.Version, Repository: d.Repository, Present: present(c, d)})
	}
	out.Config, err = json.Marshal(c.Metadata)
	return out, err
}

// load returns a chart as Helm's packages have it. Each call makes a new one, since Helm changes
// charts as it renders them. The modification time of a file is its index.
func load(shown string, files []chart.File) (*helm.Chart, error) {
	list := make([]*archive.BufferedFile, 0, len(files))
	for i, f := range files {
		list = append(list, &archive.BufferedFile{Name: f.Path, ModTime: time.Unix(int64(i), 0), Data: f.Data})
	}
	c, err := loader.LoadFiles(list)
	if err != nil {
		return nil, fmt.Errorf("%s is not a Helm chart: %s: correct it; helm lint shows more",
			shown, output.Line(err.Error()))
	}
	return c, nil
}

// Compatible asks as Helm does whether a subchart is a dependency.
func (helmEngine) Compatible(constraint, version string) bool {
	return util.IsCompatibleRange(constraint, version)
}
