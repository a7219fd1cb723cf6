package kustomize_test

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/kustomize/api/konfig"

	"github.com/slipway-dev/slipway/render/kustomize"
)

// TestFileNames builds a kustomization under each name that kustomize takes, and no other.
func TestFileNames(t *testing.T) {
	for _, name := range append(konfig.RecognizedKustomizationFileNames(), "kustomization.json") {
		dir := t.TempDir()
		for file, text := range map[string]string{
			name:        "resources: [a.yaml]\n",
			"a.yaml":    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
			"README.md": "",
		} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		made, err := kustomize.Build(t.Context(), dir, ".", kustomize.Options{})
		if want := name != "kustomization.json"; (err == nil) != want || want && len(made) != 1 {
			t.Errorf("%s: %d objects, %v", name, len(made), err)
		}
	}
}
