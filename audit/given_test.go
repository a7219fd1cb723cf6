package audit_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
)

// push pushes an index and returns its reference.
func push(t *testing.T, repo name.Repository, tag string, entries ...string) string {
	t.Helper()
	must(t, remote.WriteIndex(repo.Tag(tag), indextest.Index(t, entries...)))
	return repo.Tag(tag).String()
}

// write writes files below a new directory, which it returns.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		path = filepath.Join(dir, path)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// lines returns findings as lines: place, image, what.
func lines(r *lint.Report, dir string) (all []string) {
	for _, f := range r.Findings {
		line := fmt.Sprintf("%s:%d %s [%s]", f.File, f.Line, f.Object, f.Rule)
		if f.Cases != "" {
			line += " case " + f.Cases
		}
		all = append(all, strings.ReplaceAll(line, dir+"/", ""))
	}
	for _, u := range r.Unread {
		all = append(all, strings.ReplaceAll(fmt.Sprintf("%s:%d %s unread", u.File, u.Line, u.Object), dir+"/", ""))
	}
	return all
}

const deployment = `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: NAME}
spec:
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec:
      nodeSelector: {kubernetes.io/os: OS}
      containers:
      - name: c
        image: IMAGE
        args: [--helper-image=HELPER]
`

func daemonSet(name, os, image, helper string) string {
	return strings.NewReplacer("NAME", name, "OS", os, "IMAGE", image, "HELPER", helper).Replace(deployment)
}

