package lint_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
)

// podOnWindows is a pod of an image, with more of a selector.
func podOnWindows(image, selector string) string {
	return strings.Replace(windowsPod("containers:\n- {name: main, image: '"+
		image+"', resources: {requests: {cpu: 1, memory: 1Gi}}}"), "os: windows", "os: windows"+selector, 1)
}

// TestImages holds images against the lock and, where that does not know them, against a registry.
func TestImages(t *testing.T) {
	remote := "registry.example/other@" + digest(20)
	asked := 0
	ask := func(_ context.Context, refs []name.Reference) (map[string]lint.Remote, error) {
		asked += len(refs)
		return map[string]lint.Remote{remote: {Digest: digest(20), Platforms: []platform.Platform{
			{OS: "linux", Architecture: "amd64"},
			{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1"},
		}}}, nil
	}
	linux := func(image, selector string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  nodeSelector: {kubernetes.io/os: linux" +
			selector + "}\n  containers:\n  - {name: main, image: '" + image + "'}\n"
	}
	windows := podOnWindows
	for _, tt := range []struct {
		name, manifest, rule, what string
		remote                     bool
	}{
		{name: "every platform", manifest: windows(app, "")},
		{name: "on Linux", manifest: linux(app, "")},
		{
			name:     "a child by its own digest",
			manifest: linux("slipway.local/demo/app@"+digest(101), ", kubernetes.io/arch: amd64"),
		},
		{
			name: "a child of another system", manifest: windows("slipway.local/demo/app@"+digest(101), ""),
			rule: "image-os", what: "the pod runs on windows, and the image is made for linux/amd64",
		},
		{
			name: "a tag", manifest: linux("slipway.local/demo/app:1.2.3", ""), rule: "image-unpinned",
			what: "slipway.local/demo/app:1.2.3 is not pinned by digest: write " + app,
		},
		{
			name: "a tag of an unknown image", manifest: linux("nginx", ""), rule: "image-unpinned",
			what: "nginx is not pinned by digest",
		},
		{name: "a tag beside the digest", manifest: linux(strings.Replace(app, "@", ":1.2.3@", 1), "")},
		{
			name: "a tag beside another digest", manifest: linux("slipway.local/demo/app:1.2.3@"+digest(99), ""),
			rule: "image-digest", what: "has another digest than the lock: write " + app,
		},
		{
			name: "another digest", manifest: linux("slipway.local/demo/app@"+digest(99), ""), rule: "image-digest",
			what: "has another digest than the lock: write " + app,
		},
		{
			name: "an architecture that is missing", manifest: linux(tool, ""), rule: "image-architecture",
			what: "may run on nodes with linux/arm64, and the image is made for linux/amd64",
		},
		{
			name: "an architecture that nobody has", manifest: linux(app, ", kubernetes.io/arch: s390x"),
			rule: "image-architecture", what: "the image has no platform for the nodes that the pod selects",
		},
		{name: "an architecture by the label's old name", manifest: linux(tool, ", beta.kubernetes.io/arch: amd64")},
		{
			name:     "an architecture that nobody has, by the label's old name",
			manifest: linux(app, ", beta.kubernetes.io/arch: s390x"), rule: "image-architecture",
			what: "the image has no platform for the nodes that the pod selects",
		},
		{
			name: "builds that are missing", manifest: windows(agent, ""), rule: "image-windows-build",
			what: "no manifest of the image runs on nodes with windows/amd64:10.0.17763.6893: " +
				"it is made for windows/amd64:10.0.20348.3207",
		},
		{
			name:     "a build that is not selected",
			manifest: windows(agent, ", node.kubernetes.io/windows-build: 10.0.26100"),
		},
		{name: "third-party", manifest: windows("registry.k8s.io/pause@"+digest(9), "")},
		{name: "third-party that a snapshot left out", manifest: windows("quay.io/offline/tool@"+digest(11), "")},
		{
			name: "not in the lock", manifest: windows(remote, ""), rule: "image-unknown",
			what: "neither the product nor images.txt has the image " + remote + "",
		},
		{
			name: "not in the lock, but in its registry", manifest: linux(remote, ", kubernetes.io/arch: amd64"),
			remote: true,
		},
		{
			name: "without a build, in its registry", manifest: windows(remote, ""),
			remote: true, rule: "image-windows-build", what: "windows/amd64:10.0.17763.6893",
		},
		{
			name: "twice in one pod", manifest: linux(remote, ", kubernetes.io/arch: amd64") +
				"  - {name: second, image: '" + remote + "'}\n", remote: true,
		},
		{
			name: "nowhere", manifest: linux("registry.example/other@"+digest(21), ""), remote: true, rule: "image-digest",
			what: "the registry does not have registry.example/other@",
		},
		{name: "no reference", manifest: linux("", ""), rule: "image-reference", what: "the image is empty"},
		{
			name: "a volume",
			manifest: windowsPod("containers: [" +
				main("") + "]\nvolumes: [{name: v, image: {reference: 'slipway.local/demo/tool@" + digest(98) + "'}}]"),
			rule: "image-digest", what: "has another digest than the lock",
		},
		{
			name: "a volume of another system",
			manifest: windowsPod("containers: [" + main("") + "]\nvolumes: [{name: v, image: {reference: '" +
				tool + "'}}]"),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := lint.Options{Lock: readLock(t)}
			if tt.remote {
				o.Remote = ask
			}
			r, err := lint.Check(t.Context(), []lint.File{{Name: "m.yaml", Text: []byte(tt.manifest)}}, o)
			if err != nil {
				t.Fatal(err)
			}
			r.Findings = slices.DeleteFunc(r.Findings, func(f lint.Finding) bool { return f.Rule == "windows-image-volume" })
			switch {
			case tt.rule == "" && len(r.Findings) > 0:
				t.Errorf("found %v", r.Findings)
			case tt.rule != "" && (len(r.Findings) != 1 || r.Findings[0].Rule != tt.rule ||
				!strings.Contains(r.Findings[0].What, tt.what)):
				t.Errorf("found %v, want %s: %s", r.Findings, tt.rule, tt.what)
			}
		})
	}
	if asked != 4 {
		t.Errorf("%d images were asked for, want the 4 that the lock does not have", asked)
	}
}

// TestTaggedRemote asks for an image that a pod names by its tag, and judges it as one that is
// pinned.
func TestTaggedRemote(t *testing.T) {
	for _, tc := range []struct {
		image string
		rules []string
	}{
		{"registry.example/windows:1", []string{"image-unpinned", "image-os"}},
		{"registry.example/linux:1", []string{"image-unpinned"}},
		{"registry.example/absent:1", []string{"image-digest"}},
	} {
		o := lint.Options{Remote: func(_ context.Context, refs []name.Reference) (map[string]lint.Remote, error) {
			return map[string]lint.Remote{
				"registry.example/windows:1": {digest(1), []platform.Platform{{OS: "windows", Architecture: "amd64"}}},
				"registry.example/linux:1":   {digest(2), []platform.Platform{{OS: "linux", Architecture: "amd64"}}},
			}, nil
		}}
		r, err := lint.Check(t.Context(), []lint.File{{Name: "m.yaml", Text: []byte("apiVersion: v1\nkind: Pod\n" +
			"metadata: {name: a}\nspec:\n  nodeSelector: {kubernetes.io/os: linux, kubernetes.io/arch: amd64}\n" +
			"  containers:\n  - {name: main, image: '" + tc.image + "'}\n")}}, o)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(tc.rules)
		got := ids(r.Findings)
		if slices.Sort(got); !slices.Equal(got, tc.rules) {
			t.Errorf("%s: %v, want %v", tc.image, got, tc.rules)
		}
	}
}

// TestWithoutLock says that images are not looked at, and looks at all the rest.
func TestWithoutLock(t *testing.T) {
	files := []lint.File{{
		Name: "m.yaml",
		Text: []byte(windowsPod("hostPID: true\ncontainers: [" + strings.Replace(main(""), app, "nginx", 1) + "]")),
	}}
	r, err := lint.Check(t.Context(), files, lint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "1 error in 1 pod of m.yaml; the images were not checked: the lock is missing"; r.Summary() != want {
		t.Errorf("got %q, want %q", r.Summary(), want)
	}
	fail := func(context.Context, []name.Reference) (map[string]lint.Remote, error) {
		return nil, errors.New("no network")
	}
	files[0].Text = []byte(strings.Replace(string(files[0].Text), "nginx", app, 1))
	if _, err := lint.Check(t.Context(), files, lint.Options{Remote: fail}); err == nil || err.Error() != "no network" {
		t.Errorf("a registry out of reach: %v", err)
	}
}
