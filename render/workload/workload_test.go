package workload_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/workload"
)

func read(t *testing.T, text string) []workload.Object {
	t.Helper()
	objects, err := workload.Read("m.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// readStrict reads a manifest whose faults are errors.
func readStrict(file string, text []byte) error {
	objects, err := workload.Read(file, text)
	errs := []error{err}
	for _, o := range objects {
		for _, f := range o.Faults {
			errs = append(errs, fmt.Errorf("%s: %s: %s", f.Pos, o, f))
		}
	}
	return errors.Join(errs...)
}

// TestKinds reads an object of each kind that makes pods, in testdata/kinds.yaml, and says where
// its nodeSelector stands.
func TestKinds(t *testing.T) {
	objects, err := workload.ReadFile(filepath.Join("testdata", "kinds.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range objects {
		line := o.APIVersion + " " + o.String()
		if p := o.Pod; p != nil {
			place := p.At("nodeSelector", "role")
			line = fmt.Sprintf("%s %d %s=%s:%d:%d %s %q", line, p.Kind, p.Path("nodeSelector", "role"),
				p.Spec.NodeSelector["role"], place.Line, place.Column, p.MetaPath, p.Meta.Labels["app"])
		}
		got = append(got, line)
	}
	want := []string{
		`v1 Pod a/pod 0 spec.nodeSelector.role=pod:9:5 metadata "pod"`,
		`v1 PodTemplate a/template 0 template.spec.nodeSelector.role=template:19:7 template.metadata "t"`,
		`v1 ReplicationController a/rc 0 spec.template.spec.nodeSelector.role=rc:30:9 spec.template.metadata "t"`,
		`apps/v1 Deployment a/deployment 0 spec.template.spec.nodeSelector.role=deployment:42:9 spec.template.metadata "t"`,
		`apps/v1 StatefulSet a/stateful 0 items[0].spec.template.spec.nodeSelector.role=stateful:56:11 items[0].spec.template.metadata "t"`,
		`apps/v1 DaemonSet a/daemon 0 items[1].spec.template.spec.nodeSelector.role=daemon:66:11 items[1].spec.template.metadata "t"`,
		`apps/v1 ReplicaSet a/replica 0 items[0].spec.template.spec.nodeSelector.role=replica:79:11 items[0].spec.template.metadata "t"`,
		`batch/v1 Job a/job- 0 spec.template.spec.nodeSelector.role=job:90:9 spec.template.metadata "t"`,
		`batch/v1 CronJob a/cron 0 spec.jobTemplate.spec.template.spec.nodeSelector.role=cron:104:13 spec.jobTemplate.spec.template.metadata "t"`,
		`kpack.io/v1alpha1 Image a/old 1 spec.build.nodeSelector.role=:113:5  ""`,
		`kpack.io/v1alpha2 Image a/image 1 spec.build.nodeSelector.role=image:121:7  ""`,
		`kpack.io/v1alpha1 Build a/older 2 spec.nodeSelector.role=:128:3  ""`,
		`kpack.io/v1alpha2 Build a/build 2 spec.nodeSelector.role=build:137:5  ""`,
		`example.com/v1 Widget a/w`,
		`v1 ReplicationController a/none`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestBuildPodFields reads every field that kpack copies to the build pod.
func TestBuildPodFields(t *testing.T) {
	const text = `apiVersion: kpack.io/v1alpha2
kind: %s
metadata: {name: app}
spec:
  tag: registry.example/app
  source: {git: {url: "https://example.com", revision: main}}
%s`
	const fields = `services: [{kind: Secret, name: s}]
resources: {requests: {cpu: 500m}}
tolerations: [{key: os, value: windows, effect: NoSchedule}]
nodeSelector: {pool: windows}
affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}
runtimeClassName: windows
schedulerName: mine
priorityClassName: low
`
	indent := func(by, s string) string { return by + strings.ReplaceAll(strings.TrimSpace(s), "\n", "\n"+by) + "\n" }
	for kind, body := range map[string]string{
		"Image": "  build:\n" + indent("    ", fields),
		"Build": indent("  ", fields),
	} {
		o := read(t, fmt.Sprintf(text, kind, body))
		p := o[0].Pod
		s := p.Spec
		if len(p.Services) != 1 || p.Services[0].Name != "s" || p.Resources.Requests.Cpu().MilliValue() != 500 ||
			len(s.Tolerations) != 1 || s.Tolerations[0].Value != "windows" ||
			s.NodeSelector["pool"] != "windows" || s.Affinity == nil || s.Affinity.NodeAffinity == nil ||
			*s.RuntimeClassName != "windows" || s.SchedulerName != "mine" || s.PriorityClassName != "low" {
			t.Errorf("%s: %+v", kind, p)
		}
	}
}

// TestAliases holds that anchors, aliases and merge keys come to what kubectl makes of them.
func TestAliases(t *testing.T) {
	objects := read(t, `apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  nodeSelector: &selector {role: web, zone: a}
  containers:
  - &c {name: one, image: registry.example/one:1}
  - <<: *c
    name: two
  - <<: [{name: three}, *c]
---
apiVersion: v1
kind: Pod
metadata: {name: b}
spec:
  automountServiceAccountToken: yes
  terminationGracePeriodSeconds: 0x10
  nodeSelector: {on: "no"}
  containers: [{name: one, image: "1.10"}]
`)
	spec := objects[0].Pod.Spec
	for i, name := range []string{"one", "two", "three"} {
		if c := spec.Containers[i]; c.Name != name || c.Image != "registry.example/one:1" {
			t.Errorf("container %d is %+v", i, c)
		}
	}
	if at := objects[0].Pod.At("containers", 1, "image"); at.Line != 7 {
		t.Errorf("what a merge brings stands at %v", at)
	}
	old := objects[1].Pod.Spec
	if !*old.AutomountServiceAccountToken || *old.TerminationGracePeriodSeconds != 16 ||
		old.NodeSelector["true"] != "no" {
		t.Errorf("YAML 1.1 is not read as kubectl reads it: %+v", old)
	}
}

func TestNodeAndPath(t *testing.T) {
	p := read(t,
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  nodeSelector:\n    kubernetes.io/os: linux\n")[0].Pod
	if got := p.Path("nodeSelector", "kubernetes.io/os"); got != `spec.nodeSelector["kubernetes.io/os"]` {
		t.Errorf("the path is %s", got)
	}
	if at := p.At("nodeSelector", "other").String(); at != "m.yaml:5:3" {
		t.Errorf("a field that is not there is put at %s", at)
	}
	if at := p.MetaAt("labels").Line; at != 3 {
		t.Errorf("metadata is put at line %d", at)
	}
}

// TestBad reads the files of testdata/bad; the first lines, after "# ", are the errors, each up
// to its end.
func TestBad(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for line := range strings.Lines(string(text)) {
				w, ok := strings.CutPrefix(strings.TrimSpace(line), "# ")
				if !ok {
					break
				}
				want = append(want, "f.yaml:"+w)
			}
			err = readStrict("f.yaml", text)
			if err == nil {
				t.Fatal("no error")
			}
			if d := cmp.Diff(want, strings.Split(err.Error(), "\n")); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestBounds holds that what aliases expand to is bounded before anything of that size is made.
func TestBounds(t *testing.T) {
	var laughs strings.Builder
	laughs.WriteString("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := range 12 {
		fmt.Fprintf(&laughs, "a%d: &a%[1]d [%s*a%[3]d]\n", i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	merges := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nm: &m {" + strings.Join(numbered(2000), ", ") +
		"}\n"
	merges += "u: {<<: [" + strings.Repeat("*m, ", 600) + "]}\n"
	texts := func(name string, uses int) string { // 100 KiB each
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", annotations: {a: &a " +
			strings.Repeat("x", 100<<10) + "}}\n" +
			"spec: {containers: [{name: c, image: i, args: [" + strings.Repeat("*a, ", uses) + "]}]}\n"
	}
	for name, tc := range map[string]struct{ text, want string }{
		"laughs": {laughs.String(), "values, including those that aliases repeat"},
		"merges": {merges, "including those that << repeats"},
		"texts": {
			texts("a", 1000),
			"f.yaml:4:2668: the file has more than 64 MiB of text, including what aliases repeat: take aliases out",
		},
		"sum":   {texts("a", 400) + "---\n" + texts("b", 400), "f.yaml:9:1064: the file has more than 64 MiB of text"},
		"deep":  {"a: " + strings.Repeat("[", 300) + strings.Repeat("]", 300), "nest more than 200 deep"},
		"large": {strings.Repeat("# a comment\n", 1<<21), "more than 16 MiB"},
		"wrong": {strings.Repeat("a: 1\n---\n", 5000), "not a Kubernetes object"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := workload.Read("f.yaml", []byte(tc.text))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %.300v", err)
			}
			if n := strings.Count(err.Error(), "\n"); n > 1000 {
				t.Errorf("%d lines of errors", n)
			}
		})
	}
}

func numbered(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("k%d: v", i))
	}
	return all
}

// FuzzRead holds that any manifest is read or refused, the same each time, with positions that
// are in the file.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range append(files, "testdata/kinds.yaml") {
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		objects, err := workload.Read("f.yaml", b)
		again, err2 := workload.Read("f.yaml", b)
		if fmt.Sprint(err) != fmt.Sprint(err2) || len(objects) != len(again) {
			t.Fatalf("the second time it says\n%v\nafter\n%v", err2, err)
		}
		lines := strings.Count(string(b), "\n") + strings.Count(string(b), "\r") + 2
		in := func(p yamlfile.Pos) bool {
			return p.File == "f.yaml" && p.Line >= 1 && p.Line <= lines && p.Column >= 1
		}
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			for _, e := range joined.Unwrap() {
				if e, ok := e.(*yamlfile.Error); !ok || !in(e.Pos) || strings.Contains(e.Text, "%!") { //nolint:errorlint // Read joins errors of this type
					t.Errorf("the error %v has no place in the file", e)
				}
			}
		} else if err != nil {
			t.Errorf("an error of no place: %v", err)
		}
		for _, o := range objects {
			if !in(o.Pos()) || o.APIVersion == "" || o.Kind == "" || o.Name == "" {
				t.Errorf("incomplete: %+v", o)
			}
			o.Texts(func(s workload.Text) {
				if !in(s.Pos) || s.Path() == "" {
					t.Errorf("%q of %s has no place", s.Value, o)
				}
			})
			if o.Pod != nil && !in(o.Pod.At("containers", 0)) {
				t.Errorf("%s has no place", o)
			}
		}
		if err == nil &&
			!slices.EqualFunc(objects, again, func(a, b workload.Object) bool { return a.String() == b.String() }) {
			t.Error("the objects are others the second time")
		}
	})
}