// TestManifest: every image that a manifest names is judged, where it is named, and pods on nodes
// that their image is not for are findings.
func TestManifest(t *testing.T) {
	r := registrytest.Serve(t)
	linux := push(t, r.Repo(t, "linux"), "1", "linux/amd64", "linux/arm64")
	broken := push(t, r.Repo(t, "broken"), "1", "linux/amd64", w2019+" as windows/amd64")
	absent := r.Repo(t, "absent").Tag("1").String()
	dir := write(t, map[string]string{
		"app.yaml": daemonSet("l", "linux", linux, broken) + "---\n" + daemonSet("w", "windows", linux, absent),
	})
	got := lines(report(t, reader(), lint.IndexOptions{Now: now}, filepath.Join(dir, "app.yaml")), dir)
	want := []string{
		"app.yaml:13 windows/amd64 [index-os-version]",
		"app.yaml:26 DaemonSet w [image-os]",
		"app.yaml:27  [index-missing]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// nodes decide on builds
	two := push(t, r.Repo(t, "two"), "1", w2022, w2019)
	dir = write(t, map[string]string{"app.yaml": daemonSet("w", "windows", two, linux)})
	reading := reader()
	reading.Hosts = []lint.Host{
		{Name: "a", Platform: node(t, "windows/amd64:10.0.14393.1")}, {Name: "b", Platform: node(t, "linux/amd64")},
	}
	o := lint.IndexOptions{Now: now, Hosts: reading.Hosts}
	got = lines(report(t, reading, o, filepath.Join(dir, "app.yaml")), dir)
	want = []string{"app.yaml:12  [index-node]", "app.yaml:12  [index-windows-release]", "app.yaml:12 DaemonSet w [image-windows-build]"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestBefore: a platform that the version before has.
func TestBefore(t *testing.T) {
	r := registrytest.Serve(t)
	repo := r.Repo(t, "app")
	push(t, repo, "v1.9.0", "linux/amd64", "linux/arm64", w2019)
	push(t, repo, "v1.10.0", "linux/amd64", "linux/arm64")
	push(t, repo, "v1.11.0-rc.1", "linux/s390x")
	push(t, repo, "1.10.5", "linux/s390x")
	now := push(t, repo, "v1.11.0", "linux/amd64")
	other := repo.Tag("v1.9.0").String()
	for before, want := range map[string]string{
		"": "linux/arm64", audit.NoBefore: "", other: "linux/arm64, windows/amd64:10.0.17763.6893",
	} {
		reading := reader()
		reading.Before = before
		got := ""
		for _, f := range report(t, reading, lint.IndexOptions{}, now).Findings {
			got += f.Rule + ": " + f.What
		}
		if want != "" {
			at := repo.Tag("v1.10.0").String()
			if before != "" {
				at = before
			}
			want = "index-platform-lost: " + at + " has an entry for " + want + ", and this image does not"
		}
		if got != want {
			t.Errorf("before %q: %q, not %q", before, got, want)
		}
	}
	reading := reader()
	reading.Before = repo.Tag("v0").String()
	if _, _, err := reading.Read(t.Context(), now); err == nil || !strings.Contains(err.Error(), "v0") {
		t.Errorf("a version before that is not there: %v", err)
	}
}

// TestWanted: platforms and nodes that an image must be for.
func TestWanted(t *testing.T) {
	r := registrytest.Serve(t)
	ref := push(t, r.Repo(t, "app"), "1", "linux/amd64", "linux/arm/v7", w2025, w2022)
	for _, tc := range []struct{ platform, node, older, want string }{
		{platform: "linux/amd64"},
		{platform: "windows/amd64:ltsc2025"},
		{platform: "linux/arm64", want: "error index-platform-absent"},
		{platform: "windows/amd64:ltsc2019", want: "error index-platform-absent"},
		{node: "linux/amd64"},
		{node: "linux/arm"},
		{node: "windows/amd64:10.0.26100.1"},
		{node: "windows/amd64:10.0.26100.1", older: "the node has no update", want: "note index-node-revision"},
		{node: "linux/s390x", want: "error index-node"},
		{node: "windows/amd64:10.0.17763.1", want: "error index-node"},
	} {
		o := lint.IndexOptions{}
		if tc.platform != "" {
			o.Platforms = []platform.Platform{node(t, tc.platform)}
		}
		if tc.node != "" {
			o.Hosts = []lint.Host{{Name: "n", Platform: node(t, tc.node)}}
		}
		if tc.older != "" {
			o.Older = func([]platform.Platform) []string { return []string{tc.older} }
		}
		got := slices.DeleteFunc(judged(t, reader(), o, ref), func(f string) bool { return f == "note index-windows-release" })
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("%s%s: %q, not %q", tc.platform, tc.node, got, tc.want)
		}
	}
}

// TestAllow: findings that a file allows, and what is wrong with the file.
func TestAllow(t *testing.T) {
	r := registrytest.Serve(t)
	ref := push(t, r.Repo(t, "app"), "1", "linux/amd64", "linux/amd64", "attestation")
	repo := r.Repo(t, "app").String()
	for text, want := range map[string][]string{
		"allow: []\n": {"warning manifests[1] index-duplicate", "note manifests[2] index-attestation"},
		"allow:\n- {rule: index-duplicate, reason: meant}\n":                      {"note manifests[2] index-attestation"},
		"allow:\n- {rule: index-duplicate, image: " + repo + ", reason: meant}\n": {"note manifests[2] index-attestation"},
		"allow:\n- {rule: index-duplicate, image: " + ref + ", reason: meant}\n":  {"note manifests[2] index-attestation"},
		"allow:\n- {rule: index-duplicate, entry: linux/amd64, reason: meant}\n":  {"note manifests[2] index-attestation"},
		"allow:\n- {rule: index-duplicate, image: other, reason: meant}\n":        {"warning manifests[1] index-duplicate", "note manifests[2] index-attestation", "warning allow-unused"},
		"allow:\n- {rule: index-nothing, reason: meant}\n":                        {"warning manifests[1] index-duplicate", "note manifests[2] index-attestation", "error allow-unknown"},
		"allow:\n- {rule: index-duplicate, entry: linux/arm64, reason: meant}\n":  {"warning manifests[1] index-duplicate", "note manifests[2] index-attestation", "warning allow-unused"},
	} {
		file := filepath.Join(write(t, map[string]string{"allow.yaml": text}), "allow.yaml")
		list, err := lint.ReadIndexAllow(file)
		must(t, err)
		if diff := cmp.Diff(want, judged(t, reader(), lint.IndexOptions{Allow: list}, ref)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	file := filepath.Join(write(t, map[string]string{"allow.yaml": "allow:\n- rule: index-duplicate\n"}), "allow.yaml")
	if _, err := lint.ReadIndexAllow(file); err == nil || !strings.Contains(err.Error(), "allow.yaml:2:3: ") {
		t.Errorf("without a reason: %v", err)
	}
}

func node(t *testing.T, text string) platform.Platform {
	t.Helper()
	p, err := platform.Parse(text)
	must(t, err)
	return p
}
