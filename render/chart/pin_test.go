package chart_test

import (
	"archive/tar"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/render/chart"
)

// The digests of the images in these tests; messages have them in short.
var (
	appDigest  = "sha256:" + strings.Repeat("a", 64)
	hpDigest   = "sha256:" + strings.Repeat("b", 64)
	restDigest = "sha256:" + strings.Repeat("c", 64)
	short      = strings.NewReplacer(appDigest, "sha256:APP", hpDigest, "sha256:HP", restDigest,
		"sha256:REST", strings.Repeat("a", 64), "APP")
)

// find knows the images app and app-hp, which have another repository in a release, and all of
// registry.k8s.io.
func find(reference string) *chart.Image {
	base, _, _ := strings.Cut(reference, "@")
	switch {
	case strings.HasPrefix(base, "example.com/team/app:") || strings.HasPrefix(base, "example.com/team/app@") ||
		base == "example.com/team/app":
		if strings.HasSuffix(base, "-hp") {
			return &chart.Image{Repository: "example.com/team/app", Tag: "v1.0-hp", Digest: hpDigest}
		}
		return &chart.Image{Repository: "example.com/team/app", Tag: "v1.0", Digest: appDigest}
	case strings.HasPrefix(base, "old.example.com/app:"):
		return &chart.Image{Repository: "example.com/team/app", Tag: "v2.0", Digest: appDigest}
	case strings.HasPrefix(base, "registry.k8s.io/"):
		return &chart.Image{Repository: base[:strings.LastIndex(base, ":")], Digest: restDigest}
	}
	return nil
}

// texts returns all files of a chart.
func texts(t *testing.T, c *chart.Chart) map[string]string {
	t.Helper()
	all := map[string]string{}
	read(t, c, func(h *tar.Header, r io.Reader) {
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(h.Name, c.Name()+"/")] = string(b)
	})
	return all
}

// difference lists the lines that a chart has anew, by file.
func difference(t *testing.T, before, after *chart.Chart) string {
	t.Helper()
	old, now := texts(t, before), texts(t, after)
	var b strings.Builder
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for n := range now {
			if !yield(n) {
				return
			}
		}
	}) {
		was := strings.Split(old[name], "\n")
		for n, line := range strings.Split(now[name], "\n") {
			if !slices.Contains(was, line) {
				fmt.Fprintf(&b, "%s:%d: %s\n", name, n+1, short.Replace(line))
			}
		}
	}
	return b.String()
}

var imageLine = regexp.MustCompile(`(?m)^\s*(?:- )?(?:image: |--image=)["']?([^"'\n#]*?)["']?\s*(?:#.*)?$`)

