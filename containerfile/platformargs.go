package containerfile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/image/environment"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/platform"
)

// word expands the variables in one word. What grows beyond any use is an error, for a variable
// may double itself on every line.
func (b *builder) word(word string, env *environment.Variables) (string, error) {
	v, missing, err := b.shlex.ProcessWord(word, env)
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		err = cmp.Or(err, env.Known(name))
	}
	if err != nil {
		return "", mistake.At(word, "%w", err)
	}
	if len(v) > tree.MaxSource {
		return "", mistake.At(word, "a value has more than %d bytes when its variables are expanded", tree.MaxSource)
	}
	return v, nil
}

// platformArgs are the arguments that every Dockerfile may declare without a value
// (https://docs.docker.com/reference/dockerfile/#automatic-platform-args-in-the-global-scope).
func platformArgs(in Input) *environment.Variables {
	build, target := normalize(in.BuildPlatform), normalize(in.Platform)
	e := environment.New(nil)
	for _, kv := range [][2]string{
		{
			"BUILDPLATFORM",
			formatPlatform(platform.Platform{OS: build.OS, Architecture: build.Architecture, Variant: build.Variant}),
		},
		{"BUILDOS", build.OS},
		{"BUILDOSVERSION", build.OSVersion},
		{"BUILDARCH", build.Architecture},
		{"BUILDVARIANT", build.Variant},
		{"TARGETPLATFORM", formatPlatform(target)},
		{"TARGETOS", target.OS},
		{"TARGETOSVERSION", target.OSVersion},
		{"TARGETARCH", target.Architecture},
		{"TARGETVARIANT", target.Variant},
	} {
		value := kv[1]
		if v, ok := in.Args[kv[0]]; ok {
			value = v
		}
		e.Set(kv[0], value)
	}
	return e
}

// setTargetStage adds the argument that names the stage being built.
func (b *builder) setTargetStage() {
	name := b.in.Target
	if name == "" && len(b.stages) > 0 {
		name = b.last().Name
	}
	if name == "" {
		name = "default"
	}
	if v, ok := b.in.Args["TARGETSTAGE"]; ok {
		name = v
	}
	b.globals.Set("TARGETSTAGE", name)
}

// normalize writes variants as containerd/platforms does: arm has one, arm64 v8 and amd64 v1 go
// without saying.
func normalize(p platform.Platform) platform.Platform {
	switch {
	case p.Architecture == "arm" && p.Variant == "":
		p.Variant = "v7"
	case p.Architecture == "arm64" && p.Variant == "v8", p.Architecture == "amd64" && p.Variant == "v1":
		p.Variant = ""
	}
	return p
}

// formatPlatform writes a platform as BuildKit's arguments do: windows(10.0.20348)/amd64.
func formatPlatform(p platform.Platform) string {
	s := p.OS
	if p.OSVersion != "" {
		s += "(" + p.OSVersion + ")"
	}
	s += "/" + p.Architecture
	if p.Variant != "" {
		s += "/" + p.Variant
	}
	return s
}

// parsePlatform reads the value of FROM --platform. Windows without a release means the release
// of the target, where that is Windows too.
func parsePlatform(s string, target platform.Platform) (platform.Platform, error) {
	if arch, ok := strings.CutPrefix(s, platform.Windows+"/"); ok && !strings.ContainsAny(arch, ":/") {
		if target.OS != platform.Windows {
			return platform.Platform{}, fmt.Errorf("platform %q names no Windows release, "+
				"and the image is for %s: write %s:ltsc2022", s, target.OS, s)
		}
		p, err := platform.Parse(s + ":" + target.OSVersion)
		if target.OSVersion == "" {
			return platform.Platform{OS: platform.Windows, Architecture: arch}, nil
		}
		return p, err
	}
	p, err := platform.Parse(s)
	if err == nil {
		err = p.Check()
	}
	return normalize(p), err
}
