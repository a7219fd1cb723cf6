package sbom_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/evidence/sbom"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

var update = flag.Bool("update", false, "write the golden files anew")

var (
	linux   = platform.Platform{OS: "linux", Architecture: "amd64"}
	windows = platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.3207"}
	old     = platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.17763.6893"}
)

const revision = "7188425b0c96c4da0cce7cbb04872bb115213907"

func child(n int, p platform.Platform, base *lock.Base) lock.Child {
	return lock.Child{
		Platform: p, OSVersion: p.OSVersion, MediaType: types.OCIManifestSchema1,
		Digest: storetest.MadeUpDigest(n), Size: 500, Config: storetest.MadeUpDigest(n + 1), Base: base,
	}
}

func image(n int, name string, children ...lock.Child) lock.Image {
	return lock.Image{
		Name: name, Kind: "dockerfile", Repository: "ghcr.io/me/" + name, Tags: []string{"0.16.1"},
		MediaType: types.OCIImageIndex, Digest: storetest.MadeUpDigest(n), Size: 900, Children: children,
	}
}

func program(n int, goos, source string, modules ...lock.Module) lock.Program {
	format := map[string]string{"linux": "ELF", "windows": "PE"}[goos]
	return lock.Program{
		Digest: storetest.MadeUpDigest(n), SHA512: strings.Repeat(fmt.Sprintf("%02x", n), 64), Size: 10, Format: format,
		OS: goos, Architecture: "amd64", Source: source,
		Go: "go1.26.8", Package: "github.com/pivotal/kpack/cmd/app",
		Main: lock.Module{Path: "github.com/pivotal/kpack", Version: "(devel)"}, Modules: modules,
		Settings: []lock.Setting{{Key: "CGO_ENABLED", Value: "0"}, {Key: "GOOS", Value: goos}},
	}
}

func in(path string, n int) lock.File {
	return lock.File{Path: path, Digest: storetest.MadeUpDigest(n), Size: 10}
}

