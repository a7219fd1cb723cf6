package forge

import (
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// tagged makes a bundle of one of the releases in which its hello has another tag besides its own,
// or in place of it, and says whether that floats. It is verified, and pushed to an empty registry.
func tagged(name, release, tag string, floating, instead bool) mechanism {
	return mechanism{name: name, make: func(f *forger) []forgery { return f.tagged(release, tag, floating, instead) }}
}

func (f *forger) tagged(release, tag string, floating, instead bool) []forgery {
	a := map[string]*archive{oldDir: f.w.old, newDir: f.w.all}[release].clone()
	hello := f.w.hello(release)
	d, m := a.descriptor(hello), a.docker(hello)
	to := hello[:strings.LastIndex(hello, ":")+1] + tag
	e := strings.ReplaceAll(d, hello, to)
	if floating {
		e = swap(e, `"annotations":{`, `"annotations":{"dev.slipway.image.floating":"true",`)
	}
	n := strings.ReplaceAll(m, hello, to)
	if !instead {
		e, n = d+","+e, m+","+n
	}
	index := swap(string(a.get("index.json").data), d, e)
	if instead {
		index = strings.ReplaceAll(index, `subject-image":"`+hello, `subject-image":"`+to)
	}
	a.set("index.json", []byte(index))
	a.set("manifest.json", []byte(swap(string(a.get("manifest.json").data), m, n)))
	all := []forgery{f.bundle("table", a.framed().bytes())}
	return append(all, f.pushed(all[0].takes[0], to, release))
}

// pushed is a forgery of which the door is push. Its consumer pulls by the tag.
func (f *forger) pushed(path, tag, release string) forgery {
	server := httptest.NewServer(registrytest.Handler())
	f.t.Cleanup(server.Close)
	host := strings.TrimPrefix(server.URL, "http://")
	p := forgery{
		form: "push",
		door: []string{"airgap", "push", "-q", "-key=" + f.w.key, path, "-to=" + host + "/mirror"},
	}
	signed := map[string]string{release: f.signedIndex(release), "latest": f.signedIndex(release)}
	p.reads = func(string) map[string]string {
		_, short, _ := strings.Cut(tag, "/")
		ref, err := name.NewTag(host+"/mirror/"+short, name.Insecure)
		if err != nil {
			return nil
		}
		got, err := remote.Head(ref)
		if err != nil || signed[ref.TagStr()] == got.Digest.String() {
			return nil
		}
		return map[string]string{"registry": fmt.Sprintf("%s is %s of %s", tag, got.Digest, release)}
	}
	return p
}

// signedIndex is the digest of hello in a release.
func (f *forger) signedIndex(release string) string {
	a := map[string]*archive{oldDir: f.w.old, newDir: f.w.all}[release]
	return between(a.descriptor(f.w.hello(release)), `"digest":"`, `"`)
}

var imageTags = []mechanism{
	tagged("old image, new version, floating", oldDir, newDir, true, false),
	tagged("old image, new version, floating, instead", oldDir, newDir, true, true),
	tagged("old image, new version", oldDir, newDir, false, false),
	tagged("old image, new version, instead", oldDir, newDir, false, true),
	tagged("old image, later version, floating", oldDir, "2.0.0", true, false),
	tagged("old image, version with v, floating", oldDir, "v1.0.2", true, false),
	tagged("old image, prerelease, floating", oldDir, "1.0.2-rc.1", true, false),
	tagged("old image, version with four parts, floating", oldDir, "1.0.2.0", true, false),
	tagged("old image, version and more, floating", oldDir, "1.0.2-windows", true, false),
	tagged("old image, major and minor, floating", oldDir, "1.0", true, false),
	tagged("old image, major, floating", oldDir, "v1", true, false),
	tagged("old image, a tag of nobody, floating", oldDir, "stable", true, false),
	tagged("old image, its own version, floating", oldDir, oldDir, true, true),
	tagged("new image, its own version, floating", newDir, newDir, true, true),
	tagged("new image, old version, floating", newDir, oldDir, true, false),
	tagged("new image, old version", newDir, oldDir, false, false),
	tagged("new image, a tag of nobody, floating", newDir, "stable", true, false),
	tagged("new image, latest, not floating", newDir, "latest", false, true),
	tagged("new image, date, floating", newDir, "20250202", true, false),
	tagged("new image, commit, floating", newDir, "sha-0123456", true, false),
	tagged("new image, tag of a signature, floating", newDir, "sha256-"+strings.Repeat("0", 64)+".sig", true, false),
	documents("latest of one image is another's", func(a *archive, i, d string) (string, string) {
		return exchanged(i, a, a.w.hello("latest"), a.w.other(newDir)), d
	}),
	documents("a tag of others floats", func(a *archive, i, d string) (string, string) {
		pause := a.descriptor(a.w.host + "/third/pause:1")
		e := strings.ReplaceAll(pause, "/pause:1", "/pause:2")
		return swap(i, pause,
			pause+","+swap(e, `"annotations":{`, `"annotations":{"dev.slipway.image.floating":"true",`)), d
	}),
	documents("a floating tag in another repository", func(a *archive, i, d string) (string, string) {
		e := a.descriptor(a.w.hello("latest"))
		return swap(i, e, strings.ReplaceAll(e, "/hello/hello:", "/hello/other2:")), d
	}),
	documents("a floating tag in the repository of another", func(a *archive, i, d string) (string, string) {
		e := a.descriptor(a.w.hello("latest"))
		return swap(i, e, strings.ReplaceAll(e, "/hello/hello:latest", "/hello/other:stable")), d
	}),
}
