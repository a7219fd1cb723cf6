package kpack

import (
	"os"
	"strings"
	"testing"

	"github.com/pivotal/kpack/pkg/apis/build/v1alpha2"
)

// TestSelectorRule asks kpack's own validation about the manifests of the rule kpack-os-selector:
// it refuses the bad Image, at the label, and takes the good one.
func TestSelectorRule(t *testing.T) {
	text, err := os.ReadFile("../../lint/testdata/rules/kpack-os-selector.txtar")
	if err != nil {
		t.Fatal(err)
	}
	bad, good, ok := strings.Cut(strings.TrimPrefix(string(text), "-- bad.yaml --\n"), "-- good.yaml --\n")
	if !ok {
		t.Fatalf("not two manifests: %s", text)
	}
	if err := validate(t, bad); err == nil || !strings.Contains(err.Error(), "kubernetes.io/os") {
		t.Errorf("the bad Image: %v", err)
	}
	if err := validate(t, good); err != nil {
		t.Errorf("the good Image: %v", err)
	}
}

func validate(t *testing.T, manifest string) error {
	t.Helper()
	object, _, err := decoder.Decode([]byte(manifest), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	image, ok := object.(*v1alpha2.Image)
	if !ok {
		t.Fatalf("this is a %T", object)
	}
	image.SetDefaults(t.Context())
	if err := image.Validate(t.Context()); err != nil {
		return err
	}
	return nil // not the nil of another type
}
