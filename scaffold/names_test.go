package scaffold

import "testing"

// TestNames: images have the names, and the form of the version, under which users know them.
func TestNames(t *testing.T) {
	check(t, map[string]factCase{
		"what publishes and what users install differ": {
			files: `
-- .github/workflows/release.yml --
on: {release: {types: [published]}}
jobs:
  image:
    steps:
      - run: docker buildx build --push --platform linux/amd64,linux/arm64 -t ghcr.io/example/app:${{ github.ref_name }} .
-- deploy/app.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec: {template: {spec: {containers: [{name: app, image: "docker.io/example/app:v1.0.0"}]}}}
`,
			want: []string{"platforms: [linux/amd64, linux/arm64]  # .github/workflows/release.yml:5"},
			asks: []string{"destinations: ghcr.io/example|docker.io/example", "release: deploy|none"},
		},
		"a further registry": {
			files: `
-- .github/workflows/release.yml --
on: {release: {types: [published]}}
jobs:
  image:
    steps:
      - uses: docker/build-push-action@v6
        with:
          push: true
          platforms: linux/amd64
          tags: |
            ghcr.io/example/app:{{.Version}}
            docker.io/example/app:{{.Version}}
-- README.md --
Run docker pull docker.io/example/app
`,
			want: []string{
				"  - {name: upstream, registry: docker.io}  # .github/workflows/release.yml:5, README.md:1",
				"  - {name: ghcr-io, registry: ghcr.io}", "tagPrefix: v  # .github/workflows/release.yml:5",
			},
		},
		"addresses of interfaces, mirrors and this machine are no registries": {
			files: `
-- .github/workflows/release.yml --
on: {release: {types: [published]}}
jobs:
  image:
    steps:
      - run: |
          curl https://registry-1.docker.io/v2/example/app
          docker buildx build --push --platform linux/amd64 -t localhost:5000/example/app -t mirror.gcr.io/example/app .
`,
			want: []string{"-destinations:"},
			asks: []string{"destinations: ", "images[app].tags: {{.Version}}|latest", "tagPrefix: v1.2.3|1.2.3"},
		},
		"an image that is promoted": {
			files: `
-- cloudbuild.yaml --
steps: [{args: [docker, push, gcr.io/k8s-staging-widgets/app]}]
substitutions: {_PLATFORMS: "linux/amd64,linux/s390x"}
-- deploy/app.yaml --
apiVersion: apps/v1
kind: Deployment
metadata: {name: app}
spec: {template: {spec: {containers: [{name: app, image: "gcr.io/k8s-staging-widgets/app:canary"}]}}}
-- README.md --
The image is registry.k8s.io/widgets/app:v1.0.0
`,
			want: []string{
				"  - {name: upstream, registry: registry.k8s.io}  # README.md:1, cloudbuild.yaml:1",
				"    gcr.io/k8s-staging-widgets/app: app", "platforms: [linux/amd64, linux/s390x]  # cloudbuild.yaml:2", "-tagPrefix",
			},
			asks: []string{"images: Dockerfile|none", "release: deploy|none"},
		},
		"tags without the v": {
			files: `
-- .github/workflows/release.yml --
on: {push: {tags: ["v*"]}}
jobs:
  image:
    steps:
      - uses: docker/metadata-action@v5
        with: {images: ghcr.io/example/app, tags: "type=semver,pattern={{version}}"}
      - uses: docker/build-push-action@v6
        with: {push: true, platforms: linux/amd64}
`,
			want: []string{"tagPrefix: v  # .github/workflows/release.yml:7", "  floatingTags: [latest]  # .github/workflows/release.yml:7"},
		},
		"tags in a README": {
			files: `
-- README.md --
docker run ghcr.io/example/app:1.0.0
`,
			want: []string{"tagPrefix: v  # README.md:1"},
			asks: []string{"images: Dockerfile|none", "platforms[linux]: linux/amd64,linux/arm64|linux/amd64"},
		},
		"charts in the namespace of images": {
			files: `
-- charts/app/Chart.yaml --
apiVersion: v2
name: app
version: 1.0.0
appVersion: 1.0.0
-- charts/app/values.yaml --
image: {repository: ghcr.io/example/app, tag: v1.0.0}
`,
			want: []string{`    repository: "example/charts/{{.Name}}"`, "  - {name: upstream, registry: ghcr.io}  # charts/app/values.yaml:1"},
			asks: []string{"charts: ghcr.io/example/charts|ghcr.io/example", "images: Dockerfile|none", "platforms[linux]: linux/amd64,linux/arm64|linux/amd64"},
		},
	})
}
