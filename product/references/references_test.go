package references_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/product/references"
)

const (
	digestA = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	digestB = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// pod is a DaemonSet with a container, for the nodes that the lines select.
func pod(name, image string, lines ...string) string {
	return "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: " + name +
		", namespace: ns, annotations: {image: 'registry.example/annotation:1'}}\n" +
		"spec:\n  selector: {matchLabels: {a: b}}\n  template:\n    metadata: " +
		"{labels: {a: b}}\n    spec:\n      containers:\n      - name: c\n        image: " + image + "\n" +
		strings.Join(lines, "") + "---\n"
}

const (
	onLinux   = "      nodeSelector: {kubernetes.io/os: linux}\n"
	onWindows = "      nodeSelector: {kubernetes.io/os: windows}\n"
)

func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string // reference, systems, field or text, places
	}{
		{"by its pods", pod("a", "x.io/both:1", onLinux) + pod("b", "x.io/both:1", onWindows) +
			pod("c", "x.io/win:1", onWindows) + pod("d", "x.io/any:1") + pod("e", "x.io/win:1", onWindows), []string{
			"x.io/both:1 linux,windows field DaemonSet ns/a container c; DaemonSet ns/b container c",
			"x.io/win:1 windows field DaemonSet ns/c container c; DaemonSet ns/e container c",
			"x.io/any:1 any field DaemonSet ns/d container c",
		}},
		{"selected by os.name, a runtime class, an affinity", pod("a", "x.io/a:1", "      os: {name: windows}\n") +
			"apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: w}\nhandler: w\nscheduling: " +
			"{nodeSelector: {kubernetes.io/os: windows}}\n---\n" + pod("b", "x.io/b:1", "      runtimeClassName: w\n") +
			pod("c", "x.io/c:1",
				"      affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "+
					"{nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/os, operator: "+
					"NotIn, values: [windows]}]}]}}}\n"), []string{
			"x.io/a:1 windows field DaemonSet ns/a container c", "x.io/b:1 windows field DaemonSet ns/b container c",
			"x.io/c:1 linux field DaemonSet ns/c container c",
		}},
		{"a tag, a digest, both, neither", pod("a", "x.io/a@"+digestA, onLinux) +
			pod("b", "x.io/a:1@"+digestA, onWindows) + pod("c", "x.io/a", onLinux), []string{
			"x.io/a:1@" + digestA + " linux,windows field DaemonSet ns/a container c; DaemonSet ns/b container c",
			"x.io/a linux field DaemonSet ns/c container c",
		}},
		{
			"volumes, init containers, arguments, variables",
			pod("a", "x.io/a:1", "        args: [--helper-image, 'x.io/helper:1', '--x=x.io/other:v1', 'x.io/a:8080', "+
				"'see x.io/text:v1']\n        env: [{name: PAUSE_IMAGE, value: 'pause:3'}]\n"+
				"      initContainers: [{name: i, image: 'x.io/init:1'}]\n      volumes: [{name: "+
				"v, image: {reference: 'x.io/files:1'}}]\n"+onLinux),
			[]string{
				"x.io/a:1 linux field DaemonSet ns/a container c",
				"x.io/helper:1 any text DaemonSet ns/a spec.template.spec.containers[0].args[1]",
				"x.io/other:v1 any text DaemonSet ns/a spec.template.spec.containers[0].args[2]",
				"pause:3 any text DaemonSet ns/a spec.template.spec.containers[0].env[0].value",
				"x.io/init:1 linux field DaemonSet ns/a container i",
				"x.io/files:1 linux field DaemonSet ns/a volume v",
			},
		},
		{
			"other objects",
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {tool-image: 'x.io/tool:1', f: " +
				"\"image: x.io/inner:1\\n\"}\n---\napiVersion: example.com/v1\nkind: Thing\nmetadata: " +
				"{name: t}\nspec: {image: x.io/thing:1}\n",
			[]string{
				"x.io/tool:1 any field ConfigMap m data.tool-image", "x.io/inner:1 any text ConfigMap m data.f",
				"x.io/thing:1 any field Thing t spec.image",
			},
		},
		{
			"custom resources that name images in several fields, or leave them to their controllers",
			"apiVersion: helm.cattle.io/v1\nkind: HelmChartConfig\nmetadata: {name: c}\nspec:\n  valuesContent: |\n" +
				"    image: {repository: x.io/values, tag: '1'}\n    app: {repository: registry.k8s.io/acme/app, tag: '1'}\n" +
				"---\napiVersion: nvidia.com/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec:\n" +
				"  driver: {repository: x.io/nvidia, image: driver, version: '550'}\n  image: ubuntu-2204-kube\n",
			[]string{
				"x.io/values:1 any field HelmChartConfig c spec.valuesContent: image.repository",
				"x.io/nvidia/driver:550 any field ClusterPolicy p spec.driver.image",
			},
		},
		{
			"a tag with a digest is part of an image",
			"apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r}\nspec:\n  values:\n" +
				"    image: {repository: x.io/values, tag: 'v1@" + digestA + "'}\n    other: {image: {tag: 'v2@" + digestA +
				"'}}\n---\napiVersion: helm.cattle.io/v1\nkind: HelmChart\nmetadata: {name: c}\nspec:\n  set: " +
				"{image.repository: x.io/set, image.tag: 'v3@" + digestA + "'}\n  valuesContent: |\n" +
				"    image: {repository: x.io/text, version: 'v4@" + digestA + "'}\n    more:\n      tag: v5@" + digestA + "\n",
			[]string{
				"x.io/values:v1@" + digestA + " any field HelmRelease r spec.values.image.repository",
				"x.io/set:v3@" + digestA + " any field HelmChart c spec.set.image.repository",
				"x.io/text:v4@" + digestA + " any field HelmChart c spec.valuesContent: image.repository",
			},
		},
		{
			"values of a HelmRelease in a ConfigMap",
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  values.yaml: |\n    image: {repository: x.io/cm, " +
				"tag: 1.10}\n---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: r}\n" +
				"spec: {valuesFrom: [{kind: ConfigMap, name: m}]}\n",
			[]string{"x.io/cm:1.1 any field ConfigMap m data[\"values.yaml\"]: image.repository"},
		},
		{
			"ours, and what is none",
			pod("a", "registry.k8s.io/acme/app:1") + pod("b", "slipway.local/demo/app@"+digestA) + pod("c",
				"ko://x.io/cmd") + pod("d", "'{{ .x }}'") + pod("e", "''") + pod("f", "user:secret@x.io/a:1"), nil,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := &product.Product{Images: []product.Image{{
				Name: "app", Repositories: []string{"demo/app"},
				Elsewhere: []string{"registry.k8s.io/acme/app"},
			}}}
			found, err := references.Find(p, []references.Manifest{{File: "release.yaml", Text: []byte(tt.text)}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, i := range found.Images {
				got = append(got, line(i))
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func line(i references.Image) string {
	os, kind := "any", "text"
	if i.OS != nil {
		os = strings.Join(i.OS, ",")
	}
	if i.Field {
		kind = "field"
	}
	return strings.Join([]string{i.Reference, os, kind, strings.Join(i.From, "; ")}, " ")
}

// TestFindInCharts names charts and cases; a case adds only what other values do not have.
// Positions are those of the templates.
func TestFindInCharts(t *testing.T) {
	origin := func(line int) string {
		if line == 11 {
			return "smb/templates/a.yaml:5"
		}
		return ""
	}
	found, err := references.Find(&product.Product{}, []references.Manifest{
		{File: "release.yaml", Text: []byte(pod("a", "x.io/a:1", onLinux))},
		{File: "smb", Chart: "smb", Text: []byte(pod("a", "x.io/a:1", onLinux)), Origin: origin},
		{
			File: "smb", Chart: "smb", Case: "windows",
			Text: []byte(pod("a", "x.io/a:1", onLinux) + pod("b", "x.io/b:1", onWindows)), Origin: origin,
		},
	})
	if err != nil || len(found.Images) != 2 {
		t.Fatalf("%v, %v", found, err)
	}
	want := []string{
		"x.io/a:1 linux field DaemonSet ns/a container c; chart smb: DaemonSet ns/a container c",
		"x.io/b:1 windows field chart smb, case windows: DaemonSet ns/b container c",
	}
	if d := cmp.Diff(want, []string{line(found.Images[0]), line(found.Images[1])}); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := found.Images[0].Pos.String() + " " + found.Images[1].Pos.String(); got != "release.yaml:11 smb:24" {
		t.Errorf("the places are %s", got)
	}
}

// TestFindInAnnotations finds images that only annotations of charts list, in the groups of the
// charts; what a pod names keeps its operating systems.
func TestFindInAnnotations(t *testing.T) {
	listed := func(refs ...string) (all []references.Annotated) {
		for _, ref := range refs {
			all = append(all, references.Annotated{Annotation: "helm.sh/images", Reference: ref})
		}
		return all
	}
	p := &product.Product{Images: []product.Image{{Name: "own", Elsewhere: []string{"x.io/own"}}}}
	p.Airgap.Groups = []product.Group{{Name: "smb", Charts: []string{"smb"}}}
	found, err := references.Find(p, []references.Manifest{
		{
			File: "smb", Chart: "smb", Text: []byte(pod("a", "x.io/a:1", onLinux)),
			Annotated: listed("x.io/a:1@"+digestA, "x.io/b:1", "x.io/b:1", "x.io/own:1", "no reference", "x.io/c:1"),
		},
		{File: "other", Chart: "other", Text: []byte(pod("c", "x.io/c:1", onWindows))},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range found.Images {
		got = append(got, line(i)+" "+strings.Join(i.Groups, ","))
	}
	want := []string{
		"x.io/a:1 linux field chart smb: DaemonSet ns/a container c smb",
		"x.io/c:1 windows field chart other: DaemonSet ns/c container c smb",
		"x.io/b:1 any text chart smb: annotation helm.sh/images smb",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string][]string{"own": {"smb"}}, found.Own); d != "" {
		t.Errorf("the groups of own images (-want +got):\n%s", d)
	}
}

func TestAdd(t *testing.T) {
	const named = "DaemonSet ns/a container c"
	for _, tt := range []struct {
		name, list, lock, text string
		want                   []string // text, systems, reason for its omission, from
		unused                 string
		demands, wrong         string
	}{
		{
			name: "by the lock", lock: "x.io/a:1", text: pod("a", "x.io/a:1", onLinux),
			want: []string{"x.io/a:1@" + digestB + " [linux]  " + named},
		},
		{
			name: "Docker Hub has two names", lock: "docker.io/library/a:1", text: pod("a", "a:1", onLinux),
			want: []string{"a:1@" + digestB + " [linux]  " + named},
		},
		{
			name: "by images.txt, which the bundles of all systems include", list: "x.io/a:1@" + digestA,
			lock: "x.io/a:1", text: pod("a", "x.io/a:1", onLinux),
			want: []string{"x.io/a:1@" + digestA + " []  images.txt:1; " + named}, unused: "x.io/a:1",
		},
		{
			name: "by another manifest", text: pod("a", "x.io/a:1", onLinux) + pod("b", "x.io/a:1@"+digestA, onWindows),
			want: []string{"x.io/a:1@" + digestA + " [linux windows]  " + named + "; DaemonSet ns/b container c"},
		},
		{
			name: "by nothing", lock: "x.io/a:2", text: pod("a", "x.io/a:1", onLinux), unused: "x.io/a:2",
			want: []string{"x.io/a:1 [linux]  " + named},
			demands: "release.yaml:11: " + named + " names x.io/a:1 by tag: run slipway pin, " +
				"which writes its digest into images.lock.yaml, since a release must not change when a tag moves",
		},
		{
			name: "neither tag nor digest", text: pod("a", "x.io/a", onLinux),
			want: []string{"x.io/a [linux]  " + named},
			demands: "release.yaml:11: " + named +
				" names x.io/a, which has neither tag nor digest: write the tag that is meant",
		},
		{
			name: "two digests of a tag", list: "x.io/a:1@" + digestA, text: pod("a", "x.io/a:1@"+digestB, onLinux),
			want: []string{"x.io/a:1@" + digestA + " []  images.txt:1"},
			wrong: "release.yaml:11: " + named + " names x.io/a:1@" + digestB +
				", and images.txt:1 has another digest of this tag: keep one of them",
		},
		{
			name: "removed", list: "!x.io/*\n!y.io/a/b:*\n!x.io/text", lock: "x.io/a:1", text: pod("a",
				"x.io/a:1", "        args: ['x.io/text:v1']\n", onLinux) + pod("b", "y.io/a/b:1@"+digestA, onLinux),
			want: []string{
				"x.io/a:1@" + digestB + " [linux] images.txt:1 removes it " + named,
				"y.io/a/b:1@" + digestA + " [linux] images.txt:2 removes it DaemonSet ns/b container c",
			},
		},
		{
			name: "by the usual names of Docker Hub", list: "!nginx\n!docker.io/busybox",
			text: pod("a", "nginx:1@"+digestA) + pod("b", "busybox:1@"+digestA),
			want: []string{
				"nginx:1@" + digestA + " [] images.txt:1 removes it " + named,
				"busybox:1@" + digestA + " [] images.txt:2 removes it DaemonSet ns/b container c",
			},
		},
		{
			name: "removes nothing", list: "!x.io/*", text: pod("a", "x.io/a/b@"+digestA),
			want: []string{"x.io/a/b@" + digestA + " []  " + named},
			wrong: "images.txt:1:1: !x.io/* removes nothing, since no manifest names such an image: " +
				"take the line out, or correct it",
		},
		{
			name: "removes what another line adds", list: "x.io/a:1@" + digestA + "\n!x.io/a",
			want:  []string{"x.io/a:1@" + digestA + " []  images.txt:1"},
			wrong: "images.txt:2:1: !x.io/a removes the image that line 1 adds: keep one of these lines",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := listing(t, tt.list, tt.lock)
			found, err := references.Find(p, []references.Manifest{{File: "release.yaml", Text: []byte(tt.text)}})
			if err != nil {
				t.Fatal(err)
			}
			complete, demands, wrong := references.Add(p, found)
			var got, unused []string
			for _, i := range complete.Airgap.Images {
				got = append(got,
					strings.Join([]string{
						i.Text, "[" + strings.Join(i.OS, " ") + "]", i.Omitted,
						strings.Join(i.From, "; "),
					}, " "))
			}
			for _, u := range complete.Unused {
				unused = append(unused, u.Name)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if d := cmp.Diff([]string{tt.unused, tt.demands, tt.wrong},
				[]string{strings.Join(unused, " "), text(demands), text(wrong)}); d != "" {
				t.Errorf("unused, demands and mistakes (-want +got):\n%s", d)
			}
			again, _, _ := references.Add(p, found)
			if d := cmp.Diff(complete.Airgap.Images, again.Airgap.Images,
				cmp.Comparer(func(a, b product.ThirdParty) bool {
					return a.Text == b.Text && len(a.From) == len(b.From)
				})); d != "" {
				t.Errorf("added once more (-before +after):\n%s", d)
			}
		})
	}
}

func text(errs yamlfile.Errors) string {
	if err := errs.Err(); err != nil {
		return err.Error()
	}
	return ""
}

// listing reads a product with an images.txt, and an entry of images.lock.yaml.
func listing(t *testing.T, list, locked string) *product.Product {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"slipway.yaml": "apiVersion: slipway/v1\nname: demo\nversion: 1.0.0\nplatforms: [linux/amd64]\nsources: " +
			"[{name: s, directory: ., revision: r, created: 2024-01-01T00:00:00Z}]\n" +
			"programs: [{name: app, source: s, package: .}]\nimages: [{name: app, bases: {linux: " +
			"scratch}, go: {program: app}}]\nairgap: {images: images.txt}\n",
		"images.txt": list,
	}
	if locked != "" {
		files["images.lock.yaml"] = "apiVersion: slipway/v1\nimages: [{reference: '" + locked + "', digest: '" +
			digestB + "'}]\n"
	}
	write(t, dir, files)
	t.Setenv("SLIPWAY_REGISTRY", "")
	t.Setenv("SLIPWAY_VERSION", "")
	t.Chdir(dir)
	p, err := product.Load(t.Context(), product.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSelectedGroups: a group may name an image that is not selected, and an image of its list that
// images.txt removes is an error.
func TestSelectedGroups(t *testing.T) {
	whole := &product.Product{
		Images: []product.Image{{Name: "one"}, {Name: "two"}},
		Airgap: product.Airgap{Groups: []product.Group{{Name: "core", Images: []string{"one", "two"}}}},
	}
	part := *whole
	part.Images, part.Unselected = whole.Images[:1], whole
	complete, _, wrong := references.Add(&part, references.Found{})
	if wrong.Err() != nil || len(complete.Airgap.Members["one"]) != 1 {
		t.Errorf("%v, %v", complete.Airgap.Members, wrong)
	}
	ref, err := name.ParseReference("x.io/a:1")
	if err != nil {
		t.Fatal(err)
	}
	p := &product.Product{Airgap: product.Airgap{
		Groups: []product.Group{{
			Name: "core", Listed: []product.ThirdParty{{Reference: ref, Text: "x.io/a:1", From: []string{"core.txt:1"}}},
		}},
		Removed: []product.Removal{{Pattern: "x.io/*", From: "images.txt:2"}},
	}}
	found, err := references.Find(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _, wrong = references.Add(p, found)
	want := "the list of group core has x.io/a:1, and images.txt:2 removes it: keep one of these lines"
	if err := wrong.Err(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("removed: %v", err)
	}
}
