// Package engine builds kustomizations by kustomize's own library. Importing it makes it the engine
// of package kustomize.
package engine

import (
	"fmt"
	"io"
	"log"
	"sync"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"

	"github.com/slipway-dev/slipway/render/kustomize"
)

func init() { kustomize.Use(build) }

// building guards kustomize's schema of Kubernetes, a global variable that each build sets.
var building sync.Mutex

func build(files map[string][]byte, dir string, origins bool) ([]kustomize.Made, error) {
	m, err := run(newMemory(files), dir)
	if err != nil {
		return nil, err
	}
	list := make([]kustomize.Made, 0, m.Size())
	for _, r := range m.Resources() {
		var made kustomize.Made
		origin, err := r.GetOrigin()
		if err == nil && !origins {
			err = r.SetOrigin(nil)
		}
		if err == nil {
			made.Text, err = r.AsYAML()
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.CurId(), err)
		}
		if origin != nil {
			made.From, made.By = origin.Path, origin.ConfiguredIn
		}
		list = append(list, made)
	}
	return list, nil
}

func run(files memory, dir string) (resmap.ResMap, error) {
	building.Lock()
	defer building.Unlock()
	before := log.Writer()
	log.SetOutput(io.Discard) // hints without a place
	defer log.SetOutput(before)
	return krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, dir)
}
