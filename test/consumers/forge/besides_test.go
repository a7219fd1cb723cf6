package forge

import (
	"fmt"
	"os"
	"path/filepath"
)

// one puts a file into the directory of the release.
func one(name, path string) mechanism {
	return files(name, newDir, func(d *directory) { d.put(path, []byte("#!/bin/sh\necho evil\n")) })
}

var besides = []mechanism{
	one("a script", "install.sh"),
	one("a script in a directory", "sbom/install.sh"),
	one("a hidden file", ".profile"),
	one("a file in a hidden directory", ".git/config"),
	one("the file of git", ".gitignore"),
	one("a file of git in a directory", "sbom/.gitignore"),
	one("a bundle", "hello-images.evil.tar.zst"),
	one("a bundle in part", "hello-images.tar.zst.part"),
	one("a delta", "hello-images.tar.zst.delta"),
	one("manifests", "release-extra.yaml"),
	one("a name in another case", "Load-Images.sh"),
	one("a letter that looks the same", "l\u043ead-images.sh"),
	one("a copy by an editor", "load-images.sh~"),
	one("a name that looks like a flag", "-rf"),
	one("a name with a line break", "a\nverified: hello 9.9.9.sh"),
	one("a name that moves the cursor", "a\x1b[2K.sh"),
	one("signatures of checksums of another", "SHA256SUMS.asc"),
	one("another script in place of that of the release", "load-images.sh"),
	one("another script for Windows", "load-images.ps1"),
	one("other manifests", "release.yaml"),
	one("another list", "hello-images.txt"),
	one("another page", "index.html"),
	one("another SBOM", "sbom/hello.spdx.json"),
	one("other inputs", "hello-1.0.2.inputs.tar.gz"),
	one("another statement in plain", "provenance.json"),
	files("25 decoys", newDir, func(d *directory) {
		for n := range 25 {
			d.put(fmt.Sprintf("decoy-%02d.txt", n), []byte("decoy"))
		}
		d.put("run.sh", []byte("evil"))
	}),
	files("300 decoys in directories", newDir, func(d *directory) {
		for n := range 300 {
			d.put(fmt.Sprintf("decoys/%03d/file", n), []byte("decoy"))
		}
		d.put("zz.sh", []byte("evil"))
	}),
	files("a link in place of a script", newDir, func(d *directory) {
		put(d.f.t, filepath.Join(d.f.dir, "evil.sh"), []byte("evil"))
		d.link("../evil.sh", "load-images.sh")
	}),
	files("a link to the same text", newDir, func(d *directory) {
		d.take(newDir, "load-images.sh", "../copy.sh")
		d.link("../copy.sh", "load-images.sh")
	}),
	files("a link in place of a directory", newDir, func(d *directory) {
		if err := os.CopyFS(filepath.Join(d.f.dir, "sbom"), os.DirFS(filepath.Join(d.path, "sbom"))); err != nil {
			d.f.t.Fatal(err)
		}
		d.link("../sbom", "sbom")
	}),
	files("a link to a directory with files", newDir, func(d *directory) {
		put(d.f.t, filepath.Join(d.f.dir, "evil", "run.sh"), []byte("evil"))
		d.link("../evil", "tools")
	}),
	files("a link to nowhere", newDir, func(d *directory) { d.link("nowhere", "run.sh") }),
	files("a directory in place of a script", newDir, func(d *directory) {
		d.remove("load-images.sh")
		d.put("load-images.sh/run.sh", []byte("evil"))
	}),
	files("a directory in place of a signature", newDir, func(d *directory) {
		d.remove(sumsSig)
		d.put(sumsSig+"/run.sh", []byte("evil"))
	}),
	files("another file and no signature for openssl", newDir, func(d *directory) { d.put(sumsSig, []byte("evil")) }),
	files("the key in the directory", newDir, func(d *directory) {
		d.put("release.pub", get(d.f.t, d.f.w.key))
		d.args = []string{"-key=" + filepath.Join(d.path, "release.pub")}
	}),
	besideKey("the key one directory up", "release.pub", 0o644),
	besideKey("the key in a directory of the release", "dist/keys/release.pub", 0o644),
	besideKey("a key that everybody may write", "../away/release.pub", 0o666),
}

// besideKey verifies what another user has signed with a key that is next to it.
func besideKey(name, path string, mode os.FileMode) mechanism {
	return mechanism{name: name, make: func(f *forger) []forgery {
		dir := filepath.Join(f.dir, "release", "dist")
		if err := os.CopyFS(dir, os.DirFS(f.w.path("foreign"))); err != nil {
			f.t.Fatal(err)
		}
		key := filepath.Join(f.dir, "release", path)
		put(f.t, key, get(f.t, f.w.path("keys", "foreign.pub")))
		if err := os.Chmod(key, mode); err != nil {
			f.t.Fatal(err)
		}
		v := forgery{form: "directory", door: []string{"verify", "-q", "-key=" + key, dir}}
		v.reads = func(said string) map[string]string { return f.w.unsigned(dir, said) }
		return []forgery{v}
	}}
}
