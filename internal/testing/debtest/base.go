package debtest

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"github.com/slipway-dev/slipway/platform"
)

// Base returns an index of small images of Debian, one for each platform: with base-files, dpkg's
// database, a merged /usr, and a source of packages that r's key signs. The files of extra are
// added, or replace those of the same name.
func Base(r *Repository, platforms []platform.Platform, extra ...File) v1.ImageIndex {
	var index v1.ImageIndex = empty.Index
	for _, p := range platforms {
		files := append(slices.DeleteFunc(baseFiles(r, Architecture(p)), func(f File) bool {
			return slices.ContainsFunc(extra, func(e File) bool { return e.Name == f.Name })
		}), extra...)
		layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(Tar(files))), nil
		})
		must(err)
		on := v1.Platform{OS: p.OS, Architecture: p.Architecture, Variant: p.Variant}
		img, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{
			OS: p.OS, Architecture: p.Architecture, Variant: p.Variant,
			Config: v1.Config{Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}},
		})
		must(err)
		img, err = mutate.AppendLayers(img, layer)
		must(err)
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &on}})
	}
	return index
}

// Architecture returns Debian's name for the architecture of a platform.
func Architecture(p platform.Platform) string {
	switch a := p.Architecture + p.Variant; a {
	case "armv7":
		return "armhf"
	case "ppc64le":
		return "ppc64el"
	default:
		return a
	}
}

const passwd = `root:x:0:0:root:/root:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
`

func baseFiles(r *Repository, arch string) []File {
	status := ""
	for _, name := range []string{"base-files", "libc6", "old"} {
		status += fmt.Sprintf("Package: %s\nStatus: install ok installed\nPriority: required\nSection: admin\n"+
			"Maintainer: Test <test@example.com>\nArchitecture: %s\nVersion: 1.0\nDescription: for a test\n\n",
			name, arch)
	}
	sources := ""
	for _, suite := range []string{"bookworm", "bookworm-security"} {
		sources += "deb " + r.URL + " " + suite + " main\n"
	}
	return []File{
		{Name: "bin", Link: "usr/bin"},
		{Name: "sbin", Link: "usr/sbin"},
		{Name: "lib", Link: "usr/lib"},
		{Name: "usr/"},
		{Name: "usr/bin/"},
		{Name: "usr/bin/dash", Text: "dash", Mode: 0o755},
		{Name: "usr/bin/sh", Link: "dash"},
		{Name: "usr/sbin/"},
		{Name: "usr/sbin/adduser", Text: "adduser", Mode: 0o755},
		{Name: "usr/sbin/addgroup", Link: "adduser"},
		{Name: "usr/lib/"},
		{Name: "usr/lib/os-release", Text: "ID=debian\nVERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\n"},
		{Name: "usr/share/"},
		{Name: "usr/share/old", Text: "old\n"},
		{Name: "etc/"},
		{Name: "etc/os-release", Link: "../usr/lib/os-release"},
		{Name: "etc/passwd", Text: passwd},
		{Name: "etc/shadow", Text: "root:*:19700:0:99999:7:::\nnobody:*:19700:0:99999:7:::\n", Mode: 0o640},
		{Name: "etc/group", Text: "root:x:0:\nnogroup:x:65534:\n"},
		{Name: "etc/gshadow", Text: "root:*::\nnogroup:*::\n", Mode: 0o640},
		{Name: "etc/apt/"},
		{Name: "etc/apt/sources.list", Text: sources},
		{Name: "etc/apt/trusted.gpg.d/"},
		{Name: "etc/apt/trusted.gpg.d/test.gpg", Text: r.Key()},
		{Name: "etc/apt/preferences.d/"},
		{Name: "tmp/", Mode: 0o777},
		{Name: "var/"},
		{Name: "var/lib/"},
		{Name: "var/lib/dpkg/"},
		{Name: "var/lib/dpkg/status", Text: status},
		{Name: "var/lib/dpkg/info/"},
		{Name: "var/lib/dpkg/info/format", Text: "1\n"},
		{Name: "var/lib/dpkg/info/base-files.list", Text: "/.\n/etc\n/usr\n/usr/bin\n/usr/lib\n/usr/share\n/var\n"},
		{Name: "var/lib/dpkg/info/libc6.list", Text: "/.\n"},
		{Name: "var/lib/dpkg/info/old.list", Text: "/.\n/usr\n/usr/share\n/usr/share/old\n"},
		{Name: "var/lib/apt/"},
		{Name: "var/lib/apt/lists/"},
		{Name: "var/cache/"},
		{Name: "var/cache/apt/"},
	}
}
