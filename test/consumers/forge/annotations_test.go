package forge

import (
	"fmt"
	"strings"
)

// annotated changes or adds an annotation of index.json that verify and inspect report.
func annotated(name, key, value string) mechanism {
	return mechanism{name: name, make: func(f *forger) []forgery {
		a := f.w.all.clone()
		text := string(a.get("index.json").data)
		if at := strings.LastIndex(text, `"annotations":{`); strings.Contains(text[at:], `"`+key+`":"`) {
			old := between(text[at:], `"`+key+`":"`, `"`)
			text = text[:at] + strings.Replace(text[at:], `"`+key+`":"`+old+`"`, fmt.Sprintf("%q:%q", key, value), 1)
		} else {
			text = text[:at] + strings.Replace(text[at:], `{`, fmt.Sprintf("{%q:%q,", key, value), 1)
		}
		a.set("index.json", []byte(text))
		all := []forgery{f.bundle("table", a.framed().bytes()), f.bundle("plain", compress(a.raw()))}
		for n := range all {
			path := all[n].takes[0]
			all[n].reads = func(said string) map[string]string { return f.tells(said, path) }
		}
		return all
	}}
}

// tells reports a fact that inspect states of a bundle, without a word that it is not signed, and
// that it does not state of the release.
func (f *forger) tells(said, path string) map[string]string {
	genuine, err := f.w.command(f.t, "airgap", "inspect", "-json", f.w.path(newDir, bundle))
	if err != nil {
		f.t.Error(err)
	}
	forged, err := f.w.command(f.t, "airgap", "inspect", "-json", path)
	if err != nil || forged == genuine || strings.Contains(said, "not signed") {
		return nil
	}
	return map[string]string{"airgap inspect": "tells what is not signed"}
}

// described changes the descriptor of hello in index.json.
func described(name string, change func(a *archive, d string) string) mechanism {
	return documents(name, func(a *archive, i, m string) (string, string) {
		d := a.descriptor(a.w.hello(newDir))
		return swap(i, d, change(a, d)), m
	})
}

func added(name, key, value string) mechanism {
	return described(name, func(a *archive, d string) string { return member(d, key, value, false) })
}

const slipway = "dev.slipway."

