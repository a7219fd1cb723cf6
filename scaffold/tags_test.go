package scaffold

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// reader is a draft of files, of which what releases are made with is found, and nothing else.
func reader(t *testing.T, archive string) *Draft {
	t.Helper()
	m := fstest.MapFS{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		m[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	tree, err := listTree(m)
	if err != nil {
		t.Fatal(err)
	}
	d := newDraft("/repository", tree, false, Options{Answers: map[string]string{}})
	if err := d.goModule(); err != nil {
		t.Fatal(err)
	}
	d.makefiles()
	d.findPublishers()
	d.makeCompiles()
	d.findPublishers()
	return d
}

// node is the first document of a text of YAML.
func node(t *testing.T, text string) *yaml.Node {
	t.Helper()
	f := yamlfile.Read("x.yaml", []byte(text), limits)
	if f.Err() != nil || len(f.Documents) == 0 {
		t.Fatal(f.Err())
	}
	return f.Documents[0]
}

// said are the things of a kind that a draft leaves out.
func said(d *Draft, kind string) []string {
	for _, l := range d.left {
		if l.kind == kind {
			return l.items
		}
	}
	return nil
}

// TestTagTemplate: what a build puts into a tag is the version, if it is all that is not plain.
func TestTagTemplate(t *testing.T) {
	for tag, want := range map[string][2]string{
		"":                       {"", ""},
		"latest":                 {"latest", ""},
		"v1.2.3":                 {"{{.Version}}", withV},
		"1.2.3":                  {"{{.Version}}", withoutV},
		"v1.2.3-rc.1":            {"{{.Version}}", withV},
		"1.2.3-alpine":           {"{{.Version}}-alpine", withoutV},
		"v1.2.3-windows-hp":      {"{{.Version}}-windows-hp", withV},
		"v1.2.3-rc.1-windows-hp": {"{{.Version}}-windows-hp", withV},
		"PR-${{ github.event.pull_request.number }}": {"", ""},
		"nightly-1.2.3":                     {"nightly-{{.Version}}", withoutV},
		"{{.Version}}":                      {"{{.Version}}", withoutV},
		"{{version}}":                       {"{{.Version}}", withoutV},
		"{{ .Version }}":                    {"{{.Version}}", withoutV},
		"{{- .RawVersion -}}":               {"{{.Version}}", withoutV},
		"v{{.Version}}":                     {"{{.Version}}", withV},
		"v{{version}}-alpine":               {"{{.Version}}-alpine", withV},
		"{{.Tag}}":                          {"{{.Version}}", asGit},
		"{{raw}}":                           {"{{.Version}}", asGit},
		"{{major}}.{{minor}}.{{patch}}":     {"{{.Version}}", withoutV},
		"${TAG#v}":                          {"{{.Version}}", withoutV},
		"${GITHUB_REF_NAME//v/}-x":          {"{{.Version}}-x", withoutV},
		"$CI_COMMIT_TAG":                    {"{{.Version}}", ""},
		"$(git_describe_--tags)":            {"{{.Version}}", asGit},
		"$(git describe | sed s/v//)":       {"{{.Version}}", withoutV},
		"${GITHUB_REF#refs/tags/}-x":        {"{{.Version}}-x", asGit},
		"${GITHUB_REF#refs/tags/v}":         {"{{.Version}}", withoutV},
		"$CI_COMMIT_SHA":                    {"", ""},
		"{{.Tag}}-debug":                    {"{{.Version}}-debug", asGit},
		"$(VERSION)":                        {"{{.Version}}", ""},
		"${VERSION}":                        {"{{.Version}}", ""},
		"$VERSION":                          {"{{.Version}}", ""},
		"v$(VERSION)":                       {"{{.Version}}", withV},
		"$(workflow)":                       {"{{.Version}}", ""},
		"{{major}}":                         {"{{.Major}}", ""},
		"{{.Major}}.{{ .Minor }}":           {"{{.Major}}.{{.Minor}}", ""},
		"v{{.Major}}.{{.Minor}}.{{.Patch}}": {"{{.Version}}", withV},
		"1.2":                               {"1.2", ""},
		"$(VERSION)-$(ARCH)":                {"", ""},
		"{{.Version}}-$(SUFFIX)":            {"", ""},
		"{{.Branch}}":                       {"", ""},
		"{{ sha }}-x":                       {"", ""},
		"sha-abc":                           {"", ""},
		"sha-$(SHA)":                        {"", ""},
		"a b":                               {"", ""},
		"a$":                                {"", ""},
	} {
		template, form := tagTemplate(tag)
		if got := [2]string{template, form}; got != want {
			t.Errorf("%q is %q, not %q", tag, got, want)
		}
	}
}

// TestTagsOf: tags with a version are those of a release, others of what publishes move.
func TestTagsOf(t *testing.T) {
	const branches, architectures = "tags that a release does not move", "tags for each architecture, which platformTags under names makes"
	for name, tc := range map[string]struct {
		names        []string
		rank         rank
		ofBranches   bool
		tags, floats []string
		forms        []string
		left         string
	}{
		"nothing":          {},
		"without a tag":    {names: []string{"r.io/a"}, rank: publishes},
		"git's, by make":   {names: []string{"r.io/a:$(RELEASED)"}, tags: []string{"{{.Version}}"}, forms: []string{withV}},
		"not git's":        {names: []string{"r.io/a:$(OTHER)"}, tags: []string{"{{.Version}}"}},
		"a version":        {names: []string{"r.io/a:v1.2.3"}, tags: []string{"{{.Version}}"}, forms: []string{withV}},
		"a variable":       {names: []string{"a:$(VERSION)"}, rank: publishes, tags: []string{"{{.Version}}"}},
		"two of a version": {names: []string{"a:{{.Version}}", "a:{{.Version}}-x"}, rank: publishes, tags: []string{"{{.Version}}", "{{.Version}}-x"}, forms: []string{withoutV, withoutV}},
		"twice":            {names: []string{"a:{{.Tag}}", "r.io:5000/a:{{.Tag}}"}, rank: publishes, tags: []string{"{{.Version}}"}, forms: []string{withV, withV}},
		"one that moves":   {names: []string{"a:latest", "a:{{.Major}}", "a:{{.Tag}}"}, rank: publishes, tags: []string{"{{.Version}}"}, floats: []string{"latest", "{{.Major}}"}, forms: []string{withV}},
		"it alone":         {names: []string{"a:latest"}, rank: publishes, left: branches},
		"of developers":    {names: []string{"a:latest"}, rank: develops},
		"of users":         {names: []string{"a:latest"}, rank: installs},
		"of a branch":      {names: []string{"a:main", "a:1.2.3"}, rank: publishes, ofBranches: true, tags: []string{"{{.Version}}"}, forms: []string{withoutV}, left: branches},
		"for machines":     {names: []string{"a:{{.Tag}}-amd64", "a:{{.Tag}}-arm64"}, rank: publishes, tags: []string{"{{.Version}}"}, forms: []string{withV, withV}, left: architectures},
		"for a variable":   {names: []string{"a:$(TAG)-$(ARCH)"}, rank: publishes, tags: []string{"{{.Version}}"}, left: architectures},
		"for developers'":  {names: []string{"a:{{.Tag}}-amd64"}, rank: develops, tags: []string{"{{.Version}}"}, forms: []string{withV}},
		"not known":        {names: []string{"a:$(A)$(B)"}, rank: publishes, left: "tags that are not known, or of no version"},
		"a commit":         {names: []string{"a:$SHORT_SHA"}, rank: publishes, left: "tags that are not known, or of no version"},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, "-- Makefile --\nRELEASED = $(shell git describe --tags)\nOTHER = x\n")
			tags, floats := d.tagsOf(dockerBuild{names: tc.names, rank: tc.rank, ofBranches: tc.ofBranches, at: place{"x", 1}})
			var forms []string
			for _, c := range d.tagForms {
				forms = append(forms, c.value)
				if c.rank != tc.rank || c.at.String() != "x:1" {
					t.Errorf("%+v", c)
				}
			}
			if diff := cmp.Diff([][]string{tc.tags, tc.floats, tc.forms}, [][]string{tags, floats, forms}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (tc.left != "") != (len(d.left) > 0) || tc.left != "" && len(said(d, tc.left)) == 0 {
				t.Errorf("left out are %v", d.left)
			}
		})
	}
}

