package lock_test

import (
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
)

// TestMentions finds references in texts of manifests, and none in texts that only resemble
// one.
func TestMentions(t *testing.T) {
	hex := func(c string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(c, 64)} }
	images := (&lock.Lock{
		Images: []lock.Image{{Name: "app", Repository: "ghcr.io/me/app", Tags: []string{"1"}, Digest: hex("a")}},
		ThirdParty: []lock.ThirdParty{
			{Reference: "registry.k8s.io/pause:3.10", Digest: hex("b")},
			{Reference: "busybox:1.36", Digest: hex("c")},
		},
	}).Catalog()
	shell := "cgr.dev/chainguard/busybox@sha256:" + strings.Repeat("1", 64)
	win := "mcr.microsoft.com/powershell:nanoserver@sha256:" + strings.Repeat("2", 64)
	for _, tt := range []struct {
		called, text string
		want         []string
	}{
		// Names for ko, anywhere.
		{
			"-entrypoint-image", "ko://github.com/tektoncd/pipeline/cmd/entrypoint",
			[]string{"ko://github.com/tektoncd/pipeline/cmd/entrypoint"},
		},
		{"args", "-nop=ko://example.com/nop", []string{"ko://example.com/nop"}},
		{"_example", "# as in ko://example.com/nop.", []string{"ko://example.com/nop"}},
		{"notes", "names that start with ko:// are resolved", nil},
		{"notes", "tapioko://example.com/nop", nil},

		// Digests, anywhere.
		{"-shell-image", shell, []string{shell}},
		{"args", "--win=" + win, []string{win}},
		{"description", "as tested with " + shell + ", of April.", []string{shell}},
		{"config.json", `{"a": "` + shell + `", "b": ["` + win + `"]}`, []string{shell, win}},
		{"policy", "docker://" + shell, []string{shell}},
		{"config.yaml", "a:\n# b: " + shell + "\n", nil},
		{"_example", "b: " + shell, nil},

		// Images of the lock, anywhere.
		{"script", "crane copy ghcr.io/me/app dir", []string{"ghcr.io/me/app"}},
		{
			"script", "crane copy registry.k8s.io/pause:3.9 dir; nerdctl run busybox:1.35 sh",
			[]string{"registry.k8s.io/pause:3.9", "busybox:1.35"},
		},
		{"script", "see registry.k8s.io/pause, or run busybox", nil},

		// The only word of a value, with a host.
		{"args", "--default=quay.io/a/b:v1", []string{"quay.io/a/b:v1"}},
		{"DEFAULT", "localhost:5000/a:v1", []string{"localhost:5000/a:v1"}},
		{"config.yaml", "defaults:\n  runner: quay.io/a/b:v1\n", []string{"quay.io/a/b:v1"}},
		{"description", "it was quay.io/a/b:v1 before", nil},
		{"tag", "quay.io/a/b:v1", nil}, // where kpack pushes to

		// Values that are called an image.
		{"SHELL_IMAGE", "alpine:3.20", []string{"alpine:3.20"}},
		{"-shell-image-win", "a/b:c", []string{"a/b:c"}},
		{"args", "--base-image=alpine:3.20", []string{"alpine:3.20"}},
		{"args", "--images=alpine:3.20,debian:12", []string{"alpine:3.20", "debian:12"}},
		{"config.json", `{"initImage":"alpine:3.20","n":1}`, []string{"alpine:3.20"}},
		{"images.yaml", "- name: a\n  image: alpine:3.20 # the smallest\n", []string{"alpine:3.20"}},
		{"image", "alpine", nil},
		{"imagePullPolicy", "IfNotPresent", nil},
		{"description", "the image alpine:3.20 is used", nil},

		// Not references: addresses, import paths, versions, files, names of Kubernetes.
		{"url", "https://ghcr.io/me/app:1", nil},
		{"args", "--endpoint=unix:///csi/csi.sock", nil},
		{"args", "--listen=0.0.0.0:8080", nil},
		{"args", "--server=kubernetes.default.svc:443", nil},
		{"args", "--url=example.com/path:8080", nil},
		{"args", "--module=github.com/me/app@v1.2.3", nil},
		{"args", "--commit=github.com/me/app@0123456789abcdef0123456789abcdef01234567", nil},
		{"args", "--v=2", nil},
		{"command", "/ko-app/controller:1", nil},
		{"path", `C:\k\a:b`, nil},
		{"user", "system:serviceaccount:a:b", nil},
		{"apiVersion", "apps/v1", nil},
		{"label", "app.kubernetes.io/name:true", nil},
		{"time", "10:30", nil},
		{"image-gc", "--image-gc-high-threshold=85", nil},
		{"variable", "$(REGISTRY)/a:1", nil},
		{"sum", "sha256:" + strings.Repeat("1", 64), nil},
	} {
		if got := images.Mentions(tt.called, tt.text); !slices.Equal(got, tt.want) {
			t.Errorf("%s %q: got %q, want %q", tt.called, tt.text, got, tt.want)
		}
	}
}

// FuzzMentions checks that every reference found in a text is a part of the text.
func FuzzMentions(f *testing.F) {
	for _, s := range []string{
		"--shell-image=alpine:3.20,debian:12", "- image: ko://a/b # c",
		"see docker://a.b/c:1@sha256:" + strings.Repeat("1", 64) + ".", "{\"image\":\"a:b\"}", "\x00:@/", ":-:#:",
	} {
		f.Add("image", s)
	}
	images := (&lock.Lock{ThirdParty: []lock.ThirdParty{{Reference: "busybox:1.36"}}}).Catalog()
	f.Fuzz(func(t *testing.T, called, text string) {
		for _, ref := range images.Mentions(called, text) {
			if ref == "" || !strings.Contains(text, ref) {
				t.Errorf("%q is found in %q", ref, text)
			}
			images.Resolve(ref)
		}
		for _, ref := range lock.KoNames(text) {
			if _, fault, _ := images.Resolve(ref); fault != lock.KoName {
				t.Errorf("%q of %q is no name of ko", ref, text)
			}
		}
	})
}
