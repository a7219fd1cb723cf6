package main

// oddPlace is a file that commands read. The first is the one that reads it soonest.
type oddPlace struct {
	file     string // with * for all that match
	commands []string
	bare     bool // there is no slipway.yaml
}

const (
	releases = "release -binary=false"
	verifies = "airgap verify -key=../release.pub dist"
)

var oddPlaces = []oddPlace{
	{file: "p/slipway.yaml", commands: []string{"check", "build", releases, "lint", "init", "plan", "pin", "bases", "clean", "show"}},

	// the sources
	{file: "p/go.mod", commands: []string{"check", releases, "build"}},
	{file: "p/go.sum", commands: []string{releases}},
	{file: "p/go.work", commands: []string{releases}},
	{file: "p/main.go", commands: []string{"build", releases}},
	{file: "p/inner/c.s", commands: []string{releases}},
	{file: "lib/go.mod", commands: []string{"build", releases}},
	{file: "lib/lib.go", commands: []string{"build", releases}},
	{file: "p/text.txt", commands: []string{"build", releases}},
	{file: "p/kodata/data.txt", commands: []string{"build", releases}},
	{file: "p/.ko.yaml", commands: []string{"check", releases}},
	{file: "p/.gitignore", commands: []string{"build", "check", releases}},
	{file: "p/.gitattributes", commands: []string{"build", releases}},
	{file: "p/.gitmodules", commands: []string{"build"}},
	{file: "p/inner/.gitignore", commands: []string{"build", releases}},
	{file: "p/inner/.gitattributes", commands: []string{"build"}},
	{file: "p/.git/HEAD", commands: []string{"build"}},
	{file: "p/.git/config", commands: []string{"build"}},
	{file: "p/.git/index", commands: []string{"build"}},
	{file: "p/.git/packed-refs", commands: []string{"build"}},
	{file: "p/.git/info/exclude", commands: []string{"build"}},
	{file: "p/.git/info/attributes", commands: []string{"build"}},
	{file: "p/.git/objects/info/alternates", commands: []string{"build"}},
	{file: "p/.git/objects/info/commit-graph", commands: []string{"build"}},
	{file: "p/.git/objects/pack/pack-a.idx", commands: []string{"build"}},
	{file: "p/.git/objects/??/*", commands: []string{"build"}},

	// images, artifacts, manifests, charts
	{file: "p/web/Dockerfile", commands: []string{"check", releases, "build"}},
	{file: "p/web/.dockerignore", commands: []string{"build", releases}},
	{file: "p/web/page.html", commands: []string{"build", releases}},
	{file: "p/ready/tool", commands: []string{"build", releases}},
	{file: "p/files/README", commands: []string{releases}},
	{file: "p/config/a.yaml", commands: []string{"render", releases, "check"}},
	{file: "p/config/overlay.yaml", commands: []string{"render", releases}},
	{file: "p/kust/kustomization.yaml", commands: []string{"render", releases}},
	{file: "p/kust/cm.yaml", commands: []string{"render", releases}},
	{file: "p/chart/Chart.yaml", commands: []string{"lint chart", releases, "check"}},
	{file: "p/chart/values.yaml", commands: []string{"lint chart", releases}},
	{file: "p/chart/templates/a.yaml", commands: []string{"lint chart", releases}},
	{file: "p/more.yaml", commands: []string{"check", releases}},
	{file: "p/images.txt", commands: []string{"check", releases}},
	{file: "p/bases.lock.yaml", commands: []string{"check", releases, "bases"}},
	{file: "p/images.lock.yaml", commands: []string{"check", releases, "pin"}},

	// what init reads
	{file: "p/Makefile", commands: []string{"init"}, bare: true},
	{file: "p/.goreleaser.yaml", commands: []string{"init"}, bare: true},
	{file: "p/.ko.yaml", commands: []string{"init"}, bare: true},
	{file: "p/.promu.yml", commands: []string{"init"}, bare: true},
	{file: "p/go.mod", commands: []string{"init"}, bare: true},
	{file: "p/main.go", commands: []string{"init"}, bare: true},
	{file: "p/web/Dockerfile", commands: []string{"init"}, bare: true},
	{file: "p/chart/Chart.yaml", commands: []string{"init"}, bare: true},

	// a release
	{file: "p/dist/release.lock.json", commands: []string{verifies, "airgap pack", "report dist", releases}},
	{file: "p/dist/SHA256SUMS", commands: []string{verifies, "report dist", releases}},
	{file: "p/dist/SHA256SUMS.sigstore.json", commands: []string{verifies, "report dist"}},
	{file: "p/dist/provenance.sigstore.json", commands: []string{verifies, "report dist", "reproduce dist"}},
	{file: "p/dist/provenance.json", commands: []string{"reproduce dist"}},
	{file: "p/dist/demo-images.tar.zst", commands: []string{verifies, "airgap inspect dist/demo-images.tar.zst", "airgap push -to=REGISTRY/b dist/demo-images.tar.zst", "report dist", "airgap list dist/demo-images.tar.zst", "airgap extract -out=x dist/demo-images.tar.zst"}},
	{file: "p/dist/demo-1.0.0.inputs.tar.gz", commands: []string{verifies, "reproduce dist"}},
	{file: "p/dist/demo-1.0.0.tgz", commands: []string{verifies, releases}},
	{file: "p/dist/release.yaml", commands: []string{verifies, "report dist"}},
	{file: "p/dist/demo-images.txt", commands: []string{verifies}},
	{file: "p/dist/extra", commands: []string{verifies}},
	{file: "p/dist/.gitignore", commands: []string{releases, "clean"}},

	// the store, and the user's files
	{file: "p/.slipway/oci-layout", commands: []string{"build", releases}},
	{file: "p/.slipway/index.json", commands: []string{"build"}},
	{file: "p/.slipway/.gitignore", commands: []string{"build"}},
	{file: "p/.slipway/blobs/sha256/*", commands: []string{"store verify", releases}},
	{file: "p/.slipway/cache/*/*", commands: []string{"build"}},
	{file: "p/.slipway/release.run.json", commands: []string{releases}},
	{file: "docker/config.json", commands: []string{"airgap push -to=REGISTRY/c dist/demo-images.tar.zst", releases + " -registry=REGISTRY/d"}},
}
