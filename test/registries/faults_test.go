package registries

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/programtest"
	"github.com/slipway-dev/slipway/platform"
)

// Platforms of Windows images, with revisions.
const (
	w2019, w2022, w2025 = indextest.Windows2019, indextest.Windows2022, indextest.Windows2025
)

// faults are those that are seeded. Names in them are of published indexes that had the fault.
var faults = slices.Concat(indexFaults, wantedFaults, archiveFaults, ageFaults, evidenceFaults, insideFaults, namedFaults)

var indexFaults = []fault{
	{"both Windows entries lack os.version, as in dapr 1.16.9", "index-os-version", "registry", example("dapr")},
	{"the Windows entry of a manifest list lacks os.version, as in gcp-pd 1953", "index-os-version", "registry", example("gcp-pd-1953")},
	{"two Windows entries of a manifest list lack os.version, as in rancher 46559", "index-os-version", "registry", example("rancher-46559")},
	{"a Windows entry of a layout lacks os.version", "index-os-version", "layout", func(b *bed) {
		i := indextest.Index(b, "linux/amd64", w2022+" as windows/amd64")
		packed("", "", map[string]mutate.Appendable{app: i}, nil)(b)
	}},
	{"a Windows entry in a compressed archive lacks os.version", "index-os-version", "archive", func(b *bed) {
		i := indextest.Index(b, "linux/amd64", w2022+" as windows/amd64")
		packed("zst", "app", map[string]mutate.Appendable{app: i}, nil)(b)
	}},
	{"the entry for 2025 has the image of 2022, as at RKE2's HEAD", "index-os-version-differs", "registry", example("rke2-2025")},
	{"the entry has another revision than its image", "index-os-version-differs", "registry", index(w2019, w2025, w2022+" as windows/amd64:10.0.20348.1")},
	{"the entry for amd64 has the image for arm64", "index-platform-differs", "registry", index("linux/arm64 as linux/amd64")},
	{"the entry for Windows has an image for Linux", "index-platform-differs", "registry", index(w2019, w2025, "linux/amd64 as "+w2022)},
	{"the entry for Linux has an image for Windows", "index-platform-differs", "registry", index(w2022 + " as linux/amd64")},
	{"the entry for arm v6 has the image for v7", "index-platform-differs", "registry", index("linux/arm/v7 as linux/arm/v6")},
	{"the entry lacks an os.features of its image", "index-platform-differs", "registry", index("linux(+erofs)/amd64 as linux/amd64")},
	{"two images for linux/amd64", "index-duplicate", "registry", index("linux/amd64", "linux/amd64")},
	{"one image twice", "index-duplicate", "registry", index("linux/amd64", "again linux/amd64")},
	{"arm64 and arm64/v8, which are one platform", "index-duplicate", "registry", index("linux/arm64", "linux/arm64/v8")},
	{"two images for one Windows build", "index-duplicate", "registry", index(w2019, w2022, w2022)},
	{"an entry without a platform", "index-no-platform", "registry", index("linux/amd64", "linux/arm64 as")},
	{"an entry unknown/unknown, as BuildKit adds it", "index-attestation", "registry", index("linux/amd64", "attestation")},
	{"a manifest was deleted", "index-missing", "registry", func(b *bed) {
		b.remove(manifests(b, b.push("1.0.0", "linux/amd64", "linux/arm64"))[1].Digest)
	}},
	{"the image was deleted, and a list names it", "index-missing", "list", func(b *bed) {
		b.written("images.txt", b.ref().String()+"\n")
	}},
	{"a layout lacks a configuration", "index-missing", "layout", func(b *bed) {
		layered("", func(b *bed, dir string, img v1.Image) {
			h, err := img.ConfigName()
			must(b, err)
			must(b, os.Remove(archivetest.Blob(dir, h)))
		})(b)
	}},
	{"a configuration that is none", "index-unreadable", "registry", unreadable},
	{"a byte of a manifest differs", "index-unreadable", "archive", func(b *bed) {
		i := indextest.Index(b, "linux/amd64", "linux/arm64")
		packed("gz", "app", map[string]mutate.Appendable{app: i}, func(b *bed, dir string) {
			must(b, archivetest.Flip(archivetest.Blob(dir, manifests(b, i)[1].Digest)))
		})(b)
	}},
	{"an index of nothing but an attestation", "index-empty", "registry", index("attestation")},
	{"an index in an index, as buildx makes of two", "index-nested", "registry", func(b *bed) {
		inner := indextest.Describe(b, b.push("inner", "linux/arm64"))
		b.index(b.ref(), append(manifests(b, b.push("other", "linux/amd64")), *inner)...)
	}},
	{"an OCI index lists a manifest of Docker", "index-mixed", "registry", index("linux/amd64", "docker linux/arm64")},
	{"a Windows image without an index", "index-single", "registry", func(b *bed) {
		must(b, remote.Write(b.ref(), indextest.Image(b, w2022, types.OCIManifestSchema1)))
	}},
	{"no entry for Windows Server 2025", "index-windows-release", "registry", index(w2022, w2019)},
	{"no entry for Windows Server 2019, whose hosts run no other", "index-windows-release", "registry", index(w2025, w2022)},
	{"the entry for 2022 before that for 2025, as in containerd 11366", "index-order", "registry", index("linux/amd64", w2022, w2025, w2019)},
	{"without an entry for 2025 that for 2019 first", "index-order", "registry", index(w2019, w2022)},
	{"an entry for Windows 1909", "index-windows-ended", "registry", index(w2025, w2022, w2019, "windows/amd64:10.0.18363.1556")},
	{"layers that a mirror may not have", "index-foreign-layer", "layout", func(b *bed) {
		img, err := mutate.Append(indextest.Image(b, w2022, types.OCIManifestSchema1), mutate.Addendum{
			Layer:     static.NewLayer([]byte("a base"), types.DockerForeignLayer),
			MediaType: types.DockerForeignLayer,
		})
		must(b, err)
		packed("", "", map[string]mutate.Appendable{app: img}, nil)(b)
	}},
}

