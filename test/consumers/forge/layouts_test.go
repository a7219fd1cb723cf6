package forge

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// laid changes the layout that extract wrote. Consumers take it as an archive.
func laid(name string, change func(l *laidOut)) mechanism {
	return mechanism{name: "layout: " + name, make: func(f *forger) []forgery {
		l := &laidOut{&directory{f: f, path: filepath.Join(f.dir, "layout")}}
		if err := os.CopyFS(l.path, os.DirFS(f.w.path(layout))); err != nil {
			f.t.Fatal(err)
		}
		change(l)
		d := f.verify("layout", l.path)
		packed := filepath.Join(f.dir, "packed.tar.zst")
		put(f.t, packed, compress(packTree(f, l.path)))
		d.takes = []string{packed}
		d.reads = func(said string) map[string]string { return f.w.besideLayout(l.path, said) }
		return []forgery{d}
	}}
}

type laidOut struct{ *directory }

// index changes index.json.
func (l *laidOut) index(change func(text string) string) {
	text := string(get(l.f.t, filepath.Join(l.path, "index.json")))
	l.put("index.json", []byte(change(text)))
}

// descriptor is that of hello.
func (l *laidOut) descriptor() string {
	return element(get(l.f.t, filepath.Join(l.path, "index.json")), "manifests", refName)
}

func (l *laidOut) evil() {
	for _, b := range l.f.w.evil.blobs {
		l.put(b.name, b.data)
	}
}

// besideLayout reports files that are not of the release and that verify did not name.
func (w *world) besideLayout(dir, said string) map[string]string {
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, _ := os.ReadFile(path)                 // a link to nowhere is nothing
		want, _ := os.ReadFile(w.path(layout, name)) // it is not of the release
		if (e.Type()&fs.ModeSymlink != 0 || !bytes.Equal(text, want) || want == nil) &&
			!strings.Contains(said, filepath.Base(name)) {
			found["people"] = name + " is not of the release"
		}
		return nil
	})
	if err != nil {
		found["people"] = err.Error()
	}
	return found
}

// packTree makes a tar of a directory.
func packTree(f *forger, dir string) []byte {
	var b []byte
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		text, _ := os.ReadFile(path) // a link to nowhere is nothing
		if len(name) < 100 {
			b = append(b, file(name, text).bytes()...)
		}
		return nil
	})
	if err != nil {
		f.t.Error(err)
	}
	return append(b, make([]byte, 1024)...)
}

