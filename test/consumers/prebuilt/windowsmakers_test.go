package prebuilt

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/programtest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// both copies a program onto a base for Windows, or onto nothing for Linux.
const both = `ARG BASE
FROM scratch AS linux
COPY app /app
ENTRYPOINT ["/app"]
FROM ${BASE} AS windows
COPY app.exe /app.exe
ENTRYPOINT ["C:\\app.exe"]
FROM ${TARGETOS}
`

// Versions of the bases, as Microsoft numbers them, and their releases.
const (
	v2022 = "10.0.20348.4294"
	v2025 = "10.0.26100.6899"
)

var releaseOf = map[string]string{v2022: "ltsc2022", v2025: "ltsc2025"}

// madeWindows is an image that a program has made for Windows, and maybe for Linux.
type madeWindows struct {
	windows string            // prebuilt of slipway.yaml
	linux   string            // the same; "" if Slipway makes it
	digests map[string]string // of the manifests, by the os.version of their bases; that for Linux is at ""
	attests string            // the digest of one that BuildKit has attested
}

// windowsMakers are the programs that make images for Windows.
var windowsMakers = []struct {
	name     string
	consumer string
	make     func(t *testing.T, w *world, dir string) madeWindows
}{
	{"buildctl", "buildkit", buildctlWindows},
	{"buildx", "buildx", buildxWindows},
	{"docker29", "docker", docker29Windows},
	{"buildah", "buildah", buildahWindows},
	{"ko", "ko", koWindows},
	{"crane", "crane", craneWindows},
	{"ctr", "containerd", ctrWindows},
}

// windowsBase is a stub of a base of Microsoft's, in the types of Docker.
func windowsBase(t *testing.T, version string) v1.Image {
	t.Helper()
	files := indextest.Files{"Files/", "Files/Windows/", "Files/Windows/System32/", "Hives/", "Files/License.txt=" + version}
	for _, dll := range []string{"kernel32.dll", "bcryptprimitives.dll"} {
		files = append(files, "Files/Windows/System32/"+dll+"="+string(programtest.PE(programtest.Needs{Library: true})))
	}
	return indextest.Filled(t, v1.ConfigFile{
		OS: "windows", Architecture: "amd64", OSVersion: version,
		History: []v1.History{{CreatedBy: "Apply image " + version}},
		Config:  v1.Config{Cmd: []string{`c:\windows\system32\cmd.exe`}},
	}, files)
}

// addWindows completes the world by a program for Windows and by the bases: a manifest list for
// each release, as Microsoft tags them, and one for Linux and both.
func (w *world) addWindows(t *testing.T) {
	t.Helper()
	w.in(t, w.context, []string{"CGO_ENABLED=0", "GOOS=windows", "GOFLAGS=", "GOWORK=off"},
		"go", "build", "-buildvcs=false", "-ldflags=-s -w", "-o", "app.exe", ".")
	write(t, filepath.Join(w.context, "Dockerfile.both"), both)
	linux, err := name.NewTag(w.base())
	must(t, err)
	img, err := remote.Image(linux)
	must(t, err)
	list := func(tag string, adds ...mutate.IndexAddendum) {
		ref, err := name.NewTag(tag)
		must(t, err)
		must(t, remote.WriteIndex(ref, mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.DockerManifestList), adds...)))
	}
	all := []mutate.IndexAddendum{{Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: "amd64"}}}}
	for _, version := range []string{v2025, v2022} {
		one := mutate.IndexAddendum{Add: windowsBase(t, version), Descriptor: v1.Descriptor{
			Platform: &v1.Platform{OS: "windows", Architecture: "amd64", OSVersion: version},
		}}
		list(w.nanoserver(version), one)
		all = append(all, one)
	}
	list(w.nanoserver(""), all...)
}

// nanoserver is a base for Windows; that of no version is for Linux and all of them.
func (w *world) nanoserver(version string) string {
	if version == "" {
		return w.registry + "/from/nanoserver:all"
	}
	return w.registry + "/from/nanoserver:" + releaseOf[version]
}