var wantedFaults = []fault{
	{"1.0.0 lacks arm64, which 0.9.0 has", "index-platform-lost", "registry", func(b *bed) {
		b.push("0.9.0", "linux/amd64", "linux/arm64")
		b.push("1.0.0", "linux/amd64")
	}},
	{"1.0.0 lacks Windows Server 2019, which 0.9.0 has", "index-platform-lost", "registry", func(b *bed) {
		b.push("0.9.0", "linux/amd64", w2025, w2022, w2019)
		b.push("1.0.0", "linux/amd64", w2025, w2022)
	}},
	{"it lacks a platform of -platform", "index-platform-absent", "registry", func(b *bed) {
		b.push("1.0.0", "linux/amd64")
		p, err := platform.Parse("windows/amd64:ltsc2025")
		must(b, err)
		b.o.Platforms = []platform.Platform{p}
	}},
	{"the list's name is for arm64, and an image is not", "index-platform-absent", "list", func(b *bed) {
		b.push("1.0.0", "linux/amd64")
		b.written("images.linux-arm64.txt", b.ref().String()+"\n")
	}},
	{"nodes of Windows Server 2016 run no entry", "index-node", "registry", func(b *bed) {
		b.push("1.0.0", "linux/amd64", w2019, w2022, w2025)
		b.nodesOf("linux/amd64:6.1.0", "windows/amd64:10.0.14393.7070")
	}},
	{"nodes of s390x run no entry", "index-node", "registry", func(b *bed) {
		b.push("1.0.0", "linux/amd64", "linux/arm64")
		b.nodesOf("linux/amd64:6.1.0", "linux/s390x:6.1.0")
	}},
	{"nodes lack an update that the image has", "index-node-revision", "registry", func(b *bed) {
		b.push("1.0.0", w2019, w2022, w2025)
		b.nodesOf("windows/amd64:10.0.20348.169")
	}},
}

