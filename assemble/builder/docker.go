package builder

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

// The oldest that are asked. Buildx has --provenance and writes layouts as directories since
// v0.10 (January 2023); BuildKit has rewrite-timestamp since v0.13 (March 2024), which Docker
// Engine 26 has. An older one ignores that option: no two builds would be equal.
const (
	oldestBuildx   = "v0.10.0"
	oldestBuildKit = "v0.13.0"
)

// noPlugin is what docker reports without its plugin; the second is that of docker before v28.
var noPlugin = lazyregexp.New(`unknown command: docker buildx|'buildx' is not a docker command`)

// findDocker asks for the version of buildx, then for that of the BuildKit of the current builder,
// which it starts.
func findDocker(ctx context.Context, t *Tool) error {
	out, err := t.ask(ctx, "version")
	if err != nil {
		var failed *Error
		if errors.As(err, &failed) && noPlugin.MatchString(strings.Join(failed.Last, " ")) {
			return errors.New("docker has no buildx: install docker-buildx-plugin of Docker's packages, " +
				"docker-buildx of the distribution's, or https://github.com/docker/buildx/releases")
		}
		return err
	}
	version := versionIn(out)
	if err := newEnough("docker buildx", version, oldestBuildx, "upgrade it"); err != nil {
		return err
	}
	if out, err = t.ask(ctx, "inspect", "--bootstrap"); err != nil {
		return err
	}
	i := readInspect(out)
	if i.fault != "" {
		return fmt.Errorf("docker buildx inspect: %s: start the builder, or select another one, "+
			"by docker buildx use", i.fault)
	}
	t.runs = i.platforms
	if len(i.versions) == 0 {
		return errors.New("docker buildx inspect reports no version of BuildKit: " +
			"select another builder, by docker buildx create --use")
	}
	var all []string
	for _, v := range i.versions {
		if err := newEnough("BuildKit", v, oldestBuildKit,
			"upgrade docker, or make a builder with a newer one, by docker buildx create --use"); err != nil {
			return err
		}
		all = append(all, "BuildKit "+v)
	}
	t.Version = "docker buildx " + version + "; " + strings.Join(all, ", ")
	return nil
}

// buildKit runs a client of BuildKit.
func buildKit(args func(Request, string) []string) func(context.Context, Tool, Request, string) error {
	return func(ctx context.Context, t Tool, r Request, dir string) error {
		return t.run(ctx, r, args(r, dir), []string{"SOURCE_DATE_EPOCH=" + r.epoch()})
	}
}

// dockerArgs returns the arguments of docker buildx build.
func dockerArgs(r Request, dir string) []string {
	args := []string{
		"build", "--progress=plain", "--platform=" + r.Platform.String(), "--file=" + r.File,
		"--output=" + exporter(dir), "--provenance=false",
	}
	if r.Fresh {
		args = append(args, "--no-cache")
	}
	return append(args, r.flags()...)
}

// inspected is what docker buildx inspect reports of a builder with its nodes.
type inspected struct {
	fault     string
	versions  []string // of BuildKit, each once
	platforms []platform.Platform
}

// readInspect reads the lines of docker buildx inspect. Releases differ in the name of the version:
// Buildkit, BuildKit, BuildKit version.
func readInspect(out string) inspected {
	var i inspected
	for line := range strings.Lines(out) {
		key, value, ok := strings.Cut(clean(line), ":")
		value = strings.TrimSpace(value)
		if !ok || value == "" || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			continue
		}
		switch strings.ToLower(key) {
		case "error":
			i.fault = value
		case "buildkit", "buildkit version":
			if !slices.Contains(i.versions, value) {
				i.versions = append(i.versions, value)
			}
		case "platforms":
			for name := range strings.SplitSeq(value, ",") {
				// A star marks those that the user has set.
				if p, err := platform.Parse(strings.TrimSuffix(strings.TrimSpace(name), "*")); err == nil {
					i.platforms = append(i.platforms, p)
				}
			}
		}
	}
	return i
}
