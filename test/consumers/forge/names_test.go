package forge

import (
	"fmt"
	"strings"
)

const (
	imageName = "io.containerd.image.name"
	refName   = "org.opencontainers.image.ref.name"
)

// documents changes index.json and manifest.json.
func documents(name string, change func(a *archive, index, docker string) (string, string)) mechanism {
	return mechanism{name: name, tar: func(a *archive) {
		i, d := change(a, string(a.get("index.json").data), string(a.get("manifest.json").data))
		a.set("index.json", []byte(i))
		a.set("manifest.json", []byte(d))
	}}
}

// named gives hello other names: in each place, if it is not empty.
func named(name string, names func(a *archive) (containerd, ref, repoTag string)) mechanism {
	return documents(name, func(a *archive, index, docker string) (string, string) {
		c, r, tag := names(a)
		hello := a.w.hello(newDir)
		d := a.descriptor(hello)
		changed := d
		if c != "" {
			changed = swap(changed, fmt.Sprintf("%q:%q", imageName, hello), fmt.Sprintf("%q:%q", imageName, c))
		}
		if r != "" {
			changed = swap(changed, fmt.Sprintf("%q:%q", refName, hello), fmt.Sprintf("%q:%q", refName, r))
		}
		if tag != "" {
			docker = swap(docker, fmt.Sprintf("[%q]", hello), fmt.Sprintf("[%q]", tag))
		}
		return swap(index, d, changed), docker
	})
}

// all gives hello another name in all places.
func everywhere(name string, to func(hello string) string) mechanism {
	return named(name, func(a *archive) (string, string, string) {
		n := to(a.w.hello(newDir))
		return n, n, n
	})
}

// also lists hello once more under another name: in index.json, manifest.json or both.
func also(name string, inIndex, inDocker bool, to func(a *archive) string) mechanism {
	return documents(name, func(a *archive, index, docker string) (string, string) {
		d, m, hello := a.descriptor(a.w.hello(newDir)), a.docker(a.w.hello(newDir)), a.w.hello(newDir)
		if inIndex {
			index = swap(index, d, d+","+strings.ReplaceAll(d, hello, to(a)))
		}
		if inDocker {
			docker = swap(docker, m, m+","+strings.ReplaceAll(m, hello, to(a)))
		}
		return index, docker
	})
}

func evilName(a *archive) string { return a.w.evilName() }

// exchanged gives one image the digest of another: both are signed.
func exchanged(index string, a *archive, one, two string) string {
	d, e := a.descriptor(one), a.descriptor(two)
	digest := func(s string) string { return between(s, `"digest":"`, `"`) }
	changed := strings.Replace(d, digest(d), digest(e), 1)
	return swap(index, d, changed)
}

