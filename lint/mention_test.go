package lint_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// controller is shaped as the one of Tekton's release: programs of other images are arguments.
const controller = `apiVersion: apps/v1
kind: Deployment
metadata: {name: controller, namespace: demo}
spec:
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      nodeSelector: {kubernetes.io/os: linux, kubernetes.io/arch: amd64}
      containers:
      - name: controller
        image: $APP
        args: [
          "-entrypoint-image", "ko://github.com/tektoncd/pipeline/cmd/tool",
          "-nop-image=ko://github.com/tektoncd/pipeline/cmd/nop",
          "-shell-image", "cgr.dev/chainguard/busybox@sha256:1111111111111111111111111111111111111111111111111111111111111111",
          "-shell-image-win", "mcr.microsoft.com/powershell:nanoserver@sha256:2222222222222222222222222222222222222222222222222222222222222222",
          "-agent-image", "$AGENT",
        ]
        env: [{name: HELPER_IMAGE, value: "alpine:3.20"}, {name: TOOL, value: "slipway.local/demo/tool@sha256:ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff"}]
---
apiVersion: v1
kind: ConfigMap
metadata: {name: config, namespace: demo}
data:
  config.yaml: |
    runner: quay.io/a/b:v1
    url: https://quay.io/a/b:v1
`

func tekton() []lint.File {
	return []lint.File{{
		Name: "m.yaml",
		Text: []byte(strings.NewReplacer("$APP", app, "$AGENT", agent).Replace(controller)),
	}}
}