// references lists the images that a chart renders, each of them once.
func references(t *testing.T, c *chart.Chart, values map[string]any) []string {
	t.Helper()
	objects, err := c.Render(t.Context(), chart.Options{Values: values})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, o := range objects {
		for _, m := range imageLine.FindAllStringSubmatch(string(o.Text), -1) {
			if _, err := name.ParseReference(m[1]); err != nil {
				t.Errorf("%s: %v", m[1], err)
			}
			all = append(all, short.Replace(m[1]))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: app}\nspec:\n  containers:\n  - name: app\n"

var appImage = chart.Image{Repository: "example.com/team/app", Tag: "v1.0", Digest: appDigest}

// aliases is a chart that has another one three times, once if it is enabled.
const aliases = `-- app/Chart.yaml --
apiVersion: v2
name: app
version: 0.1.0
dependencies:
- {name: sub, alias: one, version: 1.x.x}
- {name: sub, alias: two, version: 1.x.x}
- {name: sub, alias: three, version: 1.x.x, condition: three.enabled}
-- app/values.yaml --
three: {enabled: false}
-- app/charts/sub/Chart.yaml --
apiVersion: v2
name: sub
version: 1.0.0
-- app/charts/sub/values.yaml --
image: quay.io/z/proxy:1
enabled: false
-- app/charts/sub/templates/a.yaml --
` + pod + "    image: {{ .Values.image }}\n"

func TestPin(t *testing.T) {
	for _, test := range []struct {
		name, files string
		cases       []chart.Case
		mappings    []chart.Mapping
		want        string         // the lines that change
		set         map[string]any // what a user sets
		then        string         // the references with that
	}{
		{
			name: "one string",
			files: "-- app/values.yaml --\n# The image.\nimage:   \"example.com/team/app:v1.0\" # pinned\nother: " +
				"1\n-- app/templates/a.yaml --\n" + pod + "    image: {{ .Values.image }}\n",
			want: "values.yaml:2: image:   \"example.com/team/app:v1.0@sha256:APP\" # pinned\n",
			set:  map[string]any{"image": "private/x:other"}, then: "private/x:other",
		}, {
			name: "one string of another repository",
			files: "-- app/values.yaml --\nimage: old.example.com/app:v1.0\n-- app/templates/a.yaml --\n" +
				pod + "    image: {{ .Values.image }}\n",
			want: "values.yaml:1: image: example.com/team/app:v2.0@sha256:APP\n",
		}, {
			name: "repository and tag",
			files: "-- app/values.yaml --\nimage:\n  repository: example.com/team/app\n  pullPolicy: " +
				"Always\n  tag: v1.0\n-- app/templates/a.yaml --\n" + pod +
				"    image: {{ .Values.image.repository }}:{{ .Values.image.tag }}\n",
			want: "values.yaml:4:   tag: v1.0@sha256:APP\n",
			set:  map[string]any{"image": map[string]any{"tag": "other"}}, then: "example.com/team/app:other",
		}, {
			name: "another repository",
			files: "-- app/values.yaml --\nimage:\n  repository: example.com/team/app\n  tag: " +
				"v1.0\n-- app/templates/a.yaml --\n" +
				pod + "    image: {{ .Values.image.repository }}:{{ .Values.image.tag }}\n",
			want: "values.yaml:3:   tag: v1.0@sha256:APP\n",
			set:  map[string]any{"image": map[string]any{"repository": "private/x"}}, then: "private/x:v1.0@sha256:APP",
		}, {
			name: "digest apart",
			files: "-- app/values.yaml --\nimage:\n  registry: example.com\n  repository: team/app\n  tag: " +
				"v1.0\n  digest: \"\"\n-- app/templates/a.yaml --\n" + pod +
				"    image: {{ with .Values.image }}{{ .registry }}/{{ " +
				".repository }}{{ if .digest }}@{{ .digest }}{{ " +
				"else }}:{{ .tag }}{{ end }}{{ end }}\n",
			want: "values.yaml:5:   digest: \"sha256:APP\"\n",
			set:  map[string]any{"image": map[string]any{"repository": "private/x"}},
			then: "example.com/private/x@sha256:APP",
		}, {
			name: "digest that the values do not mention",
			files: "-- app/values.yaml --\nimage:\n    name: example.com/team/app\n    tag: v1.0\n\nmore: " +
				"{}\n-- app/templates/a.yaml --\n" + pod + "    image: {{ .Values.image.name }}:{{ " +
				".Values.image.tag }}{{ with .Values.image.digest }}@{{ . }}{{ end }}\n",
			want: "values.yaml:4:     digest: sha256:APP\n",
			set:  map[string]any{"image": map[string]any{"digest": "", "tag": "other"}},
			then: "example.com/team/app:other",
		}, {
			name: "hexadecimal digest",
			files: "-- app/values.yaml --\nimage: {repository: example.com/team/app, tag: v1.0, sha: " +
				"\"\"}\n-- app/templates/a.yaml --\n" + pod + "    image: {{ .Values.image.repository " +
				"}}:{{ .Values.image.tag }}{{ with .Values.image.sha }}@sha256:{{ . }}{{ end }}\n",
			want: "values.yaml:1: image: {repository: example.com/team/app, tag: v1.0, sha: \"APP\"}\n",
		}, {
			name: "tag of appVersion",
			files: "-- app/values.yaml --\nimage:\n  repository: registry.k8s.io/rest\n  tag: " +
				"\"\"\n-- app/templates/a.yaml --\n" + pod + "    image: \"{{ .Values.image.repository " +
				"}}:{{ .Values.image.tag | default .Chart.AppVersion }}\"\n",
			want: "values.yaml:3:   tag: \"1.0@sha256:REST\"\n",
			set:  map[string]any{"image": map[string]any{"tag": "other"}}, then: "registry.k8s.io/rest:other",
		}, {
			name: "tag of appVersion that the values do not mention",
			files: "-- app/values.yaml --\nimage: " +
				"{repository: registry.k8s.io/rest} # where\n-- app/templates/a.yaml --\n" + pod +
				"    image: \"{{ .Values.image.repository }}:{{ .Values.image.tag | default (printf " +
				"\"v%s\" .Chart.AppVersion) }}\"\n",
			want: "values.yaml:1: image: {repository: registry.k8s.io/rest, tag: \"v1.0@sha256:REST\"} # where\n",
		}, {
			name: "another name",
			files: "-- app/values.yaml --\nregistry: old.example.com\nimage: {repository: app, tag: " +
				"v1.0}\n-- app/templates/a.yaml --\n" +
				pod + "    image: {{ .Values.registry }}/{{ .Values.image.repository }}:{{ .Values.image.tag }}\n",
			want: "values.yaml:1: registry: example.com\nvalues.yaml:2: " +
				"image: {repository: team/app, tag: v2.0@sha256:APP}\n",
		}, {
			name: "base of the repository, as csi-driver-smb",
			files: "-- app/values.yaml --\nimage:\n  baseRepo: registry.k8s.io/sig\n  app: {repository: " +
				"/team, tag: v1}\n  own: {repository: old.example.com/app, tag: v1}\n-- app/templates/a.yaml --\n" +
				pod +
				"{{- range (list .Values.image.app .Values.image.own) }}\n{{- if hasPrefix \"/\" " +
				".repository }}\n    image: \"{{ $.Values.image.baseRepo }}{{ .repository }}:{{ .tag }}\"\n{{- " +
				"else }}\n    image2:\n      image: \"{{ .repository }}:{{ .tag }}\"\n{{- end }}\n{{- end }}\n",
			want: "values.yaml:3:   app: {repository: " +
				"/team, tag: v1@sha256:REST}\nvalues.yaml:4:   own: {repository: " +
				"example.com/team/app, tag: v2.0@sha256:APP}\n",
		}, {
			name: "one tag for two images",
			files: "-- app/values.yaml --\nimage: {repository: example.com/team/app, tag: " +
				"v1.0}\n-- app/templates/a.yaml --\n" +
				pod + "    image: \"{{ .Values.image.repository }}:{{ .Values.image.tag }}\"\n  - name: " +
				"hp\n    image: '{{ .Values.image.repository }}:{{ .Values.image.tag }}-hp'\n",
			want: `templates/a.yaml:7:     image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}{{ if hasSuffix "/app:v1.0" (printf "%v:%v" (.Values.image.repository) (.Values.image.tag)) }}@sha256:APP{{ end }}"
templates/a.yaml:9:     image: '{{ .Values.image.repository }}:{{ .Values.image.tag }}-hp{{ if hasSuffix "/app:v1.0-hp" (printf "%v:%v-hp" (.Values.image.repository) (.Values.image.tag)) }}@sha256:HP{{ end }}'
`,
			set:  map[string]any{"image": map[string]any{"tag": "other"}},
			then: "example.com/team/app:other example.com/team/app:other-hp",
		}, {
			name: "tag in a label",
			files: "-- app/values.yaml --\nimage: {repository: example.com/team/app, tag: " +
				"v1.0}\n-- app/templates/a.yaml --\n" +
				strings.Replace(pod, "{name: app}", "{name: app, labels: {version: {{ .Values.image.tag }}}}", 1) +
				"    image: {{ printf \"%s:%s\" .Values.image.repository .Values.image.tag | quote }}\n",
			want: `templates/a.yaml:7:     image: "{{ printf "%s:%s" .Values.image.repository .Values.image.tag }}{{ if hasSuffix "/app:v1.0" (printf "%v" (printf "%s:%s" .Values.image.repository .Values.image.tag)) }}@sha256:APP{{ end }}"
`,
		}, {
			name: "tag in a label, in a helper that makes other images, too",
			files: "-- app/values.yaml --\nown: {repository: example.com/team/app, tag: v1.0}\nother: " +
				"{repository: quay.io/z/proxy, tag: v1.0}\n" +
				"-- app/templates/_a.tpl --\n{{ define \"lines\" -}}\nimage: {{ .repository }}:{{ .tag }}\nenv: " +
				"[{name: VERSION, value: {{ .tag }}}]\n{{- end }}\n" +
				"-- app/templates/a.yaml --\n" + pod + "    {{- include \"lines\" .Values.own | nindent 4 }}\n{{- if " +
				".Values.more }}\n  - name: b\n    {{- include \"lines\" .Values.other | nindent 4 }}\n{{- end }}\n",
			want: "templates/_a.tpl:2: image: {{ .repository }}:{{ .tag }}{{ if hasSuffix \"/app:v1.0\" " +
				"(printf \"%v:%v\" (.repository) (.tag)) }}@sha256:APP{{ end }}\n",
			set: map[string]any{"more": true}, then: "example.com/team/app:v1.0@sha256:APP quay.io/z/proxy:v1.0",
		}, {
			name: "tag of another image, too, that no case renders",
			files: "-- app/values.yaml --\ntag: v1.0\n-- app/templates/a.yaml --\n" +
				pod + "    image: example.com/team/app:{{ .Values.tag }}\n{{- if .Values.more }}\n  - image: " +
				"quay.io/z/proxy:{{ .Values.tag }}\n{{- end }}\n",
			want: "templates/a.yaml:7:     image: " +
				"example.com/team/app:{{ .Values.tag }}{{ if hasSuffix \"/app:v1.0\" " +
				"(printf \"example.com/team/app:%v\" (.Values.tag)) }}@sha256:APP{{ end }}\n",
			set: map[string]any{"more": true}, then: "example.com/team/app:v1.0@sha256:APP quay.io/z/proxy:v1.0",
		}, {
			name: "tag in a line that is not rendered, without the base of the repository",
			files: "-- app/values.yaml --\nbase: registry.k8s.io\napp: {repository: /sig/rest, tag: " +
				"v1}\n-- app/templates/a.yaml --\n" +
				pod + "{{- if hasPrefix \"/\" .Values.app.repository }}\n    image: " +
				"\"{{ .Values.base }}{{ .Values.app.repository }}:{{ .Values.app.tag }}\"\n{{- else }}\n    image: " +
				"\"{{ .Values.app.repository }}:{{ .Values.app.tag }}\"\n{{- end }}\n",
			want: "values.yaml:2: app: {repository: /sig/rest, tag: v1@sha256:REST}\n",
		}, {
			name: "text of a template",
			files: "-- app/templates/a.yaml --\n" + pod + "    image: example.com/team/app:v1.0 # ours\n    args: " +
				"[--image=registry.k8s.io/rest:1, registry.k8s.io/rest:1]\n",
			want: "templates/a.yaml:7:     image: example.com/team/app:v1.0@sha256:APP # ours\ntemplates/a.yaml:8: " +
				"    args: [--image=registry.k8s.io/rest:1@sha256:REST, registry.k8s.io/rest:1@sha256:REST]\n",
		}, {
			name: "text in a template",
			files: "-- app/templates/a.yaml --\n" +
				pod + "    image: old.example.com/app:v1.0\n    args:\n    - --image=registry.k8s.io/rest:1\n",
			want: "templates/a.yaml:7:     image: example.com/team/app:v2.0@sha256:APP\ntemplates/a.yaml:9: " +
				"    - --image=registry.k8s.io/rest:1@sha256:REST\n",
		}, {
			name: "values of a subchart",
			files: "-- app/values.yaml --\nsub:\n  image: {tag: v1.0}\n-- app/charts/sub/Chart.yaml --\nname: " +
				"sub\nversion: 1.0.0\n-- app/charts/sub/values.yaml --\nimage: " +
				"{repository: example.com/team/app, tag: v0.1}\nrest: " +
				"registry.k8s.io/rest:3\n-- app/charts/sub/templates/a.yaml --\n" +
				pod + "    image: {{ .Values.image.repository }}:{{ .Values.image.tag }}\n  - " +
				"image: {{ .Values.rest }}\n",
			want: "charts/sub/values.yaml:2: rest: registry.k8s.io/rest:3@sha256:REST\nvalues.yaml:2: " +
				"  image: {tag: v1.0@sha256:APP}\n",
		}, {
			name: "a case and a list",
			files: "-- app/values.yaml --\nwindows: {enabled: false}\nimages:\n- {name: rest, image: " +
				"registry.k8s.io/rest:1}\n-- app/templates/a.yaml --\n{{- if .Values.windows.enabled }}\n" +
				pod + "    image: {{ (first .Values.images).image }}\n{{- end }}\n",
			cases: []chart.Case{{}, {
				Name:    "windows",
				Options: chart.Options{Values: map[string]any{"windows": map[string]any{"enabled": true}}},
			}},
			want: "values.yaml:3: - {name: rest, image: registry.k8s.io/rest:1@sha256:REST}\n",
		}, {
			name: "a mapping",
			files: "-- app/values.yaml --\nimages:\n- {repository: unknown.example.com/x, tag: " +
				"1.20}\n-- app/templates/a.yaml --\n" +
				pod + "    image: {{ with first .Values.images }}{{ .repository }}:{{ .tag }}{{ end }}\n",
			mappings: []chart.Mapping{{
				Path:  "images[0]",
				Image: chart.Image{Repository: "example.com/team/app", Tag: "v1.0", Digest: appDigest},
			}},
			want: "values.yaml:2: - {repository: example.com/team/app, tag: v1.0@sha256:APP}\n",
		}, {
			name: "a name of registry, namespace and name, for a registry of another depth",
			files: "-- app/values.yaml --\nregistry: quay.io\nnamespace: team\nimage: {name: app, tag: v1.0, digest: \"\"}\n" +
				"hook: {name: hook, tag: v1.0, digest: \"\"}\n" +
				"-- app/templates/a.yaml --\n" + pod + "    image: {{ .Values.registry }}/{{ .Values.namespace }}/" +
				"{{ .Values.image.name }}:{{ .Values.image.tag }}{{ with .Values.image.digest }}@{{ . }}{{ end }}\n" +
				"  - image: {{ .Values.registry }}/{{ .Values.namespace }}/" +
				"{{ .Values.hook.name }}:{{ .Values.hook.tag }}{{ with .Values.hook.digest }}@{{ . }}{{ end }}\n",
			mappings: []chart.Mapping{
				{Path: "image", Image: chart.Image{
					Repository: "registry.internal/staging/x/app", Tag: "v1.0", Digest: appDigest,
				}},
				{Path: "hook", Image: chart.Image{
					Repository: "registry.internal/staging/x/hook", Tag: "v1.0", Digest: hpDigest,
				}},
			},
			want: "values.yaml:1: registry: registry.internal\nvalues.yaml:2: namespace: staging/x\n" +
				"values.yaml:3: image: {name: app, tag: v1.0, digest: \"sha256:APP\"}\n" +
				"values.yaml:4: hook: {name: hook, tag: v1.0, digest: \"sha256:HP\"}\n",
		}, {
			name: "a tag that is a version, too, behind a registry of a named template",
			files: "-- app/values.yaml --\nimage: {repository: team/app, tag: dev}\n" +
				"-- app/templates/a.yaml --\n{{- define \"registry\" }}quay.io/{{ end }}\n" +
				strings.Replace(pod, "metadata: {", "metadata: {annotations: {version: \"{{ .Values.image.tag }}\"}, ", 1) +
				"    image: '{{ template \"registry\" $ }}{{ .Values.image.repository }}:{{ .Values.image.tag }}'\n",
			mappings: []chart.Mapping{{
				Path:  "image",
				Image: chart.Image{Repository: "quay.io/team/app", Tag: "v1.0", Digest: appDigest},
			}},
			want: "templates/a.yaml:8:     image: '{{ template \"registry\" $ }}{{ .Values.image.repository }}:" +
				"{{ .Values.image.tag }}{{ if hasSuffix \"/app:v1.0\" (printf \"%v%v:%v\" (include \"registry\" $) " +
				"(.Values.image.repository) (.Values.image.tag)) }}@sha256:APP{{ end }}'\n" +
				"values.yaml:1: image: {repository: team/app, tag: v1.0}\n",
		}, {
			name:     "aliases of a subchart, as the chart above sets one",
			files:    aliases + "-- app/values.yaml --\none:\n  image: quay.io/z/proxy:1\n",
			mappings: []chart.Mapping{{Path: "one.image", Image: appImage}},
			want:     "values.yaml:2:   image: example.com/team/app:v1.0@sha256:APP\n",
			set:      map[string]any{"three": map[string]any{"enabled": true}},
			then:     "example.com/team/app:v1.0@sha256:APP quay.io/z/proxy:1",
		}, {
			name: "the second alias of a subchart, where the others are set",
			files: aliases + "-- app/values.yaml --\none: {image: quay.io/z/proxy:1}\nthree: " +
				"{image: quay.io/z/proxy:3}\n",
			mappings: []chart.Mapping{{Path: "two.image", Image: appImage}},
			want:     "charts/sub/values.yaml:1: image: example.com/team/app:v1.0@sha256:APP\n",
			set:      map[string]any{}, then: "example.com/team/app:v1.0@sha256:APP quay.io/z/proxy:1",
		}, {
			name:  "all aliases of a subchart",
			files: aliases,
			mappings: []chart.Mapping{
				{Path: "one", Image: appImage},
				{Path: "two.image", Image: appImage},
				{Path: "three.image", Image: appImage},
			},
			cases: []chart.Case{{}, {
				Name:    "three",
				Options: chart.Options{Values: map[string]any{"three": map[string]any{"enabled": true}}},
			}},
			want: "charts/sub/values.yaml:1: image: example.com/team/app:v1.0@sha256:APP\n",
		}, {
			name: "a text that two values have by an anchor, both mapped",
			files: "-- app/values.yaml --\nimage: &image quay.io/z/proxy:1\nother: *image\n-- " +
				"app/templates/a.yaml --\n" + pod + "    image: {{ .Values.image }}\n  - image: {{ .Values.other }}\n",
			mappings: []chart.Mapping{{Path: "image", Image: appImage}, {Path: "other", Image: appImage}},
			want:     "values.yaml:1: image: &image example.com/team/app:v1.0@sha256:APP\n",
		}, {
			name: "values that the chart above imports",
			files: metadata + "dependencies: [{name: sub, version: 1.x.x, import-values: [{child: " +
				"data, parent: imported}]}]\n-- app/charts/sub/Chart.yaml --\nname: sub\nversion: " +
				"1.0.0\n-- app/charts/sub/values.yaml --\ndata: {image: registry.k8s.io/rest:3}\n-- " +
				"app/templates/a.yaml --\n" + pod + "    image: {{ .Values.imported.image }}\n",
			want: "charts/sub/values.yaml:1: data: {image: registry.k8s.io/rest:3@sha256:REST}\n",
		}, {
			name: "an older digest",
			files: "-- app/values.yaml --\nimage: example.com/team/app:v1.0@" +
				hpDigest + "\n-- app/templates/a.yaml --\n" + pod + "    image: {{ .Values.image }}\n",
			want: "values.yaml:1: image: example.com/team/app:v1.0@sha256:APP\n",
		}, {
			name: "an older digest without a tag",
			files: "-- app/values.yaml --\nimage:\n  repository: example.com/team/app\n  sha: " +
				strings.Repeat("b", 64) + "\n-- app/templates/a.yaml --\n" +
				pod + "    image: {{ .Values.image.repository }}@sha256:{{ .Values.image.sha }}\n",
			want: "values.yaml:3:   sha: APP\n",
		}, {
			name: "a version that templates compare",
			files: "-- app/values.yaml --\nimage: {repository: registry.k8s.io/rest, tag: " +
				"1.2.3}\n-- app/templates/a.yaml --\n" +
				pod + "    image: {{ .Values.image.repository }}:{{ .Values.image.tag }}\n{{- " +
				"if semverCompare \">=1.0.0\" .Values.image.tag }}\n    args: [new]\n{{- end }}\n",
			want: "templates/a.yaml:7:     image: " +
				"{{ .Values.image.repository }}:{{ .Values.image.tag }}{{ if hasSuffix \"/rest:1.2.3\" " +
				"(printf \"%v:%v\" (.Values.image.repository) (.Values.image.tag)) }}@sha256:REST{{ end }}\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := load(t, withMetadata(test.files))
			pinned, err := c.Pin(t.Context(), chart.PinOptions{Find: find, Cases: test.cases, Mappings: test.mappings})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(test.want, difference(t, c, pinned)); d != "" {
				t.Errorf("(-want +got)\n%s", d)
			}
			if got := strings.Join(references(t, pinned, test.set), " "); test.set != nil && got != test.then {
				t.Errorf("after -set: got %s, want %s", got, test.then)
			}
			again, err := pinned.Pin(t.Context(), chart.PinOptions{Find: find, Cases: test.cases})
			if err != nil {
				t.Fatal(err)
			}
			if d := difference(t, pinned, again); d != "" {
				t.Errorf("pinning again changes\n%s", d)
			}
		})
	}
}