var archiveFaults = []fault{
	{"the archive for 2025 has the image of 2022, as RKE2's", "archive-name", "archive", func(b *bed) {
		packed("zst", "rke2-windows-ltsc2025-amd64-images", map[string]mutate.Appendable{
			app: indextest.Image(b, w2022, types.OCIManifestSchema1),
		}, nil)(b)
	}},
	{"the archive for arm64 has an image for amd64", "archive-name", "archive", func(b *bed) {
		packed("tar", "k3s-airgap-images-arm64", map[string]mutate.Appendable{
			app: indextest.Image(b, "linux/amd64", types.OCIManifestSchema1),
		}, nil)(b)
	}},
	{"a layer was removed", "archive-missing", "archive", layered("tar", func(b *bed, dir string, img v1.Image) {
		must(b, os.Remove(archivetest.Blob(dir, archivetest.Layers(b, img)[1])))
	})},
	{"a byte of a layer differs", "archive-damaged", "archive", layered("gz", func(b *bed, dir string, img v1.Image) {
		must(b, archivetest.Flip(archivetest.Blob(dir, archivetest.Layers(b, img)[0])))
	})},
	{"a layer ends too early", "archive-damaged", "layout", layered("", func(b *bed, dir string, img v1.Image) {
		must(b, os.Truncate(archivetest.Blob(dir, archivetest.Layers(b, img)[0]), 7))
	})},
	{"an index with one of its two images", "archive-subset", "archive", func(b *bed) {
		i := indextest.Index(b, "linux/amd64", "linux/arm64")
		packed("zst", "app", map[string]mutate.Appendable{app: i}, func(b *bed, dir string) {
			must(b, os.Remove(archivetest.Blob(dir, manifests(b, i)[1].Digest)))
		})(b)
	}},
	{"manifest.json has another image of the name than index.json", "archive-differs", "archive", layered("tar", func(b *bed, dir string, _ v1.Image) {
		listing(b, dir, map[string]v1.Image{app: indextest.Image(b, "linux/amd64", types.OCIManifestSchema1)})
	})},
	{"manifest.json has other layers than the image", "archive-differs", "archive", layered("tar", func(b *bed, dir string, img v1.Image) {
		layers := archivetest.Layers(b, img)
		text := strings.ReplaceAll(string(archivetest.DockerList(b, map[string]v1.Image{app: img})), layers[0].Hex, layers[1].Hex)
		must(b, os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(text), 0o600))
	})},
	{"manifest.json has an image that index.json lacks", "archive-index-lacks", "archive", layered("tar", func(b *bed, dir string, img v1.Image) {
		listing(b, dir, map[string]v1.Image{
			app: img, "docker.io/library/more:1": indextest.Image(b, "linux/amd64", types.OCIManifestSchema1),
		})
	})},
	{"index.json has an image that manifest.json lacks", "archive-docker-lacks", "archive", layered("tar", func(b *bed, dir string, _ v1.Image) {
		must(b, os.WriteFile(filepath.Join(dir, "manifest.json"), []byte("[]"), 0o600))
	})},
	{"more follows the end of the archive", "archive-ambiguous", "archive", func(b *bed) {
		layered("tar", func(*bed, string, v1.Image) {})(b)
		text, err := os.ReadFile(b.arg)
		must(b, err)
		must(b, os.WriteFile(b.arg, append(text, text...), 0o600))
	}},
	{"the bundle is of a snapshot, which no registry got", "archive-snapshot", "archive", layered("zst", func(b *bed, dir string, _ v1.Image) {
		file := filepath.Join(dir, "index.json")
		text, err := os.ReadFile(file)
		must(b, err)
		must(b, os.WriteFile(file, []byte(strings.Replace(string(text), "{",
			`{"annotations":{"dev.slipway.bundle.snapshot":"true","dev.slipway.bundle.product":"demo"},`, 1)), 0o600))
	})},
	{"a blob of no image", "archive-unused", "archive", layered("zst", func(b *bed, dir string, _ v1.Image) {
		must(b, os.WriteFile(archivetest.Blob(dir, another(v1.Hash{})), []byte("what is it?"), 0o600))
	})},
}

var ageFaults = []fault{
	{"a base of Windows from January, judged in November", "index-base-old", "registry", configured(v1.ConfigFile{
		OS: "windows", Architecture: "amd64", OSVersion: "10.0.26100.2894", History: []v1.History{{
			CreatedBy: "Apply image 10.0.26100.2894", Created: v1.Time{Time: time.Date(2026, 1, 9, 0, 0, 0, 0, time.UTC)},
		}},
	})},
	{"a base of Alpine 3.18, by its label", "index-base-ended", "registry", configured(labeled("docker.io/library/alpine:3.18"))},
	{"a base of Debian 11, by os-release", "index-base-ended", "registry", inside(linux(), release("11"))},
	{"a base of Debian 12 in its extended support, by os-release", "index-base-extended", "registry", inside(linux(), release("12"))},
}