// TestMentions finds references in arguments, variables and ConfigMaps that no bundle would have.
func TestMentions(t *testing.T) {
	r, err := lint.Check(t.Context(), tekton(), lint.Options{Lock: readLock(t)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, strings.TrimPrefix(f.String(), "m.yaml:"))
	}
	const in = "Deployment demo/controller: spec.template.spec.containers[0]."
	shell, win := "cgr.dev/chainguard/busybox@"+digest(0x11), "mcr.microsoft.com/powershell@"+digest(0x22)
	unlisted := "; instead: a line in images.txt, or in the file that airgap.images names, or slipway lint -remote, " +
		"which asks its registry [image-unknown]"
	pinned := "; instead: repository@sha256:… of the index [image-unpinned]"
	ko := "; instead: an image of that program in slipway.yaml, which then replaces the name, " +
		"or an entry of release.images that maps the name to an image [image-ko]"
	want := []string{
		"14:32: " + in +
			"args[1]: only ko resolves ko://github.com/tektoncd/pipeline/cmd/tool, no runtime does: write " + tool + ko,
		"15:11: " + in + "args[2]: only ko resolves ko://github.com/tektoncd/pipeline/cmd/nop, no runtime does: " +
			"write the reference of the image that has the program" + ko,
		"16:27: " + in + "args[4]: " + "neither the product nor images.txt has the image " + shell +
			": add a line to images.txt" + unlisted,
		"17:31: " + in + "args[6]: " + "neither the product nor images.txt has the image " + win +
			": add a line to images.txt" + unlisted,
		"20:43: " + in + "env[0].value: alpine:3.20 is not pinned by digest: write repository@sha256:…" + pinned,
		"20:79: " + in + "env[1].value: slipway.local/demo/tool@" + digest(0xff) +
			" has another digest than the lock: write " +
			tool + "; instead: the digest in release.lock.json [image-digest]",
		`26:16: ConfigMap demo/config: data["config.yaml"]: quay.io/a/b:v1 is not pinned by digest: write repository@sha256:…` + pinned,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMentionsWithoutLock finds what is wrong whatever images there are.
func TestMentionsWithoutLock(t *testing.T) {
	r, err := lint.Check(t.Context(), tekton(), lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"image-ko", "image-ko"}, ids(r.Findings)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMentionsRemote asks registries for references in arguments, too.
func TestMentionsRemote(t *testing.T) {
	var asked []string
	o := lint.Options{
		Lock: readLock(t),
		Remote: func(_ context.Context, refs []name.Reference) (map[string]lint.Remote, error) {
			there := map[string]lint.Remote{}
			for _, r := range refs {
				if asked = append(asked, r.String()); strings.HasPrefix(r.String(), "cgr.dev/") {
					there[r.String()] = lint.Remote{
						Digest: r.Identifier(), Platforms: []platform.Platform{{OS: "linux", Architecture: "amd64"}},
					}
				}
			}
			return there, nil
		},
	}
	r, err := lint.Check(t.Context(), tekton(), o)
	if err != nil {
		t.Fatal(err)
	}
	if len(asked) != 3 { // the third is of a repository of the lock, whose digest it has not
		t.Errorf("asked for %q", asked)
	}
	for _, f := range r.Findings {
		if strings.Contains(f.What, "cgr.dev") || strings.Contains(f.What, "mcr.microsoft.com") &&
			f.Rule != "image-digest" {
			t.Errorf("found %s", f)
		}
	}
}

// TestUnused finds what slipway.yaml has and nothing uses: images only where the manifests are
// all of the release's.
func TestUnused(t *testing.T) {
	at := func(line int) yamlfile.Pos { return yamlfile.Pos{File: "slipway.yaml", Line: line, Column: 5} }
	p := &product.Product{
		Images: []product.Image{
			{Name: "app", Pos: at(1)},
			{Name: "tool", Pos: at(2)},
			{Name: "agent", Pos: at(3)},
			{Name: "first", Pos: at(4)},
		},
		Release: product.Release{Templates: []product.Template{{Path: "config"}}},
		Airgap:  product.Airgap{FirstImage: "first"},
		Unused:  []product.Entry{{Kind: "base", Name: "old", Pos: at(9)}},
	}
	l := readLock(t)
	l.Images = append(l.Images, l.Images[0])
	l.Images[len(l.Images)-1].Name, l.Images[len(l.Images)-1].Repository = "first", "slipway.local/demo/first"
	files := []lint.File{{
		Name: "m.yaml",
		Text: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: '" + app + "', b: 'see " + agent +
			"'}\n"),
	}}
	find := func(o lint.Options) []string {
		t.Helper()
		r, err := lint.Check(t.Context(), files, o)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			got = append(got, f.String())
		}
		return got
	}
	base := "slipway.yaml:9:5: bases[old]: nothing uses the base old; instead: " +
		"a use of it, or no such entry [product-unused]"
	image := "slipway.yaml:2:5: images[tool]: no manifest names the image tool; instead: " +
		"the image in a template, {{image \"NAME\"}} in release.values, or no such image [image-unused]"
	if diff := cmp.Diff([]string{image, base}, find(lint.Options{Lock: l, Product: p})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := find(lint.Options{Lock: l}); got != nil {
		t.Errorf("manifests without a product: %q", got)
	}
	allowed := []product.Allow{
		{Rule: "image-unused", Path: "images[tool]", Reason: "for people", Pos: at(20)},
		{Rule: "product-unused", Reason: "soon", Pos: at(21)},
	}
	if got := find(lint.Options{Lock: l, Product: p, Allow: allowed}); got != nil {
		t.Errorf("what is allowed: %q", got)
	}
	p.Images = append(p.Images, product.Image{Name: "tool", Pos: at(2)})
	p.Undecided = []product.Undecided{{
		Key: "images[tool].dockerfile.args.VERSION", What: "it is not known", Pos: at(30),
		Candidates: []product.Candidate{{Value: "1", Seen: []string{"Makefile:1"}}, {Value: "2"}},
	}}
	lacks := "slipway.yaml:30:5: images[tool].dockerfile.args.VERSION: it is not known: \"1\" (Makefile:1), " +
		"or \"2\"; instead: the right value under its key, and no such entry under undecided [product-undecided]"
	if got := find(lint.Options{Lock: l, Product: p, Allow: allowed}); !slices.Equal(got, []string{lacks}) {
		t.Errorf("what is missing: %q", got)
	}
	allowed = append(allowed,
		product.Allow{Rule: "product-undecided", Path: "images[tool]", Reason: "a test of it alone", Pos: at(31)})
	if got := find(lint.Options{Lock: l, Product: p, Allow: allowed}); got != nil {
		t.Errorf("what is missing and allowed: %q", got)
	}
	p.Images, p.Undecided = p.Images[:len(p.Images)-1], nil
	p.Release.Templates, files = nil, []lint.File{{Name: "m.yaml"}}
	if diff := cmp.Diff([]string{base}, find(lint.Options{Lock: l, Product: p})); diff != "" {
		t.Errorf("without templates (-want +got):\n%s", diff)
	}
}
