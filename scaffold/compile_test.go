package scaffold

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGoBuild: the program of a main package is called as -o says, and flags with a value do not
// hide the package.
func TestGoBuild(t *testing.T) {
	for name, tc := range map[string]struct {
		words   []string
		dir     string
		outputs map[string]string
		tags    []string
		ldflags []string
	}{
		"nothing":              {outputs: map[string]string{"app": "."}},
		"a name":               {words: []string{"-o", "bin/x", "."}, outputs: map[string]string{"x": "."}},
		"a name with =":        {words: []string{"-o=bin/x.exe"}, outputs: map[string]string{"x": "."}},
		"two dashes":           {words: []string{"--o", "x"}, outputs: map[string]string{"x": "."}},
		"a directory":          {words: []string{"-o", "bin/", "./cmd/tool"}, outputs: map[string]string{"tool": "cmd/tool"}},
		"a name not known":     {words: []string{"-o", "bin/$(NAME)-x", "./cmd/tool"}, outputs: map[string]string{"tool": "cmd/tool"}},
		"all packages":         {words: []string{"./cmd/tool/..."}, outputs: map[string]string{"tool": "cmd/tool"}},
		"by its path":          {words: []string{"github.com/example/app/cmd/tool"}, outputs: map[string]string{"tool": "cmd/tool"}},
		"a file":               {words: []string{"-o", "x", "cmd/tool/main.go"}, outputs: map[string]string{"x": "cmd/tool"}},
		"files":                {words: []string{"-o", "x", "./cmd/tool/*"}, outputs: map[string]string{"x": "cmd/tool"}},
		"below what is not":    {words: []string{"-o", "x", "$(ROOT)/cmd/tool"}, outputs: map[string]string{"x": "cmd/tool"}},
		"below another":        {words: []string{"-o", "x", "${ROOT}/cmd/tool"}, outputs: map[string]string{"x": "cmd/tool"}},
		"variables of flags":   {words: []string{"$(FLAGS)", "-o", "x", "./cmd/tool", "$LDFLAGS"}, outputs: map[string]string{"x": "cmd/tool"}},
		"in a directory":       {words: []string{"./tool"}, dir: "cmd", outputs: map[string]string{"tool": "cmd/tool"}},
		"in its directory":     {words: []string{"-o", "../../x"}, dir: "cmd/tool", outputs: map[string]string{"x": "cmd/tool"}},
		"values of flags":      {words: []string{"-mod", "vendor", "-gcflags", "-N", "-p", "2", "./cmd/tool"}, outputs: map[string]string{"tool": "cmd/tool"}},
		"flags without values": {words: []string{"-v", "-trimpath", "-a", "./cmd/tool"}, outputs: map[string]string{"tool": "cmd/tool"}},
		"no main package":      {words: []string{"-o", "x", "./pkg/version"}, outputs: map[string]string{}},
		"one that is not":      {words: []string{"-o", "x", "./cmd/none"}, outputs: map[string]string{}},
		"tags":                 {words: []string{"-tags", "a,b", "-tags=c a"}, outputs: map[string]string{"app": "."}, tags: []string{"c", "a"}},
		"no program":           {words: []string{"-buildmode=c-shared", "-tags", "a", "./cmd/tool"}, outputs: map[string]string{}},
		"of tests":             {words: []string{"-tags", "a", "./pkg/version"}, outputs: map[string]string{}},
		"tags not known":       {words: []string{"-tags", "$(TAGS)"}, outputs: map[string]string{"app": "."}},
		"perhaps more":         {words: []string{"-tags", "a,$(TAGS+=)"}, outputs: map[string]string{"app": "."}, tags: []string{"a", "$(TAGS+=)"}},
		"of the linker": {
			words: []string{"-ldflags", "-w -X main.version=$(VERSION)", "./cmd/none"}, outputs: map[string]string{},
			ldflags: []string{"-w", "-X main.version={{named}}"},
		},
		"the last one is a flag": {words: []string{"./cmd/tool", "-tags"}, outputs: map[string]string{"tool": "cmd/tool"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, twoMains)
			d.goBuild(tc.words, tc.dir, place{"x", 1})
			if !maps.Equal(d.outputs, tc.outputs) {
				t.Errorf("the programs are %v, not %v", d.outputs, tc.outputs)
			}
			if diff := cmp.Diff([][]string{tc.tags, tc.ldflags}, [][]string{d.given("tags"), d.given("ldflags")}); diff != "" {
				t.Errorf("tags, flags of the linker (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLdflags: a value of the linker for a variable that is there is what it is in a release, once.
func TestLdflags(t *testing.T) {
	const pkg = "github.com/example/app/pkg/version"
	const notThere, notKnown = "values of the linker for variables that do not exist", "values of the linker that nothing here has in a release"
	for name, tc := range map[string]struct {
		text string
		want []string
		left map[string][]string
	}{
		"nothing":         {"", nil, nil},
		"stripped":        {"-s -w", []string{"-s -w"}, nil},
		"stripped, half":  {"-extldflags '-static' -w", []string{"-w"}, nil},
		"other flags":     {"-linkmode external -extldflags -static-pie -show", nil, nil},
		"a version":       {"-X main.version=$(VERSION)", []string{"-X main.version={{named}}"}, nil},
		"with =":          {"-X=main.version=1", []string{"-X main.version={{named}}"}, nil},
		"quoted":          {`-X 'main.version=$(shell git describe --tags)' -X "main.commit=$(git rev-parse HEAD)" -s`, []string{"-s", "-X main.version={{tag}}", "-X main.commit={{.Revision}}"}, nil},
		"a short commit":  {`-X main.commit=$(git rev-parse --short HEAD)`, []string{"-X main.commit={{slice .Revision 0 7}}"}, nil},
		"of eight digits": {`-X main.commit=$(git rev-parse --short=8 HEAD)`, []string{"-X main.commit={{slice .Revision 0 8}}"}, nil},
		"of GoReleaser":   {`-X main.commit={{.ShortCommit}}`, []string{"-X main.commit={{slice .Revision 0 7}}"}, nil},
		"of a package":    {"-X " + pkg + ".Version=v1 -X " + pkg + ".GitCommit={{.Commit}}", []string{"-X " + pkg + ".Version={{named}}", "-X " + pkg + ".GitCommit={{.Revision}}"}, nil},
		"twice":           {"-X main.version=1 -X main.version=2", []string{"-X main.version={{named}}"}, nil},
		"of a dependency": {"-X k8s.io/component-base/version.gitVersion=$(V) -X k8s.io/x.y=z", []string{"-X k8s.io/component-base/version.gitVersion={{named}}", "-X k8s.io/x.y=z"}, nil},
		"not there":       {"-X " + pkg + ".Date=1", nil, map[string][]string{notThere: {pkg + ".Date (x:1)"}}},
		"no such package": {"-X github.com/example/app/none.Version=1", nil, map[string][]string{notThere: {"github.com/example/app/none.Version (x:1)"}}},
		"not in main":     {"-X main.none=1", nil, nil},
		"a value unknown": {"-X k8s.io/x.branch=$(B) -X k8s.io/x.y=$(Z)", nil, map[string][]string{notKnown: {"k8s.io/x.branch=$(B) (x:1)", "k8s.io/x.y=$(Z) (x:1)"}}},
		"a package of make": {
			"-X $(PKG).Version=1 -X $(MODULE)/pkg.Commit=2", nil,
			map[string][]string{"values of the linker whose package only make knows": {"Version (x:1)", "Commit (x:1)"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, twoMains)
			d.ldflags(tc.text, place{"x", 1})
			if diff := cmp.Diff(tc.want, d.given("ldflags")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(d.left) != len(tc.left) {
				t.Errorf("left out are %v", d.left)
			}
			for kind, want := range tc.left {
				if diff := cmp.Diff(want, said(d, kind)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", kind, diff)
				}
			}
			for _, flag := range d.given("ldflags") {
				if !slices.Equal(d.seen["ldflags "+flag], []string{"x:1"}) {
					t.Errorf("%q is from %q", flag, d.seen["ldflags "+flag])
				}
			}
		})
	}
}

// TestTemplate: a variable of a release is known by its name, and others by a plain value.
func TestTemplate(t *testing.T) {
	for _, tc := range [][3]string{
		{"version", "$(V)", "{{named}}"},
		{"product", "$(VERSION)", "{{named}}"},
		{"product", "$(GIT_TAG)-x", "{{named}}-x"},
		{"version", "widget-$(VERSION)", "widget-{{named}}"},
		{"ua", "widget/{{.Tag}}", "widget/{{tag}}"},
		{"version", "{{.Version}}-{{.ShortCommit}}", "{{bare}}-{{slice .Revision 0 7}}"},
		{"version", "v{{.Version}}+{{.Branch}}", ""},
		{"version", "1.4.0", "{{bare}}"},
		{"version", "v1.4.0-rc.1", "{{tag}}"},
		{"version", "$(shell git describe --tags)", "{{tag}}"},
		{"version", "$(git describe --tags | sed s/v//)", "{{bare}}"},
		{"goVersion", "$(V)", ""},
		{"version", "v{{ .Version }}", "{{tag}}"},
		{"Build", "{{.FullCommit}}", "{{.Revision}}"},
		{"when", "{{.CommitDate}}", "{{.Created}}"},
		{"buildHash", "$(VERSION)", "{{.Revision}}"},
		{"gitVersion", "x", "{{named}}"},
		{"ReleaseTag", "", "{{named}}"},
		{"Commit", "$(C)", "{{.Revision}}"},
		{"gitCommit", "", "{{.Revision}}"},
		{"GitSHA", "x", "{{.Revision}}"},
		{"BuildDate", "$(date)", "{{.Created}}"},
		{"buildTimestamp", "", "{{.Created}}"},
		{"driverName", "csi.example.com", "csi.example.com"},
		{"driverName", "$(NAME)", ""},
		{"driverName", "", ""},
		{"gitBranch", "main", ""},
		{"BuildUser", "x", ""},
		{"gitTreeState", "clean", ""},
	} {
		got, ok := reader(t, "").template(tc[0], tc[1])
		if got != tc[2] || ok != (tc[2] != "") {
			t.Errorf("%s=%s is %q, %v, and not %q", tc[0], tc[1], got, ok, tc[2])
		}
	}
}

// TestCompiles: recipes and variables of make, and lines of a shell, tell how programs are built.
func TestCompiles(t *testing.T) {
	type result struct {
		Outputs            map[string]string
		Ldflags, Tags, Env []string
		Cgo                string
	}
	for name, tc := range map[string]struct {
		make string
		want result
	}{
		"nothing":        {"build:\n\tmake build\n", result{}},
		"another build":  {"build:\n\tdocker build -o x .\n\tgo test -o y\n", result{}},
		"a recipe":       {"build:\n\tgo build -o bin/x ./cmd/tool\n", result{Outputs: map[string]string{"x": "cmd/tool"}}},
		"signs of make":  {"build:\n\t@-go build ./cmd/tool\n", result{Outputs: map[string]string{"tool": "cmd/tool"}}},
		"by a variable":  {"build:\n\t$(GO) build ./cmd/tool && ${GOCMD} build -o x .\n", result{Outputs: map[string]string{"tool": "cmd/tool", "x": "."}}},
		"a name of make": {"NAME = x\nbuild:\n\tcd cmd/tool; go build -o $(NAME)\n", result{Outputs: map[string]string{"x": "cmd/tool"}}},
		"settings": {
			"build:\n\tCGO_ENABLED=1 GOEXPERIMENT=boringcrypto GOOS=linux go build -tags a .\n\tGOFIPS140=latest go test\n",
			result{Outputs: map[string]string{"app": "."}, Tags: []string{"a"}, Env: []string{"GOEXPERIMENT=boringcrypto"}, Cgo: "Makefile:2"},
		},
		"without C":     {"build:\n\tCGO_ENABLED=0 go build\n", result{Outputs: map[string]string{"app": "."}}},
		"C everywhere":  {"export CGO_ENABLED ?= 1\n", result{Cgo: "Makefile:1"}},
		"of the linker": {"GO_LDFLAGS = -X main.version=$(VERSION)\nmy_ldflags += -s\n", result{Ldflags: []string{"-X main.version={{named}}", "-s"}}},
		"a default of developers": {"VERSION ?= 2.x\nbuild:\n\tgo build -ldflags \"-X main.version=$(VERSION) -X main.commit=$(VERSION)\"\n", result{
			Outputs: map[string]string{"app": "."}, Ldflags: []string{"-X main.version={{named}}", "-X main.commit={{.Revision}}"},
		}},
		"by a name": {
			"PKG = main\nFLAGS = -ldflags '-X $(PKG).commit=x'\nbuild:\n\tgo build $(FLAGS) -o x ./cmd/tool\n",
			result{Outputs: map[string]string{"x": "cmd/tool"}, Ldflags: []string{"-X main.commit={{.Revision}}"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, twoMains+"-- Makefile --\n"+tc.make)
			got := result{d.outputs, d.given("ldflags"), d.given("tags"), d.given("env"), d.withCgo.String()}
			if len(got.Outputs) == 0 {
				got.Outputs = nil
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// given are the flags of a key.
func (d *Draft) given(key string) (list []string) {
	for _, f := range d.flags {
		if f.key == key {
			list = appendNew(list, f.text)
		}
	}
	return list
}