// kpack returns a release with everything that an inventory may have.
func kpack() (*lock.Lock, *lock.Inventory) {
	static := &lock.Base{Name: "builtin:static", Digest: storetest.MadeUpDigest(200)}
	alpine := &lock.Base{
		Name:   "docker.io/library/alpine:3.22@" + storetest.MadeUpDigest(210).String(),
		Digest: storetest.MadeUpDigest(211),
	}
	nano := &lock.Base{
		Name:   "mcr.microsoft.com/windows/nanoserver:ltsc2022@" + storetest.MadeUpDigest(220).String(),
		Digest: storetest.MadeUpDigest(221),
	}
	stub := &lock.Base{
		Name:   "mcr.microsoft.com/windows/nanoserver:ltsc2019@" + storetest.MadeUpDigest(230).String(),
		Digest: storetest.MadeUpDigest(231), Stub: true,
	}
	onAlpine := child(21, linux, alpine)
	onAlpine.CopiedFrom = []lock.Base{{
		Name:   "quay.io/tools/busybox@" + storetest.MadeUpDigest(240).String(),
		Digest: storetest.MadeUpDigest(240),
	}}
	lifecycle := image(30, "lifecycle", child(30, linux, nil))
	lifecycle.MediaType, lifecycle.Children[0].ExtraOS = types.OCIManifestSchema1, []string{"linux", "windows"}
	l := &lock.Lock{
		SchemaVersion: lock.SchemaVersion, Release: lock.Release{
			Name: "kpack", Version: "0.16.1", Registry: "ghcr.io/me",
			Created: time.Date(2025, 1, 16, 21, 57, 50, 0, time.UTC), Go: "go1.26.8",
			Sources: []lock.Source{
				{
					Name: "kpack", Module: "github.com/pivotal/kpack@v0.16.1", Sum: "h1:source=", Revision: revision,
					URL: "https://github.com/buildpacks-community/kpack", Licenses: "Apache-2.0",
				},
				{Name: "here", Revision: "0123456789abcdef0123456789abcdef01234567-dirty", Licenses: "our own license"},
			},
		},
		Images: []lock.Image{
			image(10, "controller", child(11, linux, static), child(13, windows, nano), child(15, old, stub)),
			image(20, "tools", onAlpine), lifecycle,
		},
		Charts: []lock.Chart{{
			Name: "kpack", Version: "0.16.1", Repository: "ghcr.io/me/charts/kpack", Tags: []string{"0.16.1"},
			Digest: storetest.MadeUpDigest(70),
			File:   lock.ChartFile{Name: "kpack-0.16.1.tgz", Digest: storetest.MadeUpDigest(71), Size: 20},
		}},
		ThirdParty: []lock.ThirdParty{
			{
				Reference: "registry.k8s.io/pause:3.10", Digest: storetest.MadeUpDigest(80),
				Referrers: []oci.Referrer{{ArtifactType: "application/spdx+json", Digest: storetest.MadeUpDigest(81)}},
			},
			{Reference: "ghcr.io/x/omitted:1", Omitted: "images.txt removes it"},
			{Reference: "busybox:1.36", Digest: storetest.MadeUpDigest(82)},
		},
		Artifacts: []lock.Artifact{{
			File: "kp.linux-amd64", Platform: linux, Digest: storetest.MadeUpDigest(50),
			Executable: true,
		}, {File: "kp.tar.gz", Platform: linux, Digest: storetest.MadeUpDigest(60)}},
		Compilers: []lock.Compiler{{Platform: linux, Command: "gcc", Version: "gcc (Debian 12.2.0-14) 12.2.0"}},
		Prebuilt: []lock.Prebuilt{{
			Name: "wins", Platform: platform.Platform{OS: "windows", Architecture: "amd64"},
			Digest: storetest.MadeUpDigest(53), From: "https://example.com/wins.exe",
		}},
	}
	app := program(50, "linux", "kpack",
		lock.Module{Path: "github.com/BurntSushi/toml", Version: "v1.2.0", Sum: "h1:toml="},
		lock.Module{Path: "github.com/docker/docker", Version: "v28.5.2+incompatible", Sum: "h1:docker="},
		lock.Module{
			Path: "example.com/lib", Version: "v1.0.0",
			Replace: &lock.Module{Path: "./lib", Version: "(devel)"},
		},
		lock.Module{
			Path: "example.com/fork", Version: "v1.0.0",
			Replace: &lock.Module{Path: "example.com/ours", Version: "v1.0.1", Sum: "h1:ours="},
		},
		lock.Module{Path: "example.com/elsewhere", Version: "v1.0.0", Replace: &lock.Module{Path: "/home/me/lib"}})
	exe := program(51, "windows", "kpack", app.Modules[0])
	withC := program(52, "linux", "here")
	withC.Main.Path, withC.Package, withC.Settings[0].Value = "example.com/here", "example.com/here", "1"
	wins := lock.Program{
		Digest: storetest.MadeUpDigest(53), SHA512: strings.Repeat("53", 64), Size: 10,
		Format: "PE", OS: "windows", Architecture: "amd64",
	}
	foreign := program(54, "linux", "")
	foreign.Main, foreign.Package = lock.Module{Path: "github.com/x/y", Version: "v2.0.0", Sum: "h1:y="},
		"github.com/x/y"
	foreign.Go = "go1.25.1 X:nocoverageredesign"
	v := &lock.Inventory{
		Contents: []lock.Content{
			{Digest: storetest.MadeUpDigest(11), Files: []lock.File{in("/etc/passwd", 90), in("/ko-app/app", 50)}},
			{Digest: storetest.MadeUpDigest(13), Files: []lock.File{in("/ko-app/app.exe", 51), in("/wins.exe", 53)}},
			{Digest: storetest.MadeUpDigest(15), Files: []lock.File{in("/ko-app/app.exe", 51)}},
			{
				Digest: storetest.MadeUpDigest(21),
				Files:  []lock.File{in("/bin/here", 52), in("/bin/alias", 54), in("/bin/y", 54), in("/usr/bin/y", 54)},
				Packages: []lock.Package{
					{
						Type: lock.PackageDeb, Name: "cifs-utils", Version: "2:7.0-2", Architecture: "amd64",
						Distribution: "debian", Release: "12", Codename: "bookworm", Licenses: "GPL-3.0-or-later",
					},
					{
						Type: lock.PackageDeb, Name: "libgcc-s1", Version: "12.2.0-14", Architecture: "amd64",
						Source: "gcc-12", SourceVersion: "12.2.0-1",
						Distribution: "debian", Release: "12", Codename: "bookworm",
						Licenses: "GPL-3.0-or-later AND LicenseRef-public-domain",
					},
				},
			},
			{
				Digest: storetest.MadeUpDigest(30),
				Files:  []lock.File{in("/cnb/lifecycle/launcher", 50), in("/cnb/lifecycle/launcher.exe", 51)},
			},
			{Digest: storetest.MadeUpDigest(50), SHA512: app.SHA512},
			{
				Digest: storetest.MadeUpDigest(60), SHA512: strings.Repeat("60", 64),
				Files: []lock.File{in("kp", 50), in("LICENSE", 91)},
			},
			{Digest: storetest.MadeUpDigest(71), SHA512: strings.Repeat("71", 64)},
		},
		Programs: []lock.Program{app, exe, withC, wins, foreign},
		Bases: []lock.BaseFacts{{
			Digest:  storetest.MadeUpDigest(211),
			Version: "3.22.1", Licenses: "MIT AND (GPL-2.0-only OR LicenseRef-Other)",
		}},
	}
	for n := range v.Contents {
		v.Contents[n].Source = "kpack"
	}
	return l, v
}

