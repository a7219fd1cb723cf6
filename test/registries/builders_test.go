package registries

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// library makes indexes with annotations, artifacts and evidence.
func (p *parts) library() (all []output) {
	add := func(what string, i v1.ImageIndex) name.Repository {
		ref, err := name.NewTag(fmt.Sprintf("%s/made/%d:1.0.0", p.host, len(all)))
		must(p, err)
		must(p, remote.WriteIndex(ref, i))
		all = append(all, output{ref.String(), what})
		return ref.Context()
	}
	for _, c := range indextest.Cases {
		if strings.HasPrefix(c.Name, "healthy") {
			add("AppendManifests, "+c.Name, indextest.Index(p, c.Entries...))
		}
	}
	two := func() v1.ImageIndex { return indextest.Index(p, "linux/amd64", "linux/arm64") }
	add("with annotations", mutate.Annotations(two(), map[string]string{
		"org.opencontainers.image.version": "1.0.0", "org.opencontainers.image.base.name": "docker.io/library/debian:13",
	}).(v1.ImageIndex))
	add("with an attestation", indextest.Attested(p, same, same))
	i := two()
	repo := add("the index and its images signed, in the form of cosign 2", i)
	for _, form := range []string{".sig", "bundle"} {
		if form == "bundle" {
			i = two()
			repo = add("the index and its images signed, by referrers", i)
		}
		for _, d := range append([]v1.Descriptor{*indextest.Describe(p, i)}, manifests(&bed{T: p.T}, i)...) {
			registrytest.Sign(p, repo, form, &d, d.Digest)
		}
	}
	i = two()
	repo = add("an attestation of the index, in the form of cosign 2", i)
	top := indextest.Describe(p, i)
	registrytest.Sign(p, repo, ".att", top, top.Digest)
	return all
}

// slipway releases a product for Linux and Windows.
func (p *parts) slipway() (all []output) {
	for n, platforms := range []string{
		`linux/amd64, "windows/amd64:ltsc2022"`, `linux/amd64, linux/arm64`, `"windows/amd64:ltsc2019", "windows/amd64:ltsc2022"`,
	} {
		files := map[string]string{}
		for file, text := range namesFiles {
			files[file] = strings.Replace(text, `linux/amd64, "windows/amd64:ltsc2022"`, platforms, 1)
		}
		if !strings.Contains(platforms, "windows") {
			files["slipway.yaml"] = strings.ReplaceAll(files["slipway.yaml"], "platforms: [windows]", "platforms: [linux]")
		}
		l := newReleaser(p.T, files).release(p.T, fmt.Sprintf("v1.%d.0", n), fmt.Sprintf("%s/made-%d", p.host, n))
		for _, i := range l.Images {
			all = append(all, output{i.Tagged(), fmt.Sprintf("slipway release, %s, product %d", i.Name, n+1)})
		}
	}
	return all
}

// ko builds a program over a base, with an SBOM and without.
func (p *parts) ko() (all []output) {
	ko, dir := testprog.Built(p, "ko", "ko"), p.TempDir()
	for file, text := range map[string]string{
		"go.mod": "module example.com/app\n\ngo 1.26\n", "main.go": "package main\n\nfunc main() {}\n",
	} {
		must(p, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600))
	}
	base, err := name.NewTag(p.host + "/base:1.0.0")
	must(p, err)
	must(p, remote.WriteIndex(base, indextest.Index(p, "linux/amd64", "linux/arm64", w2019, w2022, w2025)))
	for n, platforms := range []string{"linux/amd64,linux/arm64", "all", "linux/amd64," + w2022} {
		for _, sbom := range []string{"none", "spdx"} {
			repo := fmt.Sprintf("%s/made/%d-%s", p.host, n, sbom)
			p.runIn(dir, []string{"KO_DOCKER_REPO=" + repo, "KO_DEFAULTBASEIMAGE=" + base.String(), "GOFLAGS="}, ko,
				"build", "--bare", "--insecure-registry", "--platform="+platforms, "--sbom="+sbom, "--tags=1.0.0", ".")
			all = append(all, output{repo + ":1.0.0", fmt.Sprintf("ko build --platform=%s --sbom=%s", platforms, sbom)})
		}
	}
	return all
}

// buildkit builds a Dockerfile for several platforms, with provenance and without.
func (p *parts) buildkit() (all []output) {
	build := p.buildctl()
	dir := p.TempDir()
	base, err := name.NewTag(p.host + "/base:1.0.0")
	must(p, err)
	must(p, remote.WriteIndex(base, indextest.Index(p, "linux/amd64", "linux/arm64", w2022)))
	for n, b := range []struct{ from, platforms, provenance, form string }{
		{"scratch", "linux/amd64,linux/arm64", "", "true"},
		{"scratch", "linux/amd64,linux/arm64,linux/arm/v7", "mode=min", "true"},
		{"scratch", "linux/amd64,linux/s390x", "mode=max", "true"},
		{"scratch", "linux/amd64,linux/ppc64le,linux/riscv64", "", "false"},
		{base.String(), "linux/amd64,linux/arm64,windows/amd64", "", "true"},
		{base.String(), "linux/amd64,windows/amd64", "mode=min", "true"},
	} {
		must(p, os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte("FROM "+b.from+"\nCOPY Dockerfile /\n"), 0o600))
		to := fmt.Sprintf("%s/made/%d:1.0.0", p.host, n)
		args := []string{
			"build", "--frontend=dockerfile.v0", "--local=context=" + dir, "--local=dockerfile=" + dir,
			"--opt=platform=" + b.platforms,
			"--output=type=image,name=" + to + ",push=true,registry.insecure=true,oci-mediatypes=" + b.form,
		}
		what := "buildctl build, " + b.platforms
		if b.provenance != "" {
			args, what = append(args, "--opt=attest:provenance="+b.provenance), what+", provenance "+b.provenance
		}
		if b.form == "false" {
			what += ", types of Docker"
		}
		build(args...)
		all = append(all, output{to, what})
	}
	return all
}

// buildctl starts buildkitd, until the test ends, and returns a function that runs buildctl.
func (p *parts) buildctl() func(args ...string) {
	buildkitd, client := testprog.Built(p, "buildkit", "buildkitd"), testprog.Built(p, "buildkit", "buildctl")
	root, err := os.MkdirTemp("", "bk") // a socket's path may not be long
	must(p, err)
	p.Cleanup(func() { os.RemoveAll(root) })
	addr := "unix://" + filepath.Join(root, "s")
	d := exec.CommandContext(p.Context(), buildkitd, "--root", filepath.Join(root, "root"), "--addr", addr,
		"--config", os.DevNull, "--otel-socket-path", filepath.Join(root, "otel"), "--containerd-worker=false",
		"--oci-worker=true", "--oci-worker-snapshotter=native", "--oci-worker-net=host", "--oci-worker-gc=false")
	d.Cancel = func() error { return d.Process.Signal(syscall.SIGTERM) }
	out, err := d.StderrPipe()
	must(p, err)
	must(p, d.Start())
	p.Cleanup(func() { d.Wait() }) //nolint:errcheck // it ends by a signal
	lines, log := bufio.NewScanner(out), ""
	for !strings.Contains(log, "running server on") {
		if !lines.Scan() {
			p.Fatalf("buildkitd did not start:\n%s", log)
		}
		log += lines.Text() + "\n"
	}
	go func() {
		for lines.Scan() { // so that it never waits for us
		}
	}()
	return func(args ...string) { p.run(client, append([]string{"--addr", addr}, args...)...) }
}
