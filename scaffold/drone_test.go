package scaffold

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDrone: steps whose plugins build images are builds, for the platform of their pipeline.
func TestDrone(t *testing.T) {
	for name, tc := range map[string]struct {
		file, text string
		want       []string
	}{
		"nothing": {".drone.yml", "steps: [{image: plugins/docker}, {image: golang, settings: {repo: a/b}}]\n", nil},
		"a pipeline for each machine": {
			".drone.yml", "platform: {os: linux, arch: arm64}\nsteps:\n- image: plugins/docker:20\n  settings:\n    build_args: [A=b, \"V=${DRONE_TAG}\"]\n    dockerfile: sub/Dockerfile\n    repo: a/b\n    tag: \"${DRONE_TAG}-linux-arm64\"\n    registry: {from_secret: x}\n" +
				"---\nplatform: {os: windows, arch: amd64, version: 1809}\nsteps:\n- image: plugins/docker\n  settings: {repo: [a/b, r.io/b], registry: r.io, context: sub, target: t, build_args: {C: d}}\n",
			[]string{
				".drone.yml:3: sub/Dockerfile in ., rank 4, args {A: b, V: '{{.Tag}}'}, names [a/b:{{.Tag}}-linux-arm64], platforms [linux/arm64]",
				".drone.yml:13: sub/Dockerfile in sub, rank 4, target t, args {C: d}, names [r.io/a/b r.io/b], platforms [windows/amd64]",
			},
		},
		"tags of the plugin": {
			".drone.yml", "steps:\n- {image: plugins/ecr, settings: {repo: a/b, auto_tag: true, auto_tag_suffix: arm64}}\n",
			[]string{".drone.yml:2: Dockerfile in ., rank 4, names [a/b:{{ .Version }}-arm64 a/b:{{ .Major }}.{{ .Minor }}-arm64 a/b:{{ .Major }}-arm64], for one machine"},
		},
		"Woodpecker": {
			".woodpecker/release.yaml", "steps:\n  push: {image: woodpeckerci/plugin-docker-buildx:2, settings: {repo: a/b, tags: [v1, latest], platforms: 'linux/amd64,linux/arm64'}}\n",
			[]string{".woodpecker/release.yaml:2: Dockerfile in ., rank 4, names [a/b:v1 a/b:latest], platforms [linux/amd64 linux/arm64], for one machine"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, "-- Dockerfile --\nFROM x\n-- sub/Dockerfile --\nFROM x\n-- "+tc.file+" --\n"+tc.text)
			d.findBuilds()
			if diff := cmp.Diff(tc.want, builds(d)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
