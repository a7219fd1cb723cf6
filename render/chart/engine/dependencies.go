package engine

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/util"

	"github.com/slipway-dev/slipway/internal/output"
)

// present reports whether a chart has a dependency.
func present(c *helm.Chart, d *helm.Dependency) bool {
	return slices.ContainsFunc(c.Dependencies(), func(s *helm.Chart) bool {
		return s.Name() == d.Name && util.IsCompatibleRange(d.Version, s.Metadata.Version)
	})
}

// conflict reports subcharts that are not what Chart.yaml and Chart.lock say.
func conflict(shown string, loaded *helm.Chart) error {
	if err := distinct(shown, loaded); err != nil {
		return err
	}
	if loaded.Lock == nil || loaded.Lock.Digest == "" {
		return nil
	}
	return checkLock(shown, loaded)
}

// distinct reports two subcharts that are one dependency, or that have one name without being one:
// Helm takes either, another one each time.
func distinct(shown string, loaded *helm.Chart) error {
	first := map[string]*helm.Chart{}
	for _, s := range loaded.Dependencies() {
		if err := distinct(shown, s); err != nil {
			return err
		}
		var are []string
		for _, d := range loaded.Metadata.Dependencies {
			if s.Name() == d.Name && util.IsCompatibleRange(d.Version, s.Metadata.Version) {
				are = append(are, fmt.Sprintf("the dependency %s %s", d.Name, d.Version))
			}
		}
		if are == nil {
			are = []string{"the name " + s.Name()}
		}
		for _, what := range are {
			if other, ok := first[what]; ok && other != s {
				versions := []string{other.Metadata.Version, s.Metadata.Version}
				slices.Sort(versions)
				return fmt.Errorf("chart %s has two charts for %s in charts/, %s: remove one", shown,
					output.Line(what), output.Line(strings.Join(versions, " and ")))
			}
			first[what] = s
		}
	}
	return nil
}

// checkLock compares Chart.lock with Chart.yaml, and the subcharts with Chart.lock.
func checkLock(shown string, loaded *helm.Chart) error {
	lock := path.Join(shown, "Chart.lock")
	if loaded.Metadata.APIVersion == helm.APIVersionV1 {
		lock = path.Join(shown, "requirements.lock")
	}
	sum, err := json.Marshal([2][]*helm.Dependency{loaded.Metadata.Dependencies, loaded.Lock.Dependencies})
	if err != nil {
		return fmt.Errorf("%s: %w", lock, err)
	}
	if digest := fmt.Sprintf("sha256:%x", sha256.Sum256(sum)); strings.HasPrefix(loaded.Lock.Digest, "sha256:") &&
		digest != loaded.Lock.Digest {
		return fmt.Errorf("%s is not of the dependencies in %s: run helm dependency update %s", lock,
			"Chart.yaml", shown)
	}
	for _, d := range loaded.Lock.Dependencies {
		have := ""
		for _, s := range loaded.Dependencies() {
			if s.Name() == d.Name && (have == "" || s.Metadata.Version == d.Version) {
				have = s.Metadata.Version
			}
		}
		if strings.TrimPrefix(have, "v") != strings.TrimPrefix(d.Version, "v") && have != "" {
			return fmt.Errorf("%s has %s %s, but charts/ has %s: run helm dependency build %s", lock,
				output.Line(d.Name), output.Line(d.Version), output.Line(have), shown)
		}
	}
	return nil
}