var annotations = []mechanism{
	annotated("another product", slipway+"bundle.product", "evil"),
	annotated("another version", slipway+"bundle.version", oldDir),
	annotated("a later version", slipway+"bundle.version", "9.9.9"),
	annotated("another time", "org.opencontainers.image.created", "2035-01-01T00:00:00Z"),
	annotated("a platform", slipway+"bundle.platform", "linux/amd64"),
	annotated("a snapshot", slipway+"bundle.snapshot", "true"),
	annotated("stub bases", slipway+"bundle.stub-bases", "true"),
	annotated("a volume", slipway+"bundle.volume", "1/3"),
	annotated("fewer metadata", slipway+"bundle.metadata-blobs", "3"),
	annotated("an annotation of others", "org.opencontainers.image.vendor", "evil"),
	annotated("a format that is not", slipway+"bundle.format", "01"),
	annotated("a delta", slipway+"bundle.delta", `{}`),
	described("floating", func(_ *archive, d string) string {
		return swap(d, `"annotations":{`, `"annotations":{"dev.slipway.image.floating":"true",`)
	}),
	described("listed", func(_ *archive, d string) string {
		return swap(d, `"annotations":{`, `"annotations":{"dev.slipway.image.listed":"evil.example/x:1",`)
	}),
	described("fallback", func(_ *archive, d string) string {
		return swap(d, `"annotations":{`, `"annotations":{"dev.slipway.image.fallback":"windows/amd64:10.0.20348",`)
	}),
	described("manifest-only", func(a *archive, d string) string {
		child := between(a.child("linux"), `"digest":"`, `"`)
		return swap(d, `"annotations":{`, `"annotations":{"dev.slipway.image.manifest-only":"`+child+`",`)
	}),
	described("a chart", func(a *archive, d string) string {
		return swap(d, `"annotations":{`, `"annotations":{"dev.slipway.image.chart":"`+a.w.evilName()+`",`)
	}),
	described("an index that is called a manifest", func(_ *archive, d string) string {
		return swap(d, "image.index.v1", "image.manifest.v1")
	}),
	described("an index of OCI that is called one of Docker", func(_ *archive, d string) string {
		return swap(d, "application/vnd.oci.image.index.v1+json",
			"application/vnd.docker.distribution.manifest.list.v2+json")
	}),
	described("no media type", func(_ *archive, d string) string {
		return swap(d, `"mediaType":"application/vnd.oci.image.index.v1+json",`, "")
	}),
	described("a size that lies", func(_ *archive, d string) string { return swap(d, `"size":728`, `"size":727`) }),
	described("a size of nothing", func(_ *archive, d string) string { return swap(d, `"size":728`, `"size":0`) }),
	added("artifact type of an image", "artifactType", `"application/vnd.cncf.helm.config.v1+json"`),
	added("embedded data", "data", `"ZXZpbA=="`),
	added("addresses", "urls", `["https://evil.example/x"]`),
	documents("a subject of index.json", func(a *archive, i, m string) (string, string) {
		return a.key(i, `"subject"`, a.w.evil.descriptor(a.w.evilName()), false), m
	}),
	documents("an artifact type of index.json", func(a *archive, i, m string) (string, string) {
		return a.key(i, `"artifactType"`, `"application/x"`, false), m
	}),
	documents("another media type of index.json", func(a *archive, i, m string) (string, string) {
		return swap(i, `"mediaType":"application/vnd.oci.image.index.v1+json"`,
			`"mediaType":"application/vnd.oci.image.manifest.v1+json"`), m
	}),
	documents("layers and configuration of index.json", func(a *archive, i, m string) (string, string) {
		return a.key(i, `"config"`,
			`{"mediaType":"application/vnd.oci.image.config.v1+json","size":2,"digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"},"layers":[]`, false), m
	}),
	documents("another schema", func(a *archive, i, m string) (string, string) {
		return swap(i, `"schemaVersion":2`, `"schemaVersion":1`), m
	}),
	documents("a parent in manifest.json", func(a *archive, i, m string) (string, string) {
		return i, swap(m, `"Config"`, `"Parent":"sha256:`+a.w.evil.config+`","Config"`)
	}),
	documents("a layer that is not distributed", func(a *archive, i, m string) (string, string) {
		d := a.docker(a.w.hello(newDir))
		return i, swap(m, d, swap(d, "application/vnd.oci.image.layer.v1.tar+gzip",
			"application/vnd.docker.image.rootfs.foreign.diff.tar.gzip"))
	}),
	documents("a layer of another size", func(a *archive, i, m string) (string, string) {
		d := a.docker(a.w.hello(newDir))
		return i, swap(m, d, swap(d, `"size":`, `"size":9`))
	}),
	documents("a subject of a referrer that is another", func(a *archive, i, m string) (string, string) {
		h, o := a.descriptor(a.w.hello(newDir)), a.descriptor(a.w.other(newDir))
		one, two := between(h, `"digest":"`, `"`), between(o, `"digest":"`, `"`)
		return swap(i, `subject-digest":"`+one, `subject-digest":"`+two), m
	}),
	documents("a tag of a referrer that is another", func(a *archive, i, m string) (string, string) {
		return swap(i, `"dev.slipway.referrer.tag":"sha256-`, `"dev.slipway.referrer.tag":"v1-`), m
	}),
	documents("an artifact type of a referrer that is another", func(a *archive, i, m string) (string, string) {
		return swap(i, `"dev.slipway.referrer.artifact-type":"application/vnd.dev.sigstore.bundle.v0.3+json"`,
			`"dev.slipway.referrer.artifact-type":"evil"`), m
	}),
	{name: "keys of oci-layout", tar: func(a *archive) {
		a.set("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0","evil":true}`))
	}},
	{name: "oci-layout twice in one", tar: func(a *archive) {
		a.set("oci-layout", []byte(`{"imageLayoutVersion":"9.9.9","imageLayoutVersion":"1.0.0"}`))
	}},
	{name: "oci-layout of another version", tar: func(a *archive) {
		a.set("oci-layout", []byte(`{"imageLayoutVersion":"1.1.0"}`))
	}},
}

// omitted says that an image was left out.
func init() {
	annotations = append(annotations, annotated("an omission", slipway+"bundle.omitted",
		`[{"reference":"evil.example/x:1","reason":"other system"}]`))
}