var layouts = []mechanism{
	laid("the forger's image under the name", func(l *laidOut) {
		l.evil()
		l.index(func(text string) string {
			return swap(text, l.descriptor(), l.f.w.evil.descriptor(l.f.w.hello(newDir)))
		})
	}),
	laid("one more image", func(l *laidOut) {
		l.evil()
		l.index(func(text string) string {
			return swap(text, l.descriptor(), l.descriptor()+","+l.f.w.evil.descriptor(l.f.w.evilName()))
		})
	}),
	laid("one more image under the name, earlier", func(l *laidOut) {
		l.evil()
		l.index(func(text string) string {
			return swap(text, l.descriptor(), l.f.w.evil.descriptor(l.f.w.hello(newDir))+","+l.descriptor())
		})
	}),
	laid("one more image without a name", func(l *laidOut) {
		l.evil()
		l.index(func(text string) string {
			return swap(text,
				l.descriptor(),
				l.descriptor()+
					","+
					fmt.Sprintf(
						`{"mediaType":"application/vnd.oci.image.index.v1+json","size":%d,"digest":"sha256:%s"}`,
						l.f.w.evil.size, l.f.w.evil.index))
		})
	}),
	laid("another name", func(l *laidOut) {
		l.index(func(text string) string { return strings.ReplaceAll(text, l.f.w.hello(newDir), l.f.w.evilName()) })
	}),
	laid("containerd's name is another", func(l *laidOut) {
		l.index(func(text string) string {
			return swap(text, `"annotations":{`,
				fmt.Sprintf(`"annotations":{"x":"",%q:%q,`, imageName, l.f.w.evilName()))
		})
	}),
	laid("the name of the old version", func(l *laidOut) {
		l.index(func(text string) string { return strings.ReplaceAll(text, l.f.w.hello(newDir), l.f.w.hello(oldDir)) })
	}),
	laid("manifests twice", func(l *laidOut) {
		l.evil()
		l.index(func(text string) string {
			return (*archive)(nil).key(text, `"manifests"`, "["+l.f.w.evil.descriptor(l.f.w.hello(newDir))+"]", true)
		})
	}),
	laid("Manifests", func(l *laidOut) {
		l.evil()
		l.index(func(text string) string {
			return (*archive)(nil).key(text, `"Manifests"`, "["+l.f.w.evil.descriptor(l.f.w.hello(newDir))+"]", true)
		})
	}),
	laid("the old index in place of the new", func(l *laidOut) {
		old := l.f.w.path("old-" + layout)
		l.put("index.json", get(l.f.t, filepath.Join(old, "index.json")))
		if err := copyInto(filepath.Join(old, "blobs"), filepath.Join(l.path, "blobs")); err != nil {
			l.f.t.Fatal(err)
		}
	}),
	laid("a blob that nothing refers to", func(l *laidOut) { l.put(blob([]byte("evil")).name, []byte("evil")) }),
	laid("a blob of another algorithm", func(l *laidOut) {
		l.put("blobs/sha512/"+strings.Repeat("0", 90), []byte("evil"))
	}),
	laid("a blob that is not that of its name", func(l *laidOut) {
		l.put("blobs/sha256/"+strings.Repeat("0", 64), []byte("evil"))
	}),
	laid("a layer of another content", func(l *laidOut) {
		_, layer := l.f.w.all.configs()
		l.put(layer, l.f.w.evil.blobs[3].data)
	}),
	laid("a configuration of another content", func(l *laidOut) {
		config, _ := l.f.w.all.configs()
		l.put(config, l.f.w.evil.blobs[2].data)
	}),
	laid("a layer that is a link", func(l *laidOut) {
		_, layer := l.f.w.all.configs()
		put(l.f.t, filepath.Join(l.f.dir, "evil"), get(l.f.t, filepath.Join(l.path, layer)))
		l.link("../../../evil", layer)
	}),
	laid("a script", func(l *laidOut) { l.put("install.sh", []byte("evil")) }),
	laid("manifest.json", func(l *laidOut) {
		l.evil()
		l.put("manifest.json", []byte("["+l.f.w.evil.docker(l.f.w.hello(newDir))+"]"))
	}),
	laid("repositories", func(l *laidOut) { l.put("repositories", []byte(`{}`)) }),
	laid("oci-layout with another key", func(l *laidOut) {
		l.put("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0","x":1}`))
	}),
	laid("ingest of a store", func(l *laidOut) { l.put("ingest/evil", []byte("evil")) }),
	laid("index.json.part", func(l *laidOut) { l.put("index.json.part", []byte("evil")) }),
	laid("referrers of the old release", func(l *laidOut) {
		old := l.f.w.path("old-" + layout)
		if err := copyInto(filepath.Join(old, "blobs"), filepath.Join(l.path, "blobs")); err != nil {
			l.f.t.Fatal(err)
		}
		l.index(func(text string) string {
			d := element(get(l.f.t, filepath.Join(old, "index.json")), "manifests", "artifactType")
			return swap(text, l.descriptor(), l.descriptor()+","+d)
		})
	}),
	laid("two statements", func(l *laidOut) { l.take(oldDir, statement, statement) }),
	archived("another configuration", func(a *archive) {
		a.add(a.w.evil.blobs...)
	}),
	archived("the forger's image", func(a *archive) { a.entries = a.evil() }),
}

// archived is a docker-archive of the forger's, which has no evidence.
func archived(name string, change func(a *archive)) mechanism {
	return mechanism{name: "docker-archive: " + name, make: func(f *forger) []forgery {
		a := f.w.all.clone()
		change(a)
		for n := range a.entries {
			if a.entries[n].name == "manifest.json" {
				a.entries[n] = file("manifest.json", []byte("["+f.w.evil.docker(f.w.hello(newDir))+"]"))
			}
		}
		path := filepath.Join(f.dir, "hello.tar")
		put(f.t, path, a.raw())
		return []forgery{f.verify("archive", path)}
	}}
}

// copyInto copies the files of a directory that another lacks.
func copyInto(from, to string) error {
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, strings.TrimPrefix(path, from)), text, 0o644)
	})
}
