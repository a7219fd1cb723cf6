package builder

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// worker is what buildctl debug workers reports of a worker.
type worker struct {
	Platforms []struct {
		Architecture string `json:"architecture"`
		OS           string `json:"os"`
		Variant      string `json:"variant"`
	} `json:"platforms"`
	Version struct {
		Version string `json:"version"`
	} `json:"buildkitVersion"`
}

// findBuildctl asks for the versions of buildctl and of the daemon, which is that of BUILDKIT_HOST.
func findBuildctl(ctx context.Context, t *Tool) error {
	out, err := t.ask(ctx, "--version")
	if err != nil {
		return err
	}
	version := versionIn(out)
	if err := newEnough("buildctl", version, oldestBuildKit, "upgrade it"); err != nil {
		return err
	}
	if out, err = t.ask(ctx, "debug", "workers", "--format={{json .}}"); err != nil {
		return fmt.Errorf("%w: start buildkitd, or name it in BUILDKIT_HOST", err)
	}
	var workers []worker
	if err := json.Unmarshal([]byte(out), &workers); err != nil || len(workers) == 0 {
		return errors.New("buildctl debug workers reports no worker: give buildkitd one")
	}
	w := workers[0] // which builds
	if err := newEnough("buildkitd", w.Version.Version, oldestBuildKit, "upgrade it"); err != nil {
		return err
	}
	for _, p := range w.Platforms {
		t.runs = append(t.runs, platform.Platform{OS: p.OS, Architecture: p.Architecture, Variant: p.Variant})
	}
	t.Version = "buildctl " + version + "; BuildKit " + clean(w.Version.Version)
	return nil
}

// asLookedUp returns the name under which BuildKit's frontend looks for a context: that of Docker's
// command for an image, without the tag latest. buildx does the same; another spelling is ignored,
// and the image of a registry is taken. See NamedContext in
// https://github.com/moby/buildkit/blob/v0.34.2/frontend/dockerui/config.go.
func asLookedUp(name string) string {
	if host, rest, ok := strings.Cut(name, "/"); ok && (host == "docker.io" || host == "index.docker.io") {
		name = rest
	}
	if rest, ok := strings.CutPrefix(name, "library/"); ok && !strings.Contains(rest, "/") {
		name = rest
	}
	return strings.TrimSuffix(name, ":latest")
}

// buildctlArgs returns the arguments of buildctl build. The frontend is that of the daemon.
func buildctlArgs(r Request, dir string) []string {
	opt := func(prefix string) func(name, value string) string {
		return func(name, value string) string { return "--opt=" + prefix + name + "=" + value }
	}
	args := []string{
		"build", "--progress=plain", "--frontend=dockerfile.v0", "--opt=platform=" + r.Platform.String(),
		"--local=context=" + r.Context, "--local=dockerfile=" + filepath.Dir(r.File),
		"--opt=filename=" + filepath.Base(r.File), "--output=" + exporter(dir),
	}
	if r.Fresh {
		args = append(args, "--no-cache")
	}
	if r.Target != "" {
		args = append(args, "--opt=target="+r.Target)
	}
	args = append(args, each(r.args(), opt("build-arg:"))...)
	for n, name := range slices.Sorted(maps.Keys(r.Contexts)) {
		value := r.Contexts[name]
		name = asLookedUp(name)
		local := "named" + strconv.Itoa(n) // names of contexts need not be names for this
		switch at, digest, ok := layout(value); {
		case ok:
			args = append(args, "--oci-layout="+local+"="+at,
				"--opt=context:"+name+"="+layoutPrefix+local+"@"+digest)
		case strings.HasPrefix(value, imagePrefix):
			args = append(args, "--opt=context:"+name+"="+value)
		default:
			args = append(args, "--local="+local+"="+value, "--opt=context:"+name+"=local:"+local)
		}
	}
	return append(args, each(r.Labels, opt("label:"))...)
}
