package consumers

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	distribution "github.com/distribution/reference"
	"k8s.io/kubelet/config/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/slipway-dev/slipway/airgap/bundle"
)

// TestKubeletConfig reads what slipway airgap inspect -format=kubelet prints into Kubernetes's
// own type, and takes each entry as its kubelet does, which refuses to start where one is not a
// complete name.
func TestKubeletConfig(t *testing.T) {
	r := cutDemo(t)
	contents, err := bundle.Inspect(filepath.Join(r.dir, r.bundle("linux-amd64")))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := contents.WriteKubelet(&text); err != nil {
		t.Fatal(err)
	}
	var c v1beta1.KubeletConfiguration
	if err := yaml.UnmarshalStrict([]byte(text.String()), &c); err != nil {
		t.Fatalf("%v\n%s", err, text.String())
	}
	if c.APIVersion != v1beta1.SchemeGroupVersion.String() || c.Kind != "KubeletConfiguration" ||
		c.ImagePullCredentialsVerificationPolicy != v1beta1.NeverVerifyAllowlistedImages {
		t.Errorf("got\n%s", text.String())
	}
	list := c.PreloadedImagesVerificationAllowlist
	for _, entry := range list {
		// kubernetes/pkg/kubelet/images/pullmanager/image_pull_policies.go
		if image, err := distribution.ParseNormalizedNamed(entry); err != nil || image.Name() != entry {
			t.Errorf("the kubelet refuses %s: %v", entry, err)
		}
	}
	if sorted := slices.Sorted(slices.Values(list)); !slices.Equal(slices.Compact(sorted), list) {
		t.Errorf("not a set in order: %v", list)
	}
	for _, i := range contents.Images {
		for _, named := range []string{i.Name, i.Reference()} {
			image, err := distribution.ParseNormalizedNamed(named) // as the pod names it
			if err != nil || !slices.Contains(list, image.Name()) {
				t.Errorf("a pod of %s is not let in: %v", named, err)
			}
		}
	}
}