func TestSPDX(t *testing.T) {
	l, v := kpack()
	for _, i := range l.Images {
		b, err := sbom.SPDX(l, v, i.Name)
		if err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, *update, "testdata/"+i.Name+".spdx.json", indented(t, b))
		checkSPDX(t, b)
	}
}

func TestCycloneDX(t *testing.T) {
	l, v := kpack()
	b, err := sbom.CycloneDX(l, v)
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, *update, "testdata/kpack.cdx.json", indented(t, b))
	checkCycloneDX(t, b)
}

func indented(t *testing.T, b []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", " "); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// checkSPDX checks what the specification demands and JSON's schema cannot.
func checkSPDX(t *testing.T, b []byte) {
	t.Helper()
	var doc struct {
		Namespace string `json:"documentNamespace"`
		Packages  []struct {
			ID         string                                             `json:"SPDXID"`
			Declared   string                                             `json:"licenseDeclared"`
			References []struct{ ReferenceType, ReferenceLocator string } `json:"externalRefs"`
		}
		Relationships []struct{ SpdxElementID, RelatedSpdxElement string }
		Licenses      []struct{ LicenseID string } `json:"hasExtractedLicensingInfos"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	ids, related := map[string]bool{"SPDXRef-DOCUMENT": true}, map[string]bool{}
	for _, p := range doc.Packages {
		if ids[p.ID] || !regexp.MustCompile(`^SPDXRef-[A-Za-z0-9.-]+$`).MatchString(p.ID) {
			t.Errorf("%s is not an identifier, or is there twice", p.ID)
		}
		ids[p.ID] = true
		for _, r := range p.References {
			if strings.ContainsAny(r.ReferenceLocator+r.ReferenceType, " \t\n") ||
				r.ReferenceType == "purl" && !strings.HasPrefix(r.ReferenceLocator, "pkg:") {
				t.Errorf("%s refers to %q", p.ID, r.ReferenceLocator)
			}
		}
		if len(p.References) == 0 {
			t.Errorf("%s has no purl", p.ID)
		}
		for _, ref := range regexp.MustCompile(`LicenseRef-[A-Za-z0-9.-]+`).FindAllString(p.Declared, -1) {
			if !slices.ContainsFunc(doc.Licenses, func(l struct{ LicenseID string }) bool {
				return l.LicenseID == ref
			}) {
				t.Errorf("%s has the license %s, which the document lacks", p.ID, ref)
			}
		}
	}
	for _, r := range doc.Relationships {
		if !ids[r.SpdxElementID] || !ids[r.RelatedSpdxElement] {
			t.Errorf("%v relates something that is not listed", r)
		}
		related[r.SpdxElementID], related[r.RelatedSpdxElement] = true, true
	}
	for id := range ids {
		if !related[id] {
			t.Errorf("nothing relates to %s", id)
		}
	}
}

func checkCycloneDX(t *testing.T, b []byte) {
	t.Helper()
	var doc struct {
		SerialNumber string
		Metadata     struct {
			Component struct {
				Ref string `json:"bom-ref"`
			}
		}
		Components []struct {
			Ref        string `json:"bom-ref"`
			Purl       string
			Properties []struct{ Name, Value string }
		}
		Dependencies []struct {
			Ref       string
			DependsOn []string
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(
		`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(
		doc.SerialNumber) {
		t.Errorf("the serial number is %s", doc.SerialNumber)
	}
	refs := map[string]bool{doc.Metadata.Component.Ref: true}
	for _, c := range doc.Components {
		if refs[c.Ref] {
			t.Errorf("%s is there twice", c.Ref)
		}
		refs[c.Ref] = true
		if !strings.HasPrefix(c.Purl, "pkg:") || len(c.Properties) < 3 {
			t.Errorf("%s has purl %q and %d properties", c.Ref, c.Purl, len(c.Properties))
		}
	}
	for _, d := range doc.Dependencies {
		if !slices.IsSorted(d.DependsOn) || len(slices.Compact(slices.Clone(d.DependsOn))) != len(d.DependsOn) {
			t.Errorf("%s depends on %v", d.Ref, d.DependsOn)
		}
		for _, ref := range append(d.DependsOn, d.Ref) {
			if !refs[ref] {
				t.Errorf("%s depends on %s, which is not listed", d.Ref, ref)
			}
		}
	}
}

// TestStated checks that a component has the license, the repository and the version of what it
// was made from, and is called complete only if it is known what it consists of.
func TestStated(t *testing.T) {
	l, v := kpack()
	stated := func() map[string][4]string {
		t.Helper()
		b, err := sbom.CycloneDX(l, v)
		if err != nil {
			t.Fatal(err)
		}
		return statedIn(t, b)
	}
	check := func(what string, want map[string][4]string) {
		t.Helper()
		got := stated()
		for name, w := range want {
			if got[name] != w {
				t.Errorf("%s: %s is %q, want %q", what, name, got[name], w)
			}
		}
	}
	const vcs, other = "https://github.com/buildpacks-community/kpack", "https://github.com/them/here"
	l.Artifacts = append(l.Artifacts,
		lock.Artifact{File: "here.tar.gz", Platform: linux, Digest: storetest.MadeUpDigest(61)},
		lock.Artifact{File: "both.tar.gz", Platform: linux, Digest: storetest.MadeUpDigest(62)},
		lock.Artifact{File: "wins.zip", Platform: windows, Digest: storetest.MadeUpDigest(63)})
	for n, files := range [][]lock.File{
		{in("here", 52)},
		{in("here", 52), in("kp", 50)},
		{in("wins.exe", 53), in("kp.exe", 51)},
	} {
		must(t,
			v.Add(&lock.Inventory{Contents: []lock.Content{{Digest: storetest.MadeUpDigest(61 + n), Files: files}}}))
	}
	l.Sources[1].Licenses, l.Sources[1].URL = "GPL-3.0-only OR MIT", other
	v.Contents[3].Source = "here" // image tools
	v.Contents[3].Version = "9.9.1"
	check("two sources", map[string][4]string{
		"release kpack":        {"Apache-2.0 AND (GPL-3.0-only OR MIT)", vcs, "0.16.1", "unknown"},
		"kp.linux-amd64":       {"Apache-2.0", vcs, "0.16.1", "complete"},
		"kp.tar.gz":            {"Apache-2.0", vcs, "0.16.1", "complete"}, // its LICENSE is a text
		"here.tar.gz":          {"GPL-3.0-only OR MIT", other, "0.16.1", "unknown"},
		"both.tar.gz":          {"Apache-2.0 AND (GPL-3.0-only OR MIT)", "", "0.16.1", "unknown"},
		"wins.zip":             {"", "", "0.16.1", "unknown"},
		"kpack-0.16.1.tgz":     {"", "", "0.16.1", "unknown"},
		"ghcr.io/me/tools":     {"GPL-3.0-only OR MIT", other, "9.9.1", "unknown"},
		"ghcr.io/me/lifecycle": {"Apache-2.0", vcs, "0.16.1", "complete"},
		"app":                  {"Apache-2.0", vcs, "v0.16.1", "complete"},
		"here":                 {"GPL-3.0-only OR MIT", other, "", "unknown"}, // it has C in it
	})
	spdx, err := sbom.SPDX(l, v, "tools")
	if err != nil || !bytes.Contains(spdx, []byte(`"name":"kpack/tools 9.9.1"`)) ||
		bytes.Contains(spdx, []byte(`"versionInfo":"0.16.1"`)) {
		t.Errorf("the image has another version, and its document is of\n%s, %v", spdx, err)
	}
	l.Sources[0].Licenses, l.Sources[0].URL = "", ""
	check("a first source without a license", map[string][4]string{
		"release kpack": {"", "", "0.16.1", "unknown"}, "kp.linux-amd64": {"", "", "0.16.1", "complete"},
		"both.tar.gz": {"", "", "0.16.1", "unknown"},
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// statedIn returns license, repository, version and completeness of the components of a document,
// by their names; of components of one name, those of the last.
func statedIn(t *testing.T, b []byte) map[string][4]string {
	t.Helper()
	type component struct {
		Ref                string `json:"bom-ref"`
		Name, Version      string
		Licenses           []struct{ Expression string }
		ExternalReferences []struct{ Type, URL string }
		Properties         []struct{ Name, Value string }
	}
	var doc struct {
		Metadata     struct{ Component component }
		Components   []component
		Compositions []struct {
			Aggregate    string
			Dependencies []string
		}
	}
	must(t, json.Unmarshal(b, &doc))
	aggregate := map[string]string{}
	for _, c := range doc.Compositions {
		for _, ref := range c.Dependencies {
			aggregate[ref] = c.Aggregate
		}
	}
	all := map[string][4]string{}
	doc.Metadata.Component.Name = "release " + doc.Metadata.Component.Name
	for _, c := range append(doc.Components, doc.Metadata.Component) {
		out := [4]string{2: c.Version, 3: aggregate[c.Ref]}
		for _, l := range c.Licenses {
			out[0] = l.Expression
		}
		for _, r := range c.ExternalReferences {
			if r.Type == "vcs" {
				out[1] = r.URL
			}
		}
		for _, p := range c.Properties {
			if p.Name == "slipway:path" && strings.HasSuffix(p.Value, ".tgz") {
				c.Name = p.Value
			}
		}
		all[c.Name] = out
	}
	return all
}

// TestHash checks that the hash of go.sum is never called a digest of a file.
func TestHash(t *testing.T) {
	l, v := kpack()
	spdx, err := sbom.SPDX(l, v, "controller")
	if err != nil {
		t.Fatal(err)
	}
	cdx, err := sbom.CycloneDX(l, v)
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range [][]byte{spdx, cdx} {
		if !bytes.Contains(doc, []byte("h1:toml=")) {
			t.Error("the hash of go.sum is not there")
		}
		for _, value := range regexp.MustCompile(`"(?:checksumValue|content)":"([^"]*)"`).FindAllSubmatch(doc, -1) {
			if !regexp.MustCompile(`^([0-9a-f]{64}|[0-9a-f]{128})$`).Match(value[1]) {
				t.Errorf("a digest is %s", value[1])
			}
		}
		if bytes.Contains(doc, []byte("/home/me")) {
			t.Error("a directory of the machine is there")
		}
	}
}

// TestUnique checks that identifiers of documents follow from their contents.
func TestUnique(t *testing.T) {
	namespace := func(change func(*lock.Lock, *lock.Inventory)) string {
		l, v := kpack()
		change(l, v)
		b, err := sbom.SPDX(l, v, "controller")
		if err != nil {
			t.Fatal(err)
		}
		return string(regexp.MustCompile(`"documentNamespace":"[^"]*"`).Find(b))
	}
	same := func(*lock.Lock, *lock.Inventory) {}
	if a, b := namespace(same), namespace(same); a != b || a == "" {
		t.Errorf("%s is %s the second time", a, b)
	}
	for _, change := range []func(*lock.Lock, *lock.Inventory){
		func(l *lock.Lock, _ *lock.Inventory) { l.Images[0].Repository = "ghcr.io/you/controller" },
		func(_ *lock.Lock, v *lock.Inventory) { v.Programs[0].Modules[0].Version = "v1.2.1" },
	} {
		if namespace(change) == namespace(same) {
			t.Error("another document has the same namespace")
		}
	}
	// What another image has changes nothing.
	other := func(_ *lock.Lock, v *lock.Inventory) {
		v.Programs[2].Modules = []lock.Module{{Path: "example.com/new"}}
	}
	if namespace(other) != namespace(same) {
		t.Error("another image changes the document")
	}
}

func TestErrors(t *testing.T) {
	l, v := kpack()
	if _, err := sbom.SPDX(l, v, "none"); err == nil || !strings.Contains(err.Error(), `no image "none"`) {
		t.Errorf("the error is %v", err)
	}
	v.Contents = v.Contents[1:]
	for _, err := range []error{second(sbom.SPDX(l, v, "controller")), second(sbom.CycloneDX(l, v))} {
		if err == nil ||
			!strings.Contains(err.Error(), "the inventory lacks controller for linux/amd64: build it again") {
			t.Errorf("the error is %v", err)
		}
	}
	if _, err := sbom.CycloneDX(l, nil); err == nil {
		t.Error("there is a document without an inventory")
	}
}

func second(_ []byte, err error) error { return err }
