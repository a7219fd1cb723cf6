package docs

// page is what a page assumes. All directories are below the machine's directory for work.
type page struct {
	products map[string]string // directories, which are repositories of git, and the archives in testdata that they have
	setup    string            // commands of bash that run before, in the shell's directory but another shell
	in       string            // where the reader is at the beginning
	at       map[string]string // where the text of the page leads the reader: first line of a block → directory
	fill     map[string]string // what the reader writes in place of what
	needs    []string          // consumers: programs, by package consumer
	cluster  bool              // whether kubectl has a cluster
	with     func(*machine)    // what else the machine has
}

// locked makes a product ready for a registry.
const locked = `
slipway bases -q && slipway pin -q
git add . && git commit -qm locks
`

// pages are all pages with blocks.
var pages = map[string]page{
	"docs/shards.md": {
		products: map[string]string{"kpack": "kpack"}, in: "kpack",
		setup: `cd kpack` + locked,
	},
	"docs/bundles.md": {
		products: map[string]string{"kpack": "kpack"}, in: "kpack",
		setup: `cd kpack
slipway release -q -binary=false -out=old
sed -i 's/0.16.1/0.16.2/; s/ kpack/ kpack/' slipway.yaml
sed -i s/kpack/packs/ cmd/controller/main.go
slipway release -q -binary=false
`,
	},
}

// exceptions are blocks that are not run.
var exceptions = []exception{}

// exception is a block that this machine cannot run, by its page and first line.
type exception struct{ page, first, reason string }