// TestMetadata reads the tags of docker/metadata-action, with its defaults.
func TestMetadata(t *testing.T) {
	for name, tc := range map[string]struct {
		with string
		want []string
	}{
		"nothing":            {"{}", []string{"{{raw}}", "latest"}},
		"semver":             {"{tags: 'type=semver,pattern={{version}}'}", []string{"{{version}}", "latest"}},
		"without a pattern":  {"{tags: type=semver}", []string{"{{version}}", "latest"}},
		"a part":             {"{tags: 'type=semver,pattern={{major}}.{{minor}}'}", []string{"{{major}}.{{minor}}", "latest"}},
		"of Python":          {"{tags: 'type=pep440,pattern={{version}}'}", []string{"{{version}}", "latest"}},
		"several":            {"{tags: \"type=semver,pattern=v{{version}}\\n\\n  type=raw,value=edge\\n\"}", []string{"v{{version}}", "edge", "latest"}},
		"a tag of git":       {"{tags: 'type=ref,event=tag'}", []string{"{{raw}}", "latest"}},
		"a match":            {"{tags: 'type=match,pattern=v(.*)'}", []string{"{{raw}}", "latest"}},
		"branches":           {"{tags: \"type=ref,event=branch\\ntype=ref,event=pr\\ntype=sha\\ntype=schedule\"}", []string{"$(branch)", "sha-$(sha)"}},
		"a commit":           {"{tags: 'type=sha,prefix=v1-'}", []string{"v1-$(sha)"}},
		"a value by itself":  {"{tags: 'type=raw,edge'}", []string{"edge"}},
		"a value":            {"{tags: 'type=raw,value=x'}", []string{"x"}},
		"a value alone":      {"{tags: x}", []string{"x"}},
		"a raw without one":  {"{tags: type=raw}", nil},
		"no latest":          {"{tags: type=semver, flavor: latest=false}", []string{"{{version}}"}},
		"latest anyway":      {"{tags: type=semver, flavor: latest=auto}", []string{"{{version}}", "latest"}},
		"a prefix":           {"{tags: 'type=semver,pattern={{version}},prefix=a-,suffix=-b'}", []string{"a-{{version}}-b", "latest"}},
		"of all":             {"{tags: \"type=semver\\ntype=raw,value=x,prefix=\", flavor: \"prefix=v\\nsuffix=-b\"}", []string{"v{{version}}-b", "x-b", "latest"}},
		"options in between": {"{tags: 'type=semver,enable=true, pattern={{major}},priority=1'}", []string{"{{major}}", "latest"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := metadata(node(t, "with: "+tc.with), yamlfile.Text)
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestFindTags: the tags of images lose the v of git's where something says so, and where places
// differ that is a question.
func TestFindTags(t *testing.T) {
	proof := func(value string, r rank) claim { return claim{value, r, place{"x", 1}} }
	for name, tc := range map[string]struct {
		version string
		noV     bool
		forms   []claim
		prefix  string
		asks    string
	}{
		"nothing":              {version: "git", asks: "v1.2.3|1.2.3"},
		"with it":              {version: "git", forms: []claim{proof(withV, publishes)}},
		"without it":           {version: "git", forms: []claim{proof(withoutV, publishes)}, prefix: "v"},
		"users' without it":    {version: "git", forms: []claim{proof(withoutV, installs)}, prefix: "v"},
		"developers' alone":    {version: "git", forms: []claim{proof(withoutV, develops)}, prefix: "v", asks: "1.2.3|v1.2.3"},
		"before developers'":   {version: "git", forms: []claim{proof(withV, develops), proof(withoutV, publishes)}, prefix: "v"},
		"different ones":       {version: "git", forms: []claim{proof(withV, publishes), proof(withoutV, publishes)}, asks: "v1.2.3|1.2.3"},
		"git has none":         {version: "git", noV: true, forms: []claim{proof(withoutV, publishes)}},
		"a version as it is":   {version: "1.0.0"},
		"one with a v":         {version: "v1.0.0", forms: []claim{proof(withV, publishes)}},
		"one which loses it":   {version: "v1.0.0", forms: []claim{proof(withoutV, publishes)}, prefix: "v"},
		"one of developers":    {version: "v1.0.0", forms: []claim{proof(withoutV, develops)}},
		"one that is disputed": {version: "v1.0.0", forms: []claim{proof(withoutV, publishes), proof(withV, publishes)}},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, "")
			d.version, d.vTags, d.tagForms = tc.version, !tc.noV, tc.forms
			d.findTags()
			var asks []string
			for _, q := range d.Questions {
				for _, c := range q.Candidates {
					asks = append(asks, c.Value)
				}
			}
			if got := strings.Join(asks, "|"); d.tagPrefix != tc.prefix || got != tc.asks {
				t.Errorf("the prefix is %q, not %q; it asks %q, not %q", d.tagPrefix, tc.prefix, got, tc.asks)
			}
		})
	}
}

// TestImageTags: an image has the tags of its builds; where what publishes gives none of a version,
// that is a question.
func TestImageTags(t *testing.T) {
	for name, tc := range map[string]struct {
		names        []string
		rank         rank
		tags, floats []string
		asks         []string
	}{
		"nothing":             {rank: publishes},
		"the version":         {names: []string{"a:{{.Tag}}", "a:latest"}, rank: publishes, floats: []string{"latest"}},
		"another one too":     {names: []string{"a:{{.Tag}}", "a:{{.Tag}}-x"}, rank: publishes, tags: []string{"{{.Version}}", "{{.Version}}-x"}},
		"one that moves":      {names: []string{"a:edge"}, rank: publishes, asks: []string{"{{.Version}}", "edge"}},
		"without a tag":       {names: []string{"a"}, rank: publishes, asks: []string{"{{.Version}}", "latest"}},
		"one of what is not":  {names: []string{"a:sha-x"}, rank: publishes, asks: []string{"{{.Version}}"}},
		"developers' are not": {names: []string{"a:edge"}, rank: develops},
		"the end of one":      {names: []string{"$(IMG)-windows-hp"}, rank: develops, tags: []string{"{{.Version}}-windows-hp"}, asks: []string{"{{.Version}}-windows-hp", "{{.Version}}"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := reader(t, "")
			b := dockerBuild{names: tc.names, rank: tc.rank, at: place{"x", 1}}
			m := made{builds: []dockerBuild{b}}
			m.tags, m.floats = d.tagsOf(b)
			i := &image{name: "a"}
			d.imageTags(i, []made{m})
			var asks []string
			for _, q := range d.Questions {
				for _, c := range q.Candidates {
					asks = append(asks, c.Value)
				}
			}
			if diff := cmp.Diff([][]string{tc.tags, tc.floats, tc.asks}, [][]string{i.tags, i.floats, asks}); diff != "" {
				t.Errorf("tags, floating tags, questions (-want +got):\n%s", diff)
			}
		})
	}
	d := reader(t, "")
	d.options.Answers["images[a].tags"] = "edge"
	b := dockerBuild{names: []string{"a:edge", "a:latest"}, rank: publishes}
	i := &image{name: "a"}
	d.imageTags(i, []made{{builds: []dockerBuild{b}, floats: []string{"edge", "latest"}}})
	if !slices.Equal(i.tags, []string{"edge"}) || !slices.Equal(i.floats, []string{"latest"}) || len(d.Questions) > 0 {
		t.Errorf("answered, the tags are %q, and %q move; it asks %v", i.tags, i.floats, slices.Collect(maps.Keys(d.same)))
	}
}
