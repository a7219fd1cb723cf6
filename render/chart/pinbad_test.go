package chart_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/chart"
)

// TestPinBad lists what cannot be pinned.
func TestPinBad(t *testing.T) {
	at := yamlfile.Pos{File: "slipway.yaml", Line: 9, Column: 5}
	const sharedValue = "slipway.yaml:9:5: two.image is in the values.yaml of a subchart that has several aliases: " +
		"write it in the values.yaml of the chart above, too, or map that value of each alias to one image"
	for _, test := range []struct {
		name, files, want string
		mappings          []chart.Mapping
	}{
		{
			name:     "no such value",
			files:    "-- app/values.yaml --\nimage: {smb: {tag: x}}\n",
			mappings: []chart.Mapping{{Path: "image.sbm", Pos: at}},
			want:     "slipway.yaml:9:5: the values of chart app have no image.sbm: did you mean image.smb?",
		}, {
			name:     "value without a use",
			files:    "-- app/values.yaml --\nimage: {smb: {tag: x}}\n",
			mappings: []chart.Mapping{{Path: "image.smb", Pos: at}},
			want: "slipway.yaml:9:5: no rendering of chart app uses the value image.smb for an image: " +
				"add a case under cases whose values enable it, or correct the path",
		}, {
			name: "values of one alias that the chart above imports",
			files: strings.Replace(strings.Replace(aliases, "alias: one,",
				"alias: one, import-values: [{child: data, parent: first}],", 1), "alias: two,",
				"alias: two, import-values: [{child: data, parent: second}],", 1) +
				"-- app/charts/sub/values.yaml --\ndata: {image: quay.io/z/proxy:1}\nimage: x\nenabled: " +
				"false\n-- app/templates/a.yaml --\n" +
				pod + "    image: {{ .Values.first.image }}\n  - image: {{ .Values.second.image }}\n",
			mappings: []chart.Mapping{{Path: "two.data.image", Image: appImage, Pos: at}},
			want:     strings.Replace(sharedValue, "two.image", "two.data.image", 1),
		}, {
			name: "one of two values in one line of a helper",
			files: "-- app/values.yaml --\na: {repository: quay.io/z/proxy, tag: v1.0}\nb: {repository: " +
				"quay.io/z/proxy, tag: v1.0}\n" +
				"-- app/templates/_a.tpl --\n{{ define \"lines\" -}}\nimage: {{ .repository }}:{{ .tag }}\nenv: " +
				"[{name: VERSION, value: {{ .tag }}}]\n{{- end }}\n" +
				"-- app/templates/a.yaml --\n" +
				pod + "    {{- include \"lines\" .Values.a | nindent 4 }}\n  - name: " +
				"b\n    {{- include \"lines\" .Values.b | nindent 4 }}\n",
			mappings: []chart.Mapping{{
				Path:  "a",
				Image: chart.Image{Repository: "quay.io/z/proxy", Tag: "v1.0", Digest: appDigest}, Pos: at,
			}},
			want: "app/templates/_a.tpl:2: quay.io/z/proxy:v1.0 cannot be pinned, since neither " +
				"a value nor the template takes its digest: make it of one value, or of repository, tag and digest",
		}, {
			name:     "one alias of a subchart",
			files:    aliases,
			mappings: []chart.Mapping{{Path: "two.image", Image: appImage, Pos: at}},
			want:     sharedValue,
		}, {
			name:     "one alias of a subchart, where only one that is not rendered is not set",
			files:    aliases + "-- app/values.yaml --\none: {image: quay.io/z/proxy:1}\n",
			mappings: []chart.Mapping{{Path: "two.image", Image: appImage, Pos: at}},
			want:     sharedValue,
		}, {
			name: "a text that two values have by an anchor",
			files: "-- app/values.yaml --\nimage: &image quay.io/z/proxy:1\nother: *image\n-- " +
				"app/templates/a.yaml --\n" + pod + "    image: {{ .Values.image }}\n  - image: {{ .Values.other }}\n",
			mappings: []chart.Mapping{{Path: "image", Image: appImage, Pos: at}},
			want: "slipway.yaml:9:5: image and other are one text, by an alias of YAML: " +
				"write that of other itself, or map both to one image",
		}, {
			name: "a text that two values have by a merge",
			files: "-- app/values.yaml --\ndefaults: &d {image: \"quay.io/z/proxy:1\"}\nother: " +
				"{<<: *d}\n-- app/templates/a.yaml --\n" + pod + "    image: {{ .Values.other.image }}\n",
			mappings: []chart.Mapping{{Path: "other.image", Image: appImage, Pos: at}},
			want: "slipway.yaml:9:5: other.image and defaults.image are one text, by an alias of YAML: " +
				"write that of defaults.image itself, or map both to one image",
		}, {
			name: "two digests",
			files: "-- app/values.yaml --\ntag: v1@" + appDigest + "\ndigest: " +
				hpDigest + "\n-- app/templates/a.yaml --\n" +
				pod + "    image: example.com/team/app:{{ .Values.tag }}@{{ .Values.digest }}\n",
			want: "app/templates/a.yaml:7: example.com/team/app:v1@sha256:APP@sha256:HP has two digests: " +
				"take one out of the values of the chart",
		}, {
			name: "a repository of several values",
			files: "-- app/values.yaml --\nimageRegistry: example.com\nimageNamespace: team\nimage: " +
				"{name: app, tag: v1.0, digest: \"\"}\nlogo: {name: app}\n-- app/templates/a.yaml --\n" +
				pod +
				"    image: {{ .Values.imageRegistry }}/{{ .Values.imageNamespace }}/{{ .Values.image.name " +
				"}}:{{ .Values.image.tag }}{{ with .Values.image.digest }}@{{ . }}{{ end }}\n    args: " +
				"[\"{{ .Values.imageRegistry }}/{{ .Values.imageNamespace }}\"]\n",
			mappings: []chart.Mapping{{Path: "image", Image: chart.Image{
				Repository: "registry.internal/staging/app",
				Tag:        "v1.0", Digest: appDigest,
			}, Pos: at}},
			want: "app/templates/a.yaml:7: example.com/team/app:v1.0 cannot " +
				"be pinned to registry.internal/staging/app: the chart takes the digest, and no value " +
				"of it is the repository: make that one value, or release to the registry whose names the chart has",
		}, {
			name: "no way",
			files: "-- app/values.yaml --\nimage: {repository: example.com/team/app, tag: " +
				"v1.0}\n-- app/templates/a.yaml --\n" +
				strings.Replace(pod, "{name: app}", "{name: app, labels: {version: {{ .Values.image.tag }}}}", 1) +
				"    image: {{ \"\" }}{{- template \"image\" . }}\n-- app/templates/_a.tpl --\n{{ define " +
				"\"image\" }}{{ .Values.image.repository }}:{{ .Values.image.tag }}{{ end }}\n",
			want: "app/templates/a.yaml:7: example.com/team/app:v1.0 cannot be pinned, since neither " +
				"a value nor the template takes its digest: make it of one value, or of repository, tag and digest",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := load(t, withMetadata(test.files)).Pin(t.Context(),
				chart.PinOptions{Find: find, Mappings: test.mappings})
			if err == nil || short.Replace(err.Error()) != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

// withMetadata adds a Chart.yaml to files that lack it.
func withMetadata(files string) string {
	if strings.HasPrefix(files, "-- app/Chart.yaml") {
		return files
	}
	return metadata + files
}
