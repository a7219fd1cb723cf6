// Package builder lets the user's own builder make the Linux platforms of a Dockerfile: docker
// buildx, podman or buildctl. The package runs their commands, and asks for an OCI layout; the
// caller decides about its use.
//
// # One platform, one command
//
// A command builds one platform, and each platform has its own record, so that a platform that is
// added, or fails, does not make the others be built again. BuildKit does not run a stage twice
// that platforms share, since its cache has it. The layout has one manifest, whatever the builder.
//
// # What decides the bytes
//
// The builder gets the time of the image as SOURCE_DATE_EPOCH: BuildKit writes it into the
// configuration and, since v0.13, over later times of files; podman over all times. No attestations
// are asked for: BuildKit's have the time of the build in them, and turn the one manifest into an
// index that differs each time, and Slipway makes its own for the release. Settings of the user
// about where and how the builder runs count: BUILDX_BUILDER, BUILDKIT_HOST, DOCKER_HOST,
// CONTAINER_HOST, credentials.
//
// A context should be a copy that [Stage] has made: the builder then reads exactly the files that
// were read before, with the modes of git.
//
// # How it runs
//
// A builder has no terminal and nothing to read, so that one that asks for a password ends. Its
// output has no time limit. Its last lines become part of the error.
package builder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/image/imagefile"
	"github.com/slipway-dev/slipway/platform"
)

// Names of the builders, as slipway.yaml has them.
const (
	Docker   = "docker"
	Podman   = "podman"
	Buildctl = "buildctl"
)

// Names lists the builders.
func Names() []string { return slices.Sorted(maps.Keys(kinds)) }

// Tool is a builder on this machine.
type Tool struct {
	Name    string
	Command string // its path
	// Version has the versions of the parts of the builder that decide its result, on one line:
	// "docker buildx v0.19.3; BuildKit v0.17.2".
	Version string

	runs     []platform.Platform // whose programs the builder can run, as it reports them; nil: unknown
	exec     []string            // before the arguments: "buildx" for docker
	emulates bool                // whether binfmt_misc of this machine decides what it runs
}

// kind has the differences between the builders.
type kind struct {
	remedy string // how to get it
	exec   []string
	find   func(ctx context.Context, t *Tool) error
	build  func(ctx context.Context, t Tool, r Request, dir string) error
}

var kinds = map[string]kind{
	Docker: {
		remedy: "install docker with its plugin buildx, https://docs.docker.com/engine/install",
		exec:   []string{"buildx"}, find: findDocker, build: buildKit(dockerArgs),
	},
	Podman: {
		remedy: "apt-get install podman, or https://podman.io/docs/installation",
		find:   findPodman, build: buildPodman,
	},
	Buildctl: {
		remedy: "install it and buildkitd of https://github.com/moby/buildkit/releases",
		find:   findBuildctl, build: buildKit(buildctlArgs),
	},
}

// Find looks for a builder in PATH, asks it for its versions, and starts what it builds with, as a
// build would: a container of docker buildx that is stopped has no version.
func Find(ctx context.Context, name string) (Tool, error) {
	k, ok := kinds[name]
	if !ok {
		return Tool{}, fmt.Errorf("unknown builder %q: there are %s", name, strings.Join(Names(), ", "))
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return Tool{}, fmt.Errorf("builder %s: the command is not in PATH: %s", name, k.remedy)
	}
	t := Tool{Name: name, Command: path, exec: k.exec}
	if err := k.find(ctx, &t); err != nil {
		return Tool{}, fmt.Errorf("builder %s: %w", name, err)
	}
	return t, nil
}

// Request is a Dockerfile to build for one platform.
type Request struct {
	File    string // absolute
	Shown   string // what messages call it; File if empty
	Context string // absolute; "" for an empty one
	Args    map[string]string
	Target  string // "" for the last stage
	// Contexts are named contexts: absolute directories, docker-image://NAME@sha256:…, or
	// oci-layout://DIR@sha256:… for an image of a layout.
	Contexts map[string]string
	Labels   map[string]string
	Platform platform.Platform // of Linux
	Epoch    time.Time         // SOURCE_DATE_EPOCH
	// Staged is whether Context is a copy that [Stage] has made: its ignore files are not read
	// then.
	Staged bool
	// Fresh builds without what the builder has in its cache; podman always does.
	Fresh bool
	// Note is called with each line that the builder prints, cleaned; it may be nil.
	Note func(line string)
}

// Build builds into dir, which is an empty directory of the caller: an OCI layout with an image for
// the platform that was asked for. After an error there may be anything in dir.
func (t Tool) Build(ctx context.Context, r Request, dir string) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("builder %s: %w", t.Name, err)
	}
	r, done, err := r.prepare()
	if err != nil {
		return fmt.Errorf("builder %s: building %s for %s: %w", t.Name, r.shown(), r.Platform, err)
	}
	defer done()
	if err := kinds[t.Name].build(ctx, t, r, dir); err != nil {
		return err
	}
	if err := made(ctx, dir, r.Platform); err != nil {
		return fmt.Errorf("builder %s: building %s for %s: it succeeded, and %w", t.Name, r.shown(), r.Platform, err)
	}
	return nil
}

// made looks for the image in the layout of a builder that reports success.
func made(ctx context.Context, dir string, p platform.Platform) error {
	if _, err := os.Lstat(filepath.Join(dir, "index.json")); errors.Is(err, fs.ErrNotExist) {
		return errors.New("made no OCI layout: try the builder by hand")
	}
	f, err := imagefile.Open(ctx, imagefile.Reference{Transport: imagefile.OCI, Path: dir, Text: "what it made"}, nil)
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it is only read
	_, err = f.Image(p)
	return err
}
