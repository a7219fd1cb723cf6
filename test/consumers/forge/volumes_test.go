package forge

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// volume is the path of a volume of the new release or, with "old-", of the old one.
func (w *world) volume(old string, n int) string {
	return w.path(old+volumes, fmt.Sprintf("hello-images.%dof3.tar.zst", n))
}

// set verifies volumes, which a function changes first.
func set(name string, change func(f *forger, paths []string) []string) mechanism {
	return mechanism{name: "volumes: " + name, make: func(f *forger) []forgery {
		var paths []string
		for n := 1; n <= 3; n++ {
			path := filepath.Join(f.dir, filepath.Base(f.w.volume("", n)))
			put(f.t, path, get(f.t, f.w.volume("", n)))
			paths = append(paths, path)
		}
		paths = change(f, paths)
		return []forgery{f.verify("volumes", paths...)}
	}}
}

// rewritten changes the tar of a file.
func (f *forger) rewritten(path string, change func(a *archive) []byte) {
	put(f.t, path, change(readArchive(f.t, f.w, path)))
}

// hide hides the forger's image in a volume.
func hideIn(n int) func(f *forger, paths []string) []string {
	return func(f *forger, paths []string) []string {
		f.rewritten(paths[n], func(a *archive) []byte {
			fr := a.framed()
			index := fmt.Sprintf(`{"schemaVersion":2,"manifests":[%s]}`, f.w.evil.descriptor(f.w.hello(newDir)))
			docker := fmt.Sprintf(`[%s]`, f.w.evil.docker(f.w.hello(newDir)))
			list := append([]entry{file("index.json", []byte(index)), file("manifest.json", []byte(docker))},
				f.w.evil.blobs...)
			fr.insert(-1, hidden(compress(tarred(list))))
			return fr.bytes()
		})
		return paths
	}
}

// relabelled changes a text in index.json of a volume.
func relabelled(n int, from, to string) func(f *forger, paths []string) []string {
	return func(f *forger, paths []string) []string {
		f.rewritten(paths[n], func(a *archive) []byte {
			a.set("index.json", []byte(swap(string(a.get("index.json").data), from, to)))
			return a.framed().bytes()
		})
		return paths
	}
}

func taken(which ...string) func(f *forger, paths []string) []string {
	return func(f *forger, _ []string) (all []string) {
		for n, w := range which {
			old, number, _ := strings.Cut(w, " ")
			from := f.w.volume(strings.TrimPrefix(old, "new"), int(number[0]-'0'))
			path := filepath.Join(f.dir, fmt.Sprintf("set-%d", n), filepath.Base(from))
			put(f.t, path, get(f.t, from))
			all = append(all, path)
		}
		return all
	}
}

// applied makes a bundle of a delta and a base, which a function changes first.
func applied(name string, change func(f *forger, delta, base string)) mechanism {
	return mechanism{name: "delta: " + name, make: func(f *forger) []forgery {
		delta, base, out := filepath.Join(f.dir, bundle+".delta"), filepath.Join(f.dir, "base", bundle),
			filepath.Join(f.dir, "out", bundle)
		put(f.t, delta, get(f.t, f.w.path("delta", bundle+".delta")))
		put(f.t, base, get(f.t, f.w.path(oldDir, bundle)))
		if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
			f.t.Fatal(err)
		}
		change(f, delta, base)
		d := forgery{form: "delta", door: []string{
			"airgap", "apply", "-q", "-key=" + f.w.key, delta,
			"-base=" + base, "-o=" + out,
		}, takes: []string{out}}
		genuine := get(f.t, f.w.path(newDir, bundle))
		d.reads = func(string) map[string]string {
			if text, err := os.ReadFile(out); err == nil && !bytes.Equal(text, genuine) {
				return map[string]string{"sha256sum": "the bundle is not that of the release"}
			}
			forged, err := os.ReadFile(delta)
			if _, failed := os.Stat(out); failed != nil && err == nil &&
				!bytes.Equal(forged, get(f.t, f.w.path("delta", bundle+".delta"))) {
				return map[string]string{"a reader of the delta": "the delta has what was not signed"}
			}
			return nil
		}
		return []forgery{d}
	}}
}

// inDelta changes a text of index.json in the delta.
func inDelta(name, from, to string) mechanism {
	return applied(name, func(f *forger, delta, _ string) {
		f.rewritten(delta, func(a *archive) []byte {
			a.set("index.json", []byte(strings.ReplaceAll(swap(string(a.get("index.json").data), from, to), from, to)))
			return a.framed().bytes()
		})
	})
}