var imageNames = []mechanism{
	named("containerd's name is of another image", func(a *archive) (string, string, string) {
		return a.w.other(newDir), "", ""
	}),
	named("the layout's name is of another image", func(a *archive) (string, string, string) {
		return "", a.w.other(newDir), ""
	}),
	named("RepoTags is of another image", func(a *archive) (string, string, string) {
		return "", "", a.w.other(newDir)
	}),
	named("containerd's name is new", func(a *archive) (string, string, string) { return a.w.evilName(), "", "" }),
	named("the layout's name is new", func(a *archive) (string, string, string) { return "", a.w.evilName(), "" }),
	named("RepoTags is new", func(a *archive) (string, string, string) { return "", "", a.w.evilName() }),
	everywhere("a new name everywhere", func(h string) string {
		return strings.Replace(h, "hello/hello:", "hello/evil:", 1)
	}),
	everywhere("another registry", func(h string) string { return "evil.example/" + after(h, "/") }),
	everywhere("no registry", func(h string) string { return h[strings.Index(h, "/")+1:] }),
	everywhere("Docker Hub's long form", func(h string) string { return "docker.io/library/hello:" + newDir }),
	everywhere("Docker Hub's short form", func(h string) string { return "hello:" + newDir }),
	everywhere("no port", func(h string) string { return "127.0.0.1/" + after(h, "/") }),
	everywhere("upper case", func(h string) string { return strings.Replace(h, "/hello:", "/Hello:", 1) }),
	everywhere("another case of the host", func(h string) string { return "LOCALHOST:" + after(h, ":") }),
	everywhere("no tag", func(h string) string { return h[:strings.LastIndex(h, ":")] }),
	everywhere("a tag and a digest", func(h string) string { return h + "@sha256:" + strings.Repeat("0", 64) }),
	everywhere("a digest", func(h string) string {
		return h[:strings.LastIndex(h, ":")] + "@sha256:" + strings.Repeat("0", 64)
	}),
	everywhere("two slashes", func(h string) string { return strings.Replace(h, "/made/", "//made/", 1) }),
	everywhere("a slash before", func(h string) string { return "/" + h }),
	everywhere("a blank behind", func(h string) string { return h + " " }),
	everywhere("a blank before", func(h string) string { return " " + h }),
	everywhere("a line break", func(h string) string { return h + `\n` }),
	everywhere("a path that goes up", func(h string) string { return strings.Replace(h, "/made/", "/x/../made/", 1) }),
	everywhere("a letter that looks the same", func(h string) string {
		return strings.Replace(h, "/hello:", "/h\u0435llo:", 1)
	}),
	everywhere("a scheme", func(h string) string { return "https://" + h }),
	everywhere("the old version", func(h string) string { return strings.Replace(h, newDir, oldDir, 1) }),
	everywhere("a later version", func(h string) string { return strings.Replace(h, newDir, "1.0.3", 1) }),
	also("one more name in index.json", true, false, evilName),
	also("one more name in manifest.json", false, true, evilName),
	also("one more name in both", true, true, evilName),
	also("one more name of another image", true, true, func(a *archive) string { return a.w.other(newDir) }),
	documents("one more name in RepoTags", func(a *archive, i, d string) (string, string) {
		return i, swap(d, fmt.Sprintf("[%q]", a.w.hello(newDir)),
			fmt.Sprintf("[%q,%q]", a.w.hello(newDir), a.w.evilName()))
	}),
	documents("digests of two images exchanged in index.json", func(a *archive, i, d string) (string, string) {
		one, two := a.w.hello(newDir), a.w.other(newDir)
		return exchanged(exchanged(i, a, one, two), a, two, one), d
	}),
	documents("images of manifest.json exchanged", func(a *archive, i, d string) (string, string) {
		one, two := fmt.Sprintf("[%q]", a.w.hello(newDir)), fmt.Sprintf("[%q]", a.w.other(newDir))
		return i, swap(swap(swap(d, one, "[0]"), two, one), "[0]", two)
	}),
	documents("another digest under one name", func(a *archive, i, d string) (string, string) {
		return exchanged(i, a, a.w.hello(newDir), a.w.other(newDir)), d
	}),
	documents("one name twice, with two digests", func(a *archive, i, d string) (string, string) {
		h, o := a.descriptor(a.w.hello(newDir)), a.descriptor(a.w.other(newDir))
		return swap(i, h, h+","+strings.ReplaceAll(o, a.w.other(newDir), a.w.hello(newDir))), d
	}),
	documents("one name twice in manifest.json", func(a *archive, i, d string) (string, string) {
		h, o := a.docker(a.w.hello(newDir)), a.docker(a.w.other(newDir))
		return i, swap(d, h, h+","+strings.ReplaceAll(o, a.w.other(newDir), a.w.hello(newDir)))
	}),
	documents("one name twice in manifest.json, earlier", func(a *archive, i, d string) (string, string) {
		h, o := a.docker(a.w.hello(newDir)), a.docker(a.w.other(newDir))
		return i, swap(d, h, strings.ReplaceAll(o, a.w.other(newDir), a.w.hello(newDir))+","+h)
	}),
	documents("a name on a referrer", func(a *archive, i, d string) (string, string) {
		return swap(i, `"annotations":{"dev.slipway.referrer.artifact-type"`,
			fmt.Sprintf(`"annotations":{%q:%q,%q:%q,"dev.slipway.referrer.artifact-type"`, imageName,
				a.w.evilName(), refName, a.w.evilName())), d
	}),
	documents("the name of an image on a referrer", func(a *archive, i, d string) (string, string) {
		return swap(i, `"annotations":{"dev.slipway.referrer.artifact-type"`,
			fmt.Sprintf(`"annotations":{%q:%q,"dev.slipway.referrer.artifact-type"`, imageName, a.w.hello(newDir))), d
	}),
	documents("containerd's name of a third-party image", func(a *archive, i, d string) (string, string) {
		n := fmt.Sprintf("%q:%q", imageName, a.w.host+"/third/pause:1")
		return swap(i, n, fmt.Sprintf("%q:%q", imageName, a.w.evilName())), d
	}),
	documents("a name of a third-party image with a digest of ours", func(a *archive, i, d string) (string, string) {
		return exchanged(i, a, a.w.host+"/third/pause:1", a.w.hello(newDir)), d
	}),
	documents("a name beside that of the release", func(a *archive, i, d string) (string, string) {
		h := a.descriptor(a.w.hello(newDir))
		return swap(i, h, swap(h, `"annotations":{`, `"annotations":{"org.opencontainers.image.base.name":"evil",`)), d
	}),
}

// after is what follows the first sep in a name.
func after(name, sep string) string {
	_, rest, _ := strings.Cut(name, sep)
	return rest
}
