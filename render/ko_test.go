package render_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/rendertest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
)

// TestTekton renders the manifests of Tekton Pipelines as they are. They name images by ko:// in
// image fields and arguments, and third-party images by digest.
func TestTekton(t *testing.T) {
	extent.Plain(t)
	p, l := rendertest.Small(t, nil)
	p.Sources = []product.Source{{
		Name: "tekton", Module: "github.com/tektoncd/pipeline@v1.15.0", Revision: "r", Created: time.Unix(1, 0),
		Sum:      "h1:ZGboFUaEdpYurZWqeGT5rn9e6qmomGL/gLSKhHp2vvQ=",
		GoModSum: "h1:HghtkZ1D9b91o0YiXABDUd+c2C6R4kbk+PumnHqs3Bk=",
	}}
	p.Release.Templates = []product.Template{{Source: "tekton", Path: "config"}}
	l.Images = nil
	names := []string{
		"controller", "webhook", "events", "resolvers", "entrypoint", "nop", "sidecarlogresults",
		"workingdirinit",
	}
	for n, name := range names {
		p.Programs = append(p.Programs, product.Program{Name: name, Source: "tekton", Package: "./cmd/" + name})
		p.Images = append(p.Images,
			product.Image{Name: name, Version: "1.2.3", Content: &product.GoImage{Program: name}})
		l.Images = append(l.Images, storetest.MadeUpImage(n+1, name))
	}
	for _, mappings := range [][]product.ImageMapping{nil, {{Reference: "ko://github.com/tektoncd/pipeline/cmd/*"}}} {
		p.Release.Images = mappings
		if mappings != nil {
			p.Programs = nil
		}
		m, err := render.Render(t.Context(), p, l, render.Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := string(m.Text)
		if at := regexp.MustCompile(`.*ko://.*`).FindString(text); at != "" || len(m.Unmatched) > 0 {
			t.Errorf("ko still has to resolve %s; unmatched: %v", at, m.Unmatched)
		}
		for n, name := range names {
			if want := "slipway.local/kpack/" + name +
				"@" + storetest.MadeUpDigest(n+1).String(); strings.Count(text, want) != 1 {
				t.Errorf("%s is there %d times", want, strings.Count(text, want))
			}
		}
		for _, digest := range []string{
			"19f02276bf8dbdd62f069b922f10c65262cc34b710eea26ff928129a736be791",
			"b6d5ff841b78bdf2dfed7550000fd4f3437385b8fa686ec0f010be24777654d6",
		} {
			if !strings.Contains(text, "@sha256:"+digest) {
				t.Errorf("the third-party image %s is not there", digest)
			}
		}
	}
	// Two images of one program: it is ambiguous which is meant.
	p.Release.Images, p.Programs = nil, []product.Program{{Name: "nop", Source: "tekton", Package: "./cmd/nop"}}
	p.Images = []product.Image{
		{Name: "nop", Content: &product.GoImage{Program: "nop"}},
		{Name: "webhook", Content: &product.GoImage{Program: "nop"}},
	}
	m, err := render.Render(t.Context(), p, &lock.Lock{Release: lock.Release{Name: "small"}, Images: l.Images},
		render.Options{})
	if err != nil || !strings.Contains(string(m.Text), "ko://github.com/tektoncd/pipeline/cmd/nop") {
		t.Errorf("%v", err)
	}
}
