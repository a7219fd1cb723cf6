package workload_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/render/workload"
)

// TestComposed checks what fields of custom resources name together, or leave open.
func TestComposed(t *testing.T) {
	const sum = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	for _, c := range []struct {
		name, kind, spec string
		want             []string // line, path, and the reference or ? and the value
	}{
		{"a repository and a tag", "Any", "image: {repository: quay.io/a/b, tag: v1}", []string{
			"5 spec.image.repository quay.io/a/b:v1",
		}},
		{"a registry, a repository and a digest", "Any", "image: {registry: quay.io, repository: a/b, digest: '" + sum +
			"'}", []string{"5 spec.image.repository quay.io/a/b@" + sum}},
		{"a tag with a digest", "Any", "image: {repository: quay.io/a/b, tag: v1@" + sum + "}", []string{
			"5 spec.image.repository quay.io/a/b:v1@" + sum,
		}},
		{"a digest as the version", "Any", "repository: nvcr.io/nvidia\nimage: driver\nversion: " + sum, []string{
			"6 spec.image nvcr.io/nvidia/driver@" + sum,
		}},
		{
			"ClusterPolicy", "ClusterPolicy", "driver: {repository: nvcr.io/nvidia, image: driver, version: '550.1'}\n" +
				"toolkit:\n  repository: nvcr.io/nvidia/k8s\n  image: toolkit\n  version: v1.14", []string{
				"5 spec.driver.image nvcr.io/nvidia/driver:550.1", "8 spec.toolkit.image nvcr.io/nvidia/k8s/toolkit:v1.14",
			},
		},
		{"an image and a tag", "Any", "image: quay.io/a/b\ntag: v1", []string{"5 spec.image quay.io/a/b:v1"}},
		{"a list", "Any", "all:\n- {repository: a/b, tag: '1'}", []string{"6 spec.all[0].repository a/b:1"}},
		{"HelmRelease", "HelmRelease", "values: {a: {image: {repository: quay.io/a/b, tag: v1}}}", []string{
			"5 spec.values.a.image.repository quay.io/a/b:v1",
		}},
		{
			"HelmChartConfig", "HelmChartConfig", "valuesContent: |-\n  x: 1\n  image:\n    repository: quay.io/a/b\n    tag: v1",
			[]string{"8 spec.valuesContent: image.repository quay.io/a/b:v1"},
		},
		{
			"HelmChart in a quoted text", "HelmChart", `valuesContent: "image: {repository: a/b, tag: v1}"`,
			[]string{"5 spec.valuesContent: image.repository a/b:v1"},
		},
		{"OCIRepository", "OCIRepository", "url: oci://quay.io/a/b\nref: {tag: v1}", []string{
			"5 spec.url chart oci://quay.io/a/b",
		}},
		{"images without tags", "Any", "images: [r.io/a, b, {name: r.io/c}, {name: d}, 'r.io/e:v1']\n" +
			"x: {images: {f: r.io/f, g: g, h: team/h:v1, logo: r.io/l.png, registry: r.io/x}}\n" +
			"sidecarImage: r.io/i\nosImage: ubuntu\nlogoImage: r.io/l.svg\ntag: v1", []string{
			"7 spec.sidecarImage ? r.io/i", "5 spec.images[0] ? r.io/a", "5 spec.images[2].name ? r.io/c",
			"6 spec.x.images.f ? r.io/f", "6 spec.x.images.h team/h:v1",
		}},
		{"tags of their own", "Any", "sidecarImage: r.io/a\nsidecarImageTag: v1\nproxyImage: b\nproxyTag: v2\n" +
			"images: [{name: r.io/c, tag: v3}]\ninitImage: {name: d, tag: v4}", []string{
			"5 spec.sidecarImage r.io/a:v1", "7 spec.proxyImage b:v2", "9 spec.images[0].name r.io/c:v3",
			"10 spec.initImage.name d:v4",
		}},
		{"versions of systems", "Any", "images: [{name: ubuntu, version: '22.04'}]\nosImage: {name: ubuntu, version: '1'}\n" +
			"image: {path: a/b, version: '1'}", nil},
		{"a url and a path", "Any", "a: {image: {url: r.io/a, tag: v1}}\nb: {image: {path: r.io/b, tag: v2}}\n" +
			"c: {image: {registry: r.io, path: c/d, tag: v3}}\nd: {image: {name: e, url: r.io/e, tag: v4}}\n" +
			"e: {image: {url: r.io/f}}\nf: {image: {url: 'https://r.io/x', tag: v1}}\ng: {image: {path: a/x.png}}\n" +
			"h: {image: {path: /boot/x, tag: v1}}", []string{
			"5 spec.a.image.url r.io/a:v1", "6 spec.b.image.path r.io/b:v2", "7 spec.c.image.path r.io/c/d:v3",
			"8 spec.d.image.url r.io/e:v4", "9 spec.e.image.url ? r.io/f",
		}},
		{"two images", "Any", "a: {image: 'r.io/a:v1', baseImage: r.io/b, tag: v3}\n" +
			"b: {image: r.io/c, baseImage: r.io/d, tag: v3}\nc: {image: 'r.io/t/e:v1', imageName: e, imageTag: v1}\n" +
			"d: {image: 'r.io/t/e:v1', imageName: t/e, imageTag: v1}\n" +
			"e: {repository: r.io/f, image: 'r.io/g:v1', tag: v2}", []string{
			"5 spec.a.baseImage r.io/b:v3", "6 spec.b.image r.io/c:v3", "6 spec.b.baseImage ? r.io/d",
			"9 spec.e.repository r.io/f:v2",
		}},
		{"a repository and a path", "Any", "repository: r.io/a\nimage: b/c\nversion: v1", []string{"6 spec.image r.io/a/b/c:v1"}},
		{"a reference without a registry", "Any", "image: {repository: a/b:v1}\nx: {repository: a:v1}", []string{
			"5 spec.image.repository a/b:v1",
		}},
		{"a registry of all images", "HelmRelease", "values:\n  global: {imageRegistry: r.io}\n" +
			"  image: {repository: a/b, tag: v1}\n  c: {image: {repository: q.io/c, tag: v1}}\n" +
			"  d: {image: {registry: r.io, repository: d, tag: v1}}\n  e: {image: {registry: q.io, repository: e, tag: v1}}\n" +
			"other: {image: {repository: a/b, tag: v2}}", []string{
			"7 spec.values.image.repository r.io/a/b:v1", "8 spec.values.c.image.repository q.io/c:v1",
			"9 spec.values.d.image.repository r.io/d:v1", "10 spec.values.e.image.repository !",
			"11 spec.other.image.repository a/b:v2",
		}},
		{
			"a registry among keys that are paths", "HelmChart", "set: {global.imageRegistry: r.io, image.repository: a/b, " +
				"image.tag: v1}\nvaluesContent: |\n  global: {imageRegistry: r.io}\n  image: {repository: c/d, tag: v1}",
			[]string{"5 spec.set.image.repository r.io/a/b:v1", "8 spec.valuesContent: image.repository r.io/c/d:v1"},
		},
		{"a registry among parameters", "Application", "parameters: [{name: image.repository, value: a/b}, {name: image.tag, " +
			"value: v1}, {name: global.imageRegistry, value: r.io}]", []string{"5 spec.parameters.image.repository r.io/a/b:v1"}},
		{"any artifact", "Any", "a: {bundle: 'oci://r.io/a:v1', source: [oci://r.io/b]}\nartifact: oci://r.io/c", []string{
			"5 spec.a.bundle chart oci://r.io/a:v1", "5 spec.a.source[0] chart oci://r.io/b",
			"6 spec.artifact chart oci://r.io/c",
		}},
		{
			"values that are no YAML", "HelmChartConfig", "valuesContent: |-\n  a: 1\n  image: {repository: r.io/a, tag: 1.10\n",
			[]string{"6 spec.valuesContent !"},
		}, // as the YAML parser counts
		{"quoted values that are no YAML", "HelmChart", `valuesContent: "image: {repository: r.io/a, tag: 1.10"`, []string{
			"5 spec.valuesContent !",
		}},
		{"values that are a text", "Any", "values: 'a: b: c'", nil},
		{"a chart", "HelmChart", "chart: oci://quay.io/charts/a\nversion: 1.0.0", []string{
			"5 spec.chart chart oci://quay.io/charts/a",
		}},

		{"keys that are paths", "HelmChart", "set:\n  image.repository: quay.io/a/b\n  image.tag: v1\n  other: 1", []string{
			"6 spec.set.image.repository quay.io/a/b:v1",
		}},
		{"parameters", "Application", "helm: {parameters: [{name: a.image.repository, value: quay.io/a/b}, " +
			"{name: a.image.tag, value: v1}]}", []string{"5 spec.helm.parameters.a.image.repository quay.io/a/b:v1"}},
		{"an imageRepository", "Any", "imageRepository: quay.io/a/b\nimageTag: v1", []string{
			"5 spec.imageRepository quay.io/a/b:v1",
		}},
		{"images of kustomize", "HelmRelease", "images: [{name: foo, newName: quay.io/a/b, newTag: v1}]", []string{
			"5 spec.images[0].newName quay.io/a/b:v1",
		}},
		{"a repo", "Any", "image: {repo: quay.io/a/b, tag: v1}", []string{"5 spec.image.repo quay.io/a/b:v1"}},
		{"a name", "Any", "image: {name: quay.io/a/b, tag: v1}", []string{"5 spec.image.name quay.io/a/b:v1"}},
		{"a hub", "Any", "hub: quay.io/a\nimage: b\ntag: v1", []string{"6 spec.image quay.io/a/b:v1"}},
		{"a name of anything", "Any", "other: {name: quay.io/a/b, tag: v1, repo: a/b}", nil},
		{"a name alone", "Any", "image: {name: ubuntu}", nil},
		{"a repository by name", "Any", "image: {name: quay.io/a/b}", []string{"5 spec.image.name ? quay.io/a/b"}},

		{"images of kustomize by name", "Kustomization", "images:\n- {name: a/b, newTag: v1}\n- {name: a/c, digest: '" + sum +
			"'}\n- {name: a/d}\n- {name: x, newName: a/e}", []string{
			"6 spec.images[0].name a/b:v1", "7 spec.images[1].name a/c@" + sum, "9 spec.images[3].newName ? a/e",
		}},
		{"postRenderers", "HelmRelease", "postRenderers: [{kustomize: {images: [{name: a/b, newTag: 1.10}]}}]", []string{
			"5 spec.postRenderers[0].kustomize.images[0].name a/b:1.1",
		}},
		{"a containerImage", "Any", "a: {containerImage: {name: a/b, tag: v1}}\nb: {containerImage: a/c, tag: v2}\n" +
			"c: {containerImage: a/d}", []string{
			"5 spec.a.containerImage.name a/b:v1", "6 spec.b.containerImage a/c:v2", "7 spec.c.containerImage ? a/d",
		}},
		{"an imageName", "Any", "imageName: a/b\nimageTag: v1", []string{"5 spec.imageName a/b:v1"}},
		{"an imageName and another version", "Any", "imageName: a/b\nversion: v1", []string{"5 spec.imageName ? a/b"}},
		{"an imageRepo and a digest", "Any", "imageRepo: a/b\nimageDigest: " + sum, []string{"5 spec.imageRepo a/b@" + sum}},
		{"a baseImage", "Any", "baseImage: a/b\ntag: v1", []string{"5 spec.baseImage a/b:v1"}},
		{"a baseImage alone", "Any", "baseImage: a/b\nversion: v1", []string{"5 spec.baseImage ? a/b"}},
		{"a registry", "Any", "imageRepository: registry.k8s.io\nimageTag: v1", []string{
			"5 spec.imageRepository ? registry.k8s.io",
		}},
		{"numbers as Helm reads them", "HelmChart", "valuesContent: |-\n  a: {image: {repository: a/b, tag: 1.10}}\n" +
			"  b: {image: {repository: a/b, tag: 20240101}}\n  c: {image: {repository: a/b, tag: 0755}}\n" +
			"  d: {image: {repository: a/b, tag: 1e3}}\n  e: {image: {repository: a/b, tag: 0x1F}}\n" +
			"  f: {image: {repository: a/b, tag: '0755'}}", []string{
			"6 spec.valuesContent: a.image.repository a/b:1.1", "7 spec.valuesContent: b.image.repository a/b:20240101",
			"8 spec.valuesContent: c.image.repository a/b:493", "9 spec.valuesContent: d.image.repository a/b:1000",
			"10 spec.valuesContent: e.image.repository a/b:31", "11 spec.valuesContent: f.image.repository a/b:0755",
		}},
		{"quoted lines", "HelmChart", `valuesContent: "a: 1\nimage: {repository: a/b, tag: v1}"`, []string{
			"5 spec.valuesContent: image.repository a/b:v1",
		}},

		{"an image alone", "Any", "image: ubuntu-2204-kube", []string{"5 spec.image ? ubuntu-2204-kube"}},
		{"a repository alone", "Any", "repository: quay.io/a/b", []string{"5 spec.repository ? quay.io/a/b"}},
		{"a range", "Any", "repository: quay.io/a/b\nversion: '>= 1.0'", []string{"5 spec.repository ? quay.io/a/b"}},
		{"a reference", "Any", "image: quay.io/a/b:v1\nversion: v1", nil},
		{"an address", "Any", "repository: https://github.com/a/b\ntag: v1", nil},
		{"a variable", "Any", "image: $(params.image)", nil},
		{"no text", "Any", "image: null\nrepository: [a]\ntag: v1", nil},
		{"a selector", "Any", "selector: {matchLabels: {image: x}}", nil},
	} {
		text := "apiVersion: example.com/v1\nkind: " + c.kind + "\nmetadata: {name: a, image: x}\nspec:\n  " +
			strings.ReplaceAll(c.spec, "\n", "\n  ") + "\n"
		if got := composed(t, text); !cmp.Equal(c.want, got) {
			t.Errorf("%s: %s", c.name, cmp.Diff(c.want, got))
		}
	}
	if got := composed(t, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {repository: a, tag: b}"); got !=
		nil {
		t.Errorf("in a Deployment: %q", got)
	}
}

// TestComposedValuesFrom checks the values of charts that HelmReleases take from other objects.
func TestComposedValuesFrom(t *testing.T) {
	const release = "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r, namespace: n}\n" +
		"spec:\n  valuesFrom: [{kind: ConfigMap, name: a}, {kind: Secret, name: a, valuesKey: v}, " +
		"{kind: ConfigMap, name: b, valuesKey: tag, targetPath: image.tag}]\n---\n"
	const values = "image: {repository: a/b, tag: 1.10}\n"
	object := func(kind, name, data string) string {
		return "apiVersion: v1\nkind: " + kind + "\nmetadata: {name: " + name + ", namespace: n}\n" + data
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{object("ConfigMap", "a", "data:\n  values.yaml: |\n    "+values), []string{
			"6 data[\"values.yaml\"]: image.repository a/b:1.1",
		}},
		{object("ConfigMap", "a", "data: {values.yaml: 'image: {repository: a/b}', other: '"+values+"'}"), []string{
			"4 data[\"values.yaml\"]: image.repository ? a/b",
		}},
		{object("Secret", "a", "data: {v: "+base64.StdEncoding.EncodeToString([]byte("x: 1\n"+values))+"}"), []string{
			"4 data.v: image.repository a/b:1.1",
		}},
		{object("Secret", "a", "stringData:\n  v: |\n    "+values), []string{"6 stringData.v: image.repository a/b:1.1"}},
		{object("ConfigMap", "b", "data: {tag: '"+values+"'}"), nil},
		{object("ConfigMap", "other", "data: {values.yaml: '"+values+"'}"), nil},
	} {
		if got := composed(t, c.text+"\n---\n"+release); !cmp.Equal(c.want, got) {
			t.Errorf("%s: %s", c.text, cmp.Diff(c.want, got))
		}
	}
	got := composed(t, object("Secret", "a", "stringData: {v: '"+values+"'}")+"\n---\napiVersion: helm.cattle.io/v1\n"+
		"kind: HelmChart\nmetadata: {name: c, namespace: n}\nspec: {valuesSecrets: [{name: a, keys: [v]}]}\n")
	if want := []string{"4 stringData.v: image.repository a/b:1.1"}; !cmp.Equal(want, got) {
		t.Error(cmp.Diff(want, got))
	}
}

// TestComposedTargetPath checks single values that HelmReleases take from other objects.
func TestComposedTargetPath(t *testing.T) {
	release := func(values, from string) string {
		return "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r, namespace: n}\nspec:\n" +
			"  values: " + values + "\n  valuesFrom:\n  - " + from + "\n---\napiVersion: v1\nkind: ConfigMap\n" +
			"metadata: {name: a, namespace: n}\ndata: {tag: '1.10', values.yaml: v3, image: 'a/c:v1', comma: 'a,b'}\n---\n" +
			"apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: n}\ndata: {tag: djQK}\n"
	}
	for _, c := range []struct {
		values, from string
		want         []string
	}{
		{"{image: {repository: a/b}}", "{kind: ConfigMap, name: a, valuesKey: tag, targetPath: image.tag}", []string{
			"5 spec.values.image.repository a/b:1.10",
		}},
		{"{image: {repository: a/b, tag: v0}}", "{kind: ConfigMap, name: a, valuesKey: tag, targetPath: image.tag}", []string{
			"5 spec.values.image.repository a/b:v0", // values win
		}},
		{"{image: {repository: a/b}}", "{kind: ConfigMap, name: a, targetPath: image.tag}", []string{
			"5 spec.values.image.repository a/b:v3",
		}},
		{"{image: {repository: a/b}}", "{kind: Secret, name: s, valuesKey: tag, targetPath: image.tag}", []string{
			"5 spec.values.image.repository a/b:v4",
		}},
		{"{x: 1}", "{kind: ConfigMap, name: a, valuesKey: image, targetPath: app.image}", []string{
			"7 spec.values.app.image a/c:v1",
		}},
		{"{image: {repository: a/b}}", "{kind: ConfigMap, name: a, valuesKey: comma, targetPath: image.tag}", []string{
			"5 spec.values.image.repository ? a/b",
		}},
		{"{image: {repository: a/b}}", "{kind: ConfigMap, name: a, valuesKey: tag, targetPath: 'image[0].tag'}", []string{
			"5 spec.values.image.repository ? a/b",
		}},
		{"{image: {repository: a/b}}", "{kind: ConfigMap, name: z, valuesKey: tag, targetPath: image.tag}", []string{
			"5 spec.values.image.repository ? a/b",
		}},
		{"{image: {tag: v1}}", "{kind: ConfigMap, name: z, valuesKey: repo, targetPath: image.repository}", []string{
			"7 spec.valuesFrom[0] !",
		}},
		{"{image: {repository: a/b:v1}}", "{kind: ConfigMap, name: z, targetPath: image.repository}", []string{
			"5 spec.values.image.repository a/b:v1",
		}},
	} {
		if got := composed(t, release(c.values, c.from)); !cmp.Equal(c.want, got) {
			t.Errorf("%s, %s: %s", c.values, c.from, cmp.Diff(c.want, got))
		}
	}
}

func composed(t *testing.T, text string) (all []string) {
	t.Helper()
	objects, err := workload.Read("m.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	objects[0].Composed(func(c workload.Composed) {
		line := strings.Split(c.Pos.String(), ":")[1]
		switch {
		case c.Why != "":
			all = append(all, line+" "+c.Path+" !")
		case c.Chart:
			all = append(all, line+" "+c.Path+" chart "+c.Value)
		case c.Reference == "":
			all = append(all, line+" "+c.Path+" ? "+c.Value)
		default:
			all = append(all, line+" "+c.Path+" "+c.Reference)
		}
	})
	return all
}