var evidenceFaults = []fault{
	{"the index is signed, and its images are not", "evidence-entries", "registry", func(b *bed) { signed(b, same) }},
	{"a signature is about another digest", "evidence-subject", "registry", func(b *bed) { signed(b, another) }},
	{"BuildKit's attestation is about another digest", "evidence-subject", "registry", func(b *bed) {
		must(b, remote.WriteIndex(b.ref(), indextest.Attested(b, same, another)))
	}},
	{"BuildKit's attestation is about an entry that was taken out", "evidence-lost", "registry", func(b *bed) {
		must(b, remote.WriteIndex(b.ref(), indextest.Attested(b, another, same)))
	}},
	{"an attestation was deleted", "evidence-lost", "registry", func(b *bed) {
		i := indextest.Attested(b, same, same)
		must(b, remote.WriteIndex(b.ref(), i))
		b.remove(manifests(b, i)[1].Digest)
	}},
	{"a signature is in the archive, and its image is not", "evidence-lost", "archive", func(b *bed) {
		signature := mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1)
		packed("zst", "store", map[string]mutate.Appendable{
			"docker.io/library/app:sha256-" + another(v1.Hash{}).Hex + ".sig": signature,
		}, nil)(b)
	}},
	{"a list of 1001 referrers, more than are read", "evidence-unreadable", "registry", func(b *bed) {
		i := b.push("1.0.0", "linux/amd64")
		h, err := i.Digest()
		must(b, err)
		b.index(b.repo.Tag(strings.Replace(h.String(), ":", "-", 1)), slices.Repeat(manifests(b, i), 1001)...)
	}},
	{"1.0.0 and v1.0.0 are different images", "tag-twin", "registry", func(b *bed) {
		b.push("1.0.0", "linux/amd64")
		b.push("v1.0.0", "linux/amd64")
	}},
	{"latest is older than the newest version", "tag-latest", "registry", func(b *bed) {
		must(b, remote.WriteIndex(b.repo.Tag("latest"), b.push("1.0.0", "linux/amd64")))
		b.push("1.1.0", "linux/amd64")
	}},
}

var insideFaults = []fault{
	{"the working directory is a path of Windows", "index-process", "registry", started(v1.Config{WorkingDir: `C:\app`})},
	{"a variable has no name", "index-process", "registry", started(v1.Config{Env: []string{"PATH=/", "=x"}})},
	{"the working directory is a file", "index-process", "registry", inside(
		v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Entrypoint: []string{"/app"}, WorkingDir: "/app/in"}},
		indextest.Files{"app=" + alone},
	)},
	{"the program is a text", "index-program-differs", "registry", inside(linux("/app"), indextest.Files{"app=exec /bin/app\n"})},
	{"the program is empty", "index-program-differs", "registry", inside(linux("/app"), indextest.Files{"app="})},
	{"the program was cut", "index-program-differs", "registry", inside(linux("/app"), indextest.Files{"app=" + alone[:100]})},
	{"a script has the line ends of Windows", "index-program-differs", "registry", inside(linux("/app"), indextest.Files{"app=#!/bin/sh\r\n", "bin/sh=" + alone})},
	{"a script's interpreter is named relatively", "index-interpreter-missing", "registry", inside(linux("/app"), indextest.Files{"app=#!sh\n", "bin/sh=" + alone})},
	{"a script's interpreter is not executable", "index-interpreter-missing", "registry", inside(linux("/app"), indextest.Files{"app=#!/bin/sh\n", "bin/sh:0644=" + alone})},
	{"a script of env needs bash", "index-interpreter-missing", "registry", inside(linux("/app"), indextest.Files{"app=#!/usr/bin/env bash\n", "usr/bin/env=" + alone, "bin/sh=" + alone})},
	{"root is not in /etc/passwd", "index-user-unknown", "registry", inside(
		v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Entrypoint: []string{"/app"}, User: "root"}},
		indextest.Files{"app=" + alone},
	)},
	{"a script cannot be read", "index-entrypoint-mode", "registry", inside(
		v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Entrypoint: []string{"/app"}, User: "1000"}},
		indextest.Files{"app:0711=#!/bin/sh\n", "bin/sh=" + alone},
	)},
	{"a directory is closed to the user", "index-entrypoint-mode", "registry", inside(
		v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Entrypoint: []string{"/opt/app"}, User: "1000"}},
		indextest.Files{"opt:0700/", "opt/app=" + alone},
	)},
	{"an image for Linux has the layers of Windows", "index-layers-differ", "registry", inside(linux("/app"), indextest.Files{"Files/", "Files/app=" + alone, "Hives/"})},
	{"an image for Windows has the layers of Linux", "index-layers-differ", "registry", inside(windows(`C:\app.exe`), indextest.Files{"app.exe=" + program})},
	{"a file has a name that Windows does not allow", "index-windows-name", "registry", inside(windows(`C:\app.exe`), indextest.Files{"Files/app.exe=" + program, "Files/a:b=x"})},
	{"a program for amd64 in the image for arm64", "index-program-differs", "registry", inside(
		v1.ConfigFile{OS: "linux", Architecture: "arm64", Config: v1.Config{Entrypoint: []string{"/app"}}}, indextest.Files{"app=" + alone},
	)},
	{"a program for Linux in the image for Windows", "index-program-differs", "registry", inside(windows("app"), indextest.Files{"Files/app.exe=" + alone})},
	{"the entrypoint is not there", "index-entrypoint-missing", "registry", inside(linux("/manger"), indextest.Files{"manager=" + alone})},
	{"the entrypoint was removed by a later layer", "index-entrypoint-missing", "archive", func(b *bed) {
		b.deep = true
		img := indextest.Filled(b, linux("/app"), indextest.Files{"app=" + alone}, indextest.Files{".wh.app="})
		packed("zst", "app", map[string]mutate.Appendable{app: img}, nil)(b)
	}},
	{"the entrypoint is not executable", "index-entrypoint-mode", "registry", inside(linux("/app"), indextest.Files{"app:0644=" + alone})},
	{"the loader of the program is not there", "index-interpreter-missing", "registry", inside(linux("/app"), indextest.Files{"app=" + dynamic})},
	{"a library of the program is not there", "index-library-missing", "registry", inside(linux("/app"), indextest.Files{"lib64/ld-linux-x86-64.so.2=" + alone, "usr/lib/libc.so.6=", "app=" + dynamic})},
	{"a DLL of the program is not there", "index-library-missing", "registry", inside(windows(`C:\app.exe`), indextest.Files{"Files/Windows/System32/kernel32.dll=", "Files/app.exe=" + dll})},
	{"the user is not in /etc/passwd", "index-user-unknown", "registry", inside(
		v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Entrypoint: []string{"/app"}, User: "me"}},
		indextest.Files{"etc/passwd=you:x:7:7::/:\n", "app=" + alone},
	)},
}