var volumesAndDeltas = []mechanism{
	set("one of the old release", taken("old- 1", "new 2", "new 3")),
	set("two of the old release", taken("old- 1", "old- 2", "new 3")),
	set("that of others from the old release", taken("new 1", "new 2", "old- 3")),
	set("one of both releases", taken("new 1", "old- 1", "new 2", "new 3")),
	set("one twice", taken("new 1", "new 1", "new 2", "new 3")),
	set("in another order", taken("new 3", "new 1", "new 2")),
	set("hidden frame in the first", hideIn(0)),
	set("hidden frame in the last", hideIn(2)),
	set("hidden frame in that of others alone", func(f *forger, paths []string) []string {
		return []string{hideIn(2)(f, paths)[2], f.w.path(newDir, statement)}
	}),
	set("another number", relabelled(0, `bundle.volume":"1/3"`, `bundle.volume":"2/3"`)),
	set("fewer volumes", relabelled(0, `bundle.volume":"1/3"`, `bundle.volume":"1/1"`)),
	set("another version", relabelled(0, `bundle.version":"1.0.2"`, `bundle.version":"1.0.1"`)),
	set("another name of a third-party image", relabelled(2, `image.name":"127.0.0.1`, `image.name":"evil.example`)),
	set("names of two exchanged", func(f *forger, paths []string) []string {
		put(f.t, paths[0], get(f.t, f.w.volume("", 2)))
		put(f.t, paths[1], get(f.t, f.w.volume("", 1)))
		return paths
	}),
	set("one that is a bundle", func(f *forger, paths []string) []string {
		put(f.t, paths[0], get(f.t, f.w.path(newDir, bundle)))
		return paths
	}),
	set("one of somebody else", func(f *forger, paths []string) []string {
		put(f.t, paths[0], get(f.t, f.w.path("foreign", bundle)))
		return paths
	}),
	applied("another base", func(f *forger, _, base string) { put(f.t, base, get(f.t, f.w.path("foreign", bundle))) }),
	applied("the release as base", func(f *forger, _, base string) {
		put(f.t, base, get(f.t, f.w.path(newDir, bundle)))
	}),
	applied("base with a hidden frame", func(f *forger, _, base string) {
		f.rewritten(base, func(a *archive) []byte {
			fr := a.framed()
			fr.insert(-1, hidden(compress(tarred(a.w.all.evil()))))
			return fr.bytes()
		})
	}),
	applied("base with another layer", func(f *forger, _, base string) {
		f.rewritten(base, func(a *archive) []byte {
			for n := a.head; n < len(a.entries); n++ {
				a.entries[n].data = bytes.Repeat([]byte("x"), len(a.entries[n].data))
			}
			return a.framed().bytes()
		})
	}),
	applied("hidden frame", func(f *forger, delta, _ string) {
		f.rewritten(delta, func(a *archive) []byte {
			fr := a.framed()
			fr.insert(-1, hidden(compress(tarred(a.w.all.evil()))))
			return fr.bytes()
		})
	}),
	applied("members of the forger", func(f *forger, delta, _ string) {
		f.rewritten(delta, func(a *archive) []byte { a.last(a.w.all.evil()...); return a.framed().bytes() })
	}),
	applied("index.json of the forger", func(f *forger, delta, _ string) {
		f.rewritten(delta, func(a *archive) []byte {
			h := a.descriptor(a.w.hello(newDir))
			a.set("index.json",
				[]byte(swap(string(a.get("index.json").data), h, a.w.evil.descriptor(a.w.hello(newDir)))))
			a.add(a.w.evil.blobs[:3]...)
			a.last(a.w.evil.blobs[3])
			return a.framed().bytes()
		})
	}),
	applied("the old release as delta", func(f *forger, delta, _ string) {
		put(f.t, delta, get(f.t, f.w.path(oldDir, bundle)))
	}),
	inDelta("another version", `bundle.version":"1.0.2"`, `bundle.version":"1.0.1"`),
	inDelta("another product", `bundle.product":"hello"`, `bundle.product":"evil"`),
	inDelta("another name", "/hello/hello:1.0.2", "/hello/evil:1.0.2"),
	inDelta("another time", "2025-02-02T", "2026-02-02T"),
	inDelta("no delta", "dev.slipway.bundle.delta", "dev.slipway.bundle.deltx"),
	inDelta("manifests twice", `"manifests":[`, `"Manifests":[],"manifests":[`),
}