// byVersion returns the digests of the manifests that a digest of a layout leads to.
func byVersion(t *testing.T, dir, digest string) map[string]string {
	t.Helper()
	top, err := layout.ImageIndexFromPath(dir)
	must(t, err)
	h, err := v1.NewHash(digest)
	must(t, err)
	all := map[string]string{}
	index, err := top.ImageIndex(h)
	if err != nil { // it is an image
		img, err := top.Image(h)
		must(t, err)
		cf, err := img.ConfigFile()
		must(t, err)
		return map[string]string{cf.OSVersion: digest}
	}
	m, err := index.IndexManifest()
	must(t, err)
	for _, d := range m.Manifests {
		if d.Platform.OS != "unknown" {
			all[d.Platform.OSVersion] = d.Digest.String()
		}
	}
	return all
}

// archivedVersions does that for an archive of a layout.
func archivedVersions(t *testing.T, w *world, file, digest string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	w.in(t, dir, nil, "tar", "-xf", file)
	return byVersion(t, dir, digest)
}

// buildctlWindows makes a layout for each release. The half for Linux is Slipway's.
func buildctlWindows(t *testing.T, w *world, dir string) madeWindows {
	m := madeWindows{windows: "oci:" + dir + "/{{.WindowsRelease}}", digests: map[string]string{}}
	addr := testprog.Buildkitd(t)
	for _, version := range []string{v2022, v2025} {
		meta := filepath.Join(dir, "meta.json")
		w.in(t, dir, nil, testprog.Built(t, "buildkit", "buildctl"), "--addr", addr, "build",
			"--frontend=dockerfile.v0", "--local=context="+w.context, "--local=dockerfile="+w.context,
			"--opt=filename=Dockerfile.both", "--opt=build-arg:BASE="+w.nanoserver(version), "--opt=platform=windows/amd64",
			"--output=type=oci,dest="+releaseOf[version]+",tar=false", "--metadata-file="+meta)
		m.digests[version] = printed(t, meta)
	}
	return m
}

// buildxWindows makes both halves at a time, with attestations of each.
func buildxWindows(t *testing.T, w *world, dir string) madeWindows {
	testprog.Need(t, "docker")
	env, meta, to := withBuildx(t, dir), filepath.Join(dir, "meta.json"), filepath.Join(dir, "image.tar")
	w.in(t, dir, env, "docker", "buildx", "create", "--name=slipway-test", "--driver=remote", "--use", testprog.Buildkitd(t))
	w.in(t, dir, env, "docker", "buildx", "build", "--platform=linux/amd64,windows/amd64", "--provenance=mode=min",
		"--build-arg=BASE="+w.nanoserver(v2025), "--file="+filepath.Join(w.context, "Dockerfile.both"),
		"--output=type=oci,dest="+to, "--metadata-file="+meta, w.context)
	digests := archivedVersions(t, w, to, printed(t, meta))
	return madeWindows{"oci-archive:" + to, "oci-archive:" + to, digests, digests[v2025]}
}

// docker29Windows saves both halves of the containerd store. manifest.json has that for Linux
// alone.
func docker29Windows(t *testing.T, w *world, dir string) madeWindows {
	file, digest := built29(t, w, dir, testprog.ContainerdStore, "Dockerfile.both", "--platform=linux/amd64,windows/amd64",
		"--provenance=mode=min", "--build-arg=BASE="+w.nanoserver(v2022))
	from := "docker-archive:" + file + ":demo/app:1"
	digests := archivedVersions(t, w, file, digest)
	return madeWindows{from, from, digests, digests[v2022]}
}

