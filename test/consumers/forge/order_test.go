package forge

import (
	"fmt"
	"slices"
	"strings"
)

// ordered changes the order of members.
func ordered(name string, change func(a *archive)) mechanism {
	return mechanism{name: name, tar: change}
}

// extra puts a descriptor before or behind that of hello, under its name.
func extra(name string, before bool, other func(a *archive, d string) string) mechanism {
	return documents(name, func(a *archive, i, m string) (string, string) {
		d := a.descriptor(a.w.hello(newDir))
		if before {
			return swap(i, d, other(a, d)+","+d), m
		}
		return swap(i, d, d+","+other(a, d)), m
	})
}

// child is the descriptor of a manifest of hello by its system, under hello's name.
func (a *archive) child(os string) string {
	digest := between(a.descriptor(a.w.hello(newDir)), `"digest":"sha256:`, `"`)
	d := element(a.get("blobs/sha256/"+digest).data, "manifests", `"os":"`+os+`"`)
	n := a.w.hello(newDir)
	return strings.TrimSuffix(d, "}") + fmt.Sprintf(`,"annotations":{%q:%q,%q:%q}}`, imageName, n, refName, n)
}

func platformOf(p string) func(a *archive, d string) string {
	return func(_ *archive, d string) string { return member(d, "platform", p, false) }
}

func withPlatform(name, p string) mechanism {
	return documents(name, func(a *archive, i, m string) (string, string) {
		d := a.descriptor(a.w.hello(newDir))
		return swap(i, d, platformOf(p)(a, d)), m
	})
}

const linuxPlatform = `{"architecture":"amd64","os":"linux"}`

var orders = []mechanism{
	ordered("index.json at the end", func(a *archive) {
		e := *a.get("index.json")
		a.entries = append(slices.Delete(a.entries, 2, 3), e)
		a.head--
	}),
	ordered("manifest.json at the end", func(a *archive) {
		e := *a.get("manifest.json")
		a.entries = append(slices.Delete(a.entries, 0, 1), e)
		a.head--
	}),
	ordered("index.json first", func(a *archive) { a.entries[0], a.entries[2] = a.entries[2], a.entries[0] }),
	ordered("layers first", func(a *archive) {
		a.entries = slices.Concat(a.entries[a.head:], a.entries[:a.head])
		a.head = 0
	}),
	ordered("blobs in reverse", func(a *archive) { slices.Reverse(a.entries[3:]) }),
	ordered("metadata in reverse", func(a *archive) { slices.Reverse(a.entries[3:a.head]) }),
	ordered("layers in reverse", func(a *archive) { slices.Reverse(a.entries[a.head:]) }),
	ordered("a layer among the metadata", func(a *archive) {
		e := a.entries[a.head]
		a.entries = slices.Insert(slices.Delete(a.entries, a.head, a.head+1), 3, e)
	}),
	ordered("no layers", func(a *archive) { a.entries = a.entries[:a.head] }),
	ordered("one layer less", func(a *archive) { a.entries = slices.Delete(a.entries, a.head+1, a.head+2) }),
	documents("images in reverse in index.json", func(a *archive, i, d string) (string, string) {
		one, two := a.descriptor(a.w.hello(newDir)), a.descriptor(a.w.other(newDir))
		return swap(swap(swap(i, one, "{}"), two, one), "{}", two), d
	}),
	documents("images in reverse in manifest.json", func(a *archive, i, d string) (string, string) {
		one, two := a.docker(a.w.hello(newDir)), a.docker(a.w.other(newDir))
		return i, swap(swap(swap(d, one, "{}"), two, one), "{}", two)
	}),
	documents("images behind referrers", func(a *archive, i, d string) (string, string) {
		one := a.descriptor(a.w.hello(newDir))
		return swap(swap(i, one+",", ""), `],"annotations"`, ","+one+`],"annotations"`), d
	}),
	extra("one descriptor twice", false, func(_ *archive, d string) string { return d }),
	extra("the manifest of Linux under the same name, later", false, func(a *archive, _ string) string {
		return a.child("linux")
	}),
	extra("the manifest of Linux under the same name, earlier", true, func(a *archive, _ string) string {
		return a.child("linux")
	}),
	extra("the manifest of Windows under the same name, later", false, func(a *archive, _ string) string {
		return a.child("windows")
	}),
	extra("the manifest of Windows under the same name, earlier", true, func(a *archive, _ string) string {
		return a.child("windows")
	}),
	extra("the manifest of Windows as that of Linux", false, func(a *archive, _ string) string {
		d := a.child("windows")
		return strings.Replace(d, `"os":"windows"`, `"os":"linux"`, 1)
	}),
	extra("another image under the same name for Linux", false, func(a *archive, _ string) string {
		return member(strings.ReplaceAll(a.descriptor(a.w.other(newDir)), a.w.other(newDir), a.w.hello(newDir)),
			"platform", linuxPlatform, false)
	}),
	extra("another image under the same name for another system", true, func(a *archive, _ string) string {
		return member(strings.ReplaceAll(a.descriptor(a.w.other(newDir)), a.w.other(newDir), a.w.hello(newDir)),
			"platform", `{"architecture":"s390x","os":"linux"}`, false)
	}),
	documents("the manifest of Windows in place of the index", func(a *archive, i, d string) (string, string) {
		return swap(i, a.descriptor(a.w.hello(newDir)), a.child("windows")), d
	}),
	documents("the manifest of Linux in place of the index", func(a *archive, i, d string) (string, string) {
		return swap(i, a.descriptor(a.w.hello(newDir)), a.child("linux")), d
	}),
	documents("the configuration of Windows in manifest.json", func(a *archive, i, d string) (string, string) {
		var m struct{ Config struct{ Digest string } }
		digest := between(a.child("windows"), `"digest":"sha256:`, `"`)
		parse(a.get("blobs/sha256/"+digest).data, &m)
		config, _ := a.configs()
		return i, swap(d, config, "blobs/sha256/"+strings.TrimPrefix(m.Config.Digest, "sha256:"))
	}),
	documents("layers of another image in manifest.json", func(a *archive, i, d string) (string, string) {
		_, layer := a.configs()
		other := between(a.docker(a.w.other(newDir)), `"Layers":["`, `"`)
		return i, swap(d, fmt.Sprintf(`"Layers":[%q`, layer), fmt.Sprintf(`"Layers":[%q`, other))
	}),
	documents("layers twice in manifest.json", func(a *archive, i, d string) (string, string) {
		_, layer := a.configs()
		return i, swap(d, fmt.Sprintf(`"Layers":[%q`, layer), fmt.Sprintf(`"Layers":[%q,%q`, layer, layer))
	}),
	documents("LayerSources of another image", func(a *archive, i, d string) (string, string) {
		h, o := a.docker(a.w.hello(newDir)), a.docker(a.w.other(newDir))
		return i, swap(d, h, swap(h, between(h, `"LayerSources":`, `}}`), between(o, `"LayerSources":`, `}}`)))
	}),
	withPlatform("a platform that is not that of the image", `{"architecture":"arm64","os":"linux"}`),
	withPlatform("a version of Windows that is another",
		`{"architecture":"amd64","os":"windows","os.version":"10.0.26100.1"}`),
	withPlatform("a variant", `{"architecture":"amd64","os":"linux","variant":"v3"}`),
	withPlatform("features of the system", `{"architecture":"amd64","os":"linux","os.features":["win32k"]}`),
}
