package registries

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/testing/consumer"
	"github.com/slipway-dev/slipway/internal/testing/consumertable"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// formsOf are those of manifests, and the indexes over them.
var formsOf = []struct {
	called          string
	manifest, index types.MediaType
}{
	{"OCI", types.OCIManifestSchema1, types.OCIImageIndex},
	{"Docker", types.DockerManifestSchema2, types.DockerManifestList},
}

// makers are the programs that make indexes here.
func makers(t *testing.T) []maker {
	t.Helper()
	all := []maker{
		{required(t, "go-containerregistry", "go.mod", "github.com/google/go-containerregistry"), (*parts).library},
		{"Slipway", (*parts).slipway},
	}
	for _, c := range []struct {
		needs   string
		program func() string
		make    func(p *parts) []output
	}{
		{"crane", func() string {
			return required(t, "crane", "../programs/go.mod", "github.com/google/go-containerregistry")
		}, (*parts).crane},
		{"regctl", func() string { return required(t, "regctl", "../libraries/go.mod", "github.com/regclient/regclient") }, (*parts).regctl},
		{"ko", func() string { return required(t, "ko", "../libraries/go.mod", "github.com/google/ko") }, (*parts).ko},
		{"buildkit", func() string {
			return required(t, "BuildKit", "../buildkit/daemon/go.mod", "github.com/moby/buildkit")
		}, (*parts).buildkit},
		{"docker", func() string { return required(t, "docker", "../programs/go.mod", "github.com/docker/cli") }, (*parts).docker},
		{"podman", func() string {
			return consumertable.Packaged("podman", testprog.Run(t, "podman", "--version"))
		}, (*parts).podman},
		{"skopeo", func() string {
			return consumertable.Packaged("skopeo", testprog.Run(t, "skopeo", "--version"))
		}, (*parts).skopeo},
	} {
		if !consumer.Without(c.needs) {
			testprog.Need(t, c.needs)
			all = append(all, maker{c.program(), c.make})
		}
	}
	return all
}

// required names a program with the version of its module that a go.mod requires.
func required(t *testing.T, program, file, module string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	m := regexp.MustCompile(`(?m)^\s*(?:require )?` + regexp.QuoteMeta(module) + ` v(\S+)`).FindSubmatch(text)
	if m == nil {
		t.Fatalf("%s does not require %s", file, module)
	}
	return consumertable.Built(program, string(m[1]))
}

// run runs a program without the user's configuration of registries.
func (p *parts) run(program string, args ...string) {
	p.Helper()
	p.runIn("", nil, program, args...)
}

// runIn runs it in a directory, with further variables.
func (p *parts) runIn(dir string, env []string, program string, args ...string) {
	p.Helper()
	config := p.TempDir()
	must(p, os.WriteFile(filepath.Join(config, "config.json"), []byte("{}"), 0o600))
	cmd := exec.CommandContext(p.Context(), program, args...)
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "DOCKER_CONFIG="+config), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		p.Fatalf("%s %s: %v\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
}

// each makes an index of each set, in forms of manifests.
func (p *parts) each(of string, numbers []int, create func(to string, refs []string, form int)) []output {
	p.Helper()
	return p.every(1, of, numbers, create)
}

// every makes indexes of some sets: of every second one, with 2.
func (p *parts) every(step int, of string, numbers []int, create func(to string, refs []string, form int)) (all []output) {
	p.Helper()
	for _, f := range numbers {
		for n := step - 1; n < len(sets); n += step {
			set := sets[n]
			to := fmt.Sprintf("%s/made/set-%d:%d.0.0", p.host, n, f+1)
			create(to, p.images(set, formsOf[f].manifest), f)
			all = append(all, output{to, fmt.Sprintf("%s, %s, set %d", of, formsOf[f].called, n+1)})
		}
	}
	return all
}

func (p *parts) crane() []output {
	crane := testprog.Built(p, "crane", "crane")
	return p.each("crane index append", []int{0, 1}, func(to string, refs []string, form int) {
		args := []string{"index", "append", "--insecure", "-t", to}
		if form == 1 {
			args = append(args, "--docker-empty-base")
		}
		for _, ref := range refs {
			args = append(args, "-m", ref)
		}
		p.run(crane, args...)
	})
}

func (p *parts) regctl() []output {
	regctl := testprog.Built(p, "regctl", "regctl")
	return p.each("regctl index create", []int{0}, func(to string, refs []string, form int) {
		args := []string{
			"--host", "reg=" + p.host + ",tls=disabled", "index", "create", to, "--media-type",
			string(formsOf[form].index),
		}
		for _, ref := range refs {
			args = append(args, "--ref", ref)
		}
		p.run(regctl, args...)
	})
}

func (p *parts) docker() []output {
	docker := testprog.Built(p, "docker", "docker")
	return p.each("docker manifest create, push", []int{1}, func(to string, refs []string, _ int) {
		config := p.TempDir()
		p.run(docker, append([]string{"--config", config, "manifest", "create", "--insecure", to}, refs...)...)
		p.run(docker, "--config", config, "manifest", "push", "--insecure", to)
	})
}

func (p *parts) podman() []output {
	dir, err := os.MkdirTemp("", "sp") // its path may not be long
	must(p, err)
	p.Cleanup(func() { os.RemoveAll(dir) })
	options := []string{
		"--root", dir + "/root", "--runroot", dir + "/run", "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs",
		"--events-backend", "none",
	}
	podman := func(args ...string) { p.run("podman", slices.Concat(options, args)...) }
	n := 0
	return p.every(2, "podman manifest create, push", []int{0}, func(to string, refs []string, _ int) {
		n++
		list := fmt.Sprintf("localhost/list:%d", n)
		podman("manifest", "create", list)
		for _, ref := range refs {
			podman("manifest", "add", "--tls-verify=false", list, "docker://"+ref)
		}
		podman("manifest", "push", "--tls-verify=false", "--all", list, "docker://"+to)
	})
}

// skopeo copies indexes, and converts them to the other form.
func (p *parts) skopeo() (all []output) {
	for n, set := range sets[2:8] {
		from, err := name.NewTag(fmt.Sprintf("%s/from:%d", p.host, n))
		must(p, err)
		how, entries := "skopeo copy --all", set
		if n%2 == 1 {
			how, entries = "skopeo copy --all --format=oci, of Docker's", nil
			for _, on := range set {
				entries = append(entries, "docker "+on)
			}
		}
		must(p, remote.WriteIndex(from, indextest.Index(p, entries...)))
		to := fmt.Sprintf("%s/made/copy-%d:1.0.0", p.host, n)
		args := []string{
			"copy", "--all", "--src-tls-verify=false", "--dest-tls-verify=false", "docker://" + from.String(),
			"docker://" + to,
		}
		if n%2 == 1 {
			args = append(args, "--format=oci")
		}
		p.run("skopeo", args...)
		all = append(all, output{to, fmt.Sprintf("%s, set %d", how, n+3)})
	}
	return all
}