// buildahWindows copies the program to where a layer for Windows has files: buildah copies it to
// the root of the layer otherwise.
func buildahWindows(t *testing.T, w *world, dir string) madeWindows {
	ownStore(t)
	c := w.in(t, dir, nil, "buildah", "from", "--tls-verify=false", "--platform=windows/amd64", w.nanoserver(v2022))
	w.in(t, dir, nil, "buildah", "copy", "--quiet", c, filepath.Join(w.context, "app.exe"), "/Files/app.exe")
	w.in(t, dir, nil, "buildah", "config", "--entrypoint", `["C:\\app.exe"]`, "--cmd", "", c)
	w.in(t, dir, nil, "buildah", "commit", "--quiet", c, "localhost/app:1")
	w.in(t, dir, nil, "buildah", "push", "--digestfile=digest", "localhost/app:1", "oci:"+dir+"/layout:v1")
	return madeWindows{
		windows: "oci:" + dir + "/layout:v1", digests: map[string]string{v2022: read(t, filepath.Join(dir, "digest"))},
	}
}

// koWindows makes an image for each platform of its base.
func koWindows(t *testing.T, w *world, dir string) madeWindows {
	to := filepath.Join(dir, "layout")
	out := w.in(t, w.context, []string{"KO_DOCKER_REPO=demo.invalid/app", "KO_DEFAULTBASEIMAGE=" + w.nanoserver(""), "GOFLAGS=", "GOWORK=off"},
		testprog.Built(t, "ko", "ko"), "build", "--bare", "--insecure-registry", "--push=false", "--oci-layout-path="+to, "--platform=all", "--sbom=none", ".")
	_, digest, _ := strings.Cut(out, "@")
	return madeWindows{windows: "oci:" + to, linux: "oci:" + to, digests: byVersion(t, to, digest)}
}

// craneWindows leaves the image in a registry. crane makes a layer for Windows of an archive.
func craneWindows(t *testing.T, w *world, dir string) madeWindows {
	program, ref := testprog.Built(t, "crane", "crane"), w.registry+"/from/crane-windows:1"
	w.in(t, w.context, nil, "tar", "-cf", filepath.Join(dir, "layer.tar"), "app.exe")
	w.in(t, dir, nil, program, "append", "--platform=windows/amd64", "--base="+w.nanoserver(v2025), "--new_layer=layer.tar", "--new_tag="+ref)
	w.in(t, dir, nil, program, "mutate", `--entrypoint=C:\app.exe`, "--tag="+ref, ref)
	digest := w.in(t, dir, nil, program, "digest", ref)
	return madeWindows{windows: ref + "@" + digest, digests: map[string]string{v2025: digest}}
}

// ctrWindows lets containerd 2 fetch the image for Windows of an index that BuildKit has pushed,
// and export it.
func ctrWindows(t *testing.T, w *world, dir string) madeWindows {
	ref, meta, file := w.registry+"/from/ctr-windows:1", filepath.Join(dir, "meta.json"), filepath.Join(dir, "image.tar")
	w.in(t, dir, nil, testprog.Built(t, "buildkit", "buildctl"), "--addr", testprog.Buildkitd(t), "build",
		"--frontend=dockerfile.v0", "--local=context="+w.context, "--local=dockerfile="+w.context,
		"--opt=filename=Dockerfile.both", "--opt=build-arg:BASE="+w.nanoserver(v2022), "--opt=platform=linux/amd64,windows/amd64",
		"--output=type=image,name="+ref+",push=true,registry.insecure=true", "--metadata-file="+meta)
	socket, program := testprog.Containerd2(t)
	ctr := []string{"--address", socket, "--namespace", "test"}
	w.in(t, dir, nil, program, append(ctr, "content", "fetch", "--plain-http", "--platform=windows/amd64", ref)...)
	w.in(t, dir, nil, program, append(ctr, "images", "export", "--local", "--platform=windows/amd64", file, ref)...)
	m := madeWindows{windows: "oci-archive:" + file, digests: archivedVersions(t, w, file, printed(t, meta))}
	delete(m.digests, "") // it was not fetched
	return m
}