var namedFaults = []fault{
	{"a pod for Windows has an image for Linux", "image-os", "manifest", func(b *bed) {
		b.push("1.0.0", "linux/amd64")
		b.written("app.yaml", pod("windows", b.ref()))
	}},
	{"the image of a pod lacks os.version", "index-os-version", "manifest", func(b *bed) {
		b.push("1.0.0", "linux/amd64", w2022+" as windows/amd64")
		b.written("app.yaml", pod("linux", b.ref()))
	}},
	{"the image of a pod is not there", "index-missing", "manifest", func(b *bed) {
		b.written("app.yaml", pod("linux", b.ref()))
	}},
	{"a chart's pods for Windows, in a case, have an image for Linux", "image-os", "chart", func(b *bed) {
		b.push("1.0.0", "linux/amd64")
		b.written("windows.yaml", "os: windows\n")
		b.reader.Cases = []audit.Case{{Name: "windows", Files: []string{b.arg}}}
		b.chart("")
	}},
	{"artifacthub.io/images lacks an image that the chart renders", "chart-images", "chart", func(b *bed) {
		b.push("1.0.0", "linux/amd64")
		b.chart("annotations:\n  artifacthub.io/images: |\n    []\n")
	}},
	{"helm.sh/images lists an image that the chart does not render", "chart-images", "chart", func(b *bed) {
		b.push("1.0.0", "linux/amd64")
		b.chart("annotations:\n  helm.sh/images: |\n    - {name: app, image: " + b.ref().String() +
			"}\n    - {name: old, image: " + old(b).String() + "}\n")
	}},
}

// old is an image that is not there.
func old(b *bed) name.Tag { return b.repo.Tag("old") }

// Programs that need nothing, or a loader and two libraries.
var (
	alone   = string(programtest.ELF(programtest.Needs{}))
	dynamic = string(programtest.ELF(programtest.Needs{
		Interpreter: "/lib64/ld-linux-x86-64.so.2", Libraries: []string{"libc.so.6", "libssl.so.3"},
	}))
	program = string(programtest.PE(programtest.Needs{Libraries: []string{"KERNEL32.dll"}}))
	dll     = string(programtest.PE(programtest.Needs{Libraries: []string{"KERNEL32.dll", "MSVCP140.dll"}}))
)

// started is an image that starts nothing by itself, with a configuration.
func started(c v1.Config) func(*bed) {
	return inside(v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: c}, indextest.Files{"app=" + alone})
}

func linux(entrypoint ...string) v1.ConfigFile {
	return v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Entrypoint: entrypoint}}
}

func windows(entrypoint ...string) v1.ConfigFile {
	return v1.ConfigFile{
		OS: "windows", Architecture: "amd64", OSVersion: "10.0.26100.2894", Config: v1.Config{Entrypoint: entrypoint},
	}
}

func labeled(base string) v1.ConfigFile {
	c := linux()
	c.Config.Labels = map[string]string{"org.opencontainers.image.base.name": base}
	return c
}

// release is os-release of a Debian.
func release(version string) indextest.Files {
	return indextest.Files{"etc/os-release=ID=debian\nVERSION_ID=" + version + "\n"}
}
