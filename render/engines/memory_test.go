package engines_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/rendertest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
	"github.com/slipway-dev/slipway/render/chart"
)

// TestMemory checks that a memory has what the same lock gives, and nothing for a lock with another
// digest, of an image of the product or a third-party one.
func TestMemory(t *testing.T) {
	p, l := rendertest.Small(t, map[string]string{
		"app/Chart.yaml":  "apiVersion: v2\nname: app\nversion: 0.0.1\n",
		"app/values.yaml": "own: slipway.local/kpack/app:old\nparty: registry.k8s.io/pause:3.10\n",
		"app/templates/a.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - image: " +
			"{{ .Values.own }}\n  - image: {{ .Values.party }}\n",
	})
	p.Images = []product.Image{{Name: "app", Version: "0.16.1"}}
	p.Charts = []product.Chart{{
		Template: product.Template{Path: "deploy/app"}, Name: "app", Version: "1.2.3",
		AppVersion: "v1",
	}}
	var m render.Memory
	charts := func(l *lock.Lock) (*chart.Chart, string) {
		t.Helper()
		made, err := m.Charts(t.Context(), p, l)
		if err != nil {
			t.Fatal(err)
		}
		objects, err := made[0].Render(t.Context(), chart.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return made[0].Chart, string(objects[0].Text)
	}
	first, _ := charts(l)

	fetched := *l // with what fetching adds
	fetched.ThirdParty = append([]lock.ThirdParty{}, l.ThirdParty...)
	fetched.ThirdParty[0].Omitted = "it is for another system"
	if again, _ := charts(&fetched); again != first {
		t.Error("the chart was made again, for the same digests")
	}
	party := fetched
	party.ThirdParty = append([]lock.ThirdParty{}, l.ThirdParty...)
	for n := range party.ThirdParty {
		party.ThirdParty[n].Digest = storetest.MadeUpDigest(41)
	}
	if again, text := charts(&party); again == first ||
		!strings.Contains(text, "pause:3.10@"+storetest.MadeUpDigest(41).String()) {
		t.Errorf("another digest of a third-party image is not in\n%s", text)
	}
	own := *l
	own.Images = append([]lock.Image{}, l.Images...)
	own.Images[0].Digest = storetest.MadeUpDigest(42)
	if again, text := charts(&own); again == first || !strings.Contains(text, storetest.MadeUpDigest(42).String()) {
		t.Errorf("another digest of an image is not in\n%s", text)
	}
	if again, _ := charts(l); again != first {
		t.Error("the chart was made again, after those for other digests")
	}
	var none *render.Memory
	if made, err := none.Charts(t.Context(), p, l); err != nil || made[0].Chart == first {
		t.Errorf("no memory remembers: %v", err)
	}
}
