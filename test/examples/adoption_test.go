package examples

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// adoptions are third-party products, as the Go module proxy serves them: without git, and
// without a file of ours.
var adoptions = []struct {
	module    string
	platforms string // all that upstream builds for if empty
	released  string // platforms, if not all of those are released; the others are checked
	names     []string
	found     []string // what init says that it found or left out
	asked     []string // the keys of its questions, of which the first answer is taken
	file      []string // what slipway.yaml has
	refused   []string // why init, check and a release refuse it; nothing is released then
}{
	{
		module: "github.com/kubernetes-csi/csi-driver-smb@v1.20.1",
		found:  []string{"found cmd/smbplugin/Dockerfile.WindowsHostProcess: image smb-csi for windows"},
		asked: []string{
			"images", "platforms[linux]", "images[smb-csi].tags", "release", "charts",
			"images[smbplugin].dockerfile.builder", "flags",
		},
		file: []string{
			"- {name: hostprocess, microsoft: hostprocess}", "tags: ['{{.Version}}-windows-hp']  # Makefile:181",
			"repository: sig-storage/smbplugin  # deploy/csi-smb-node-windows-hostprocess.yaml:37",
			"pkg/smb.gitCommit={{.Revision}}",
			`"_output/{{.Arch}}/smbplugin{{.Exe}}": smbplugin`,
		},
		refused: []string{"cmd/smbplugin/Dockerfile:17:5: RUN apt", "Dockerfile:17:64: RUN clean-install"},
	},
	{
		module:    "github.com/prometheus-community/windows_exporter@v0.31.8",
		platforms: "windows/amd64:ltsc2022",
		names:     []string{"slipway.local/prometheuscommunity/windows-exporter:v0.31.8"},
		found: []string{
			"found .promu.yml: programs, flags of the linker and platforms",
			"github.com/prometheus/common/version.Branch={{.Branch}} (.promu.yml:",
		},
		asked: []string{"destinations"},
		file: []string{
			"version.BuildDate={{.Created}}",
			"- {name: hostprocess, microsoft: hostprocess}",
		},
	},
	{
		module: "github.com/stefanprodan/podinfo@v1.8.1-0.20250910200901-e86405a8674e",
		found:  []string{"found .goreleaser.yml"},
		asked: []string{
			"images[podinfo].tags", "images[podinfo-base].tags", "images[podinfo].dockerfile.files", "destinations",
			"charts", "images[podinfo].dockerfile.builder",
		},
		file:    []string{"  - name: podinfo\n    programs: [podcli]  # .goreleaser.yml:17\n", "pkg/version.REVISION={{.Revision}}"},
		refused: []string{"Dockerfile:31:8: RUN apk"},
	},
	{
		module:    "github.com/tektoncd/pipeline@v1.15.0",
		platforms: "linux/amd64,windows/amd64:ltsc2022",
		released:  "linux/amd64", // for Windows, entrypoint alone compiles 1075 packages
		names: []string{
			"slipway.local/pipeline/controller:v1.15.0", "slipway.local/pipeline/entrypoint:v1.15.0",
		},
		found: []string{
			"found .ko.yaml: 5 base images",
			"found ./cmd/entrypoint: image entrypoint of that program alone",
		},
		asked: []string{"destinations"},
		file: []string{
			"bases: {linux: combined-base-image, windows: nanoserver}", "- name: static-base", "- {path: config}",
		},
	},
	{
		module:    "github.com/prometheus/node_exporter@v1.12.1",
		platforms: "linux/amd64,linux/arm64",
		names: []string{
			"slipway.local/prometheus/node-exporter:v1.12.1",
		},
		found: []string{"omitted: further Dockerfiles of one name: Dockerfile.distroless"},
		asked: []string{"artifacts", "images[node-exporter].dockerfile.files"},
		file:  []string{"ARCH: '{{.Arch}}{{.Variant}}'", "version.Revision={{.Revision}}"},
	},
}

// TestAdoption begins with the module of a product and nothing else: init, check and release, and
// no line is edited but that the questions are answered as init would. Where an image lacks what it
// needs, all three refuse it with the reason.
func TestAdoption(t *testing.T) {
	for _, a := range adoptions {
		path, version, _ := strings.Cut(a.module, "@")
		t.Run(filepath.Base(path), func(t *testing.T) {
			begin := func(platforms string) (p *product, said string) {
				p = &product{dir: download(t, a.module), out: t.TempDir(), store: t.TempDir()}
				init := []string{
					"init", "-version=" + version, "-revision=6bf2d7e775e21483fe80256080bf720c0b3889fc",
					"-created=2026-03-12T09:07:07Z",
				}
				if platforms != "" {
					init = append(init, "-platforms="+platforms)
				}
				said = p.refused(t, append(slices.Clone(a.refused), a.asked...), init...)
				p.decide(t, a.asked)
				if len(a.refused) == 0 {
					if checked := p.here(t, "check"); !strings.Contains(checked, "no mistakes found") {
						t.Errorf("slipway check: %s", checked)
					}
					return p, said
				}
				p.refused(t, a.refused, "check")
				p.refused(t, a.refused, "release", "-q")
				return p, said
			}
			p, said := begin(a.platforms)
			for _, want := range a.found {
				if !strings.Contains(said, want) {
					t.Errorf("init does not say %q:\n%s", want, said)
				}
			}
			if strings.Contains(said, "Next: slipway release\n") {
				t.Errorf("init says release next, with questions: %s", said)
			}
			b, err := os.ReadFile(filepath.Join(p.dir, "slipway.yaml"))
			must(t, err)
			for _, want := range a.file {
				if !strings.Contains(string(b), want) {
					t.Errorf("slipway.yaml lacks %q:\n%s", want, b)
				}
			}
			if len(a.refused) > 0 {
				return
			}
			if a.released != "" {
				p, _ = begin(a.released)
			}
			names := p.plan(t)
			adopted(t, p.release(t), p)
			for _, want := range a.names {
				if !strings.Contains(strings.Join(names, "\n")+"\n", want+"\n") {
					t.Errorf("the names are %s, without %s", cmp.Diff(nil, names), want)
				}
			}
		})
	}
}

// decide takes the first answer to each question of slipway.yaml, which are those of these keys.
func (p *product) decide(t *testing.T, asked []string) {
	t.Helper()
	file := filepath.Join(p.dir, "slipway.yaml")
	b, err := os.ReadFile(file)
	must(t, err)
	before, after, _ := strings.Cut(string(b), "\nundecided:\n")
	var list []struct{ Key string }
	must(t, yaml.Unmarshal([]byte(after), &list))
	var keys []string
	for _, q := range list {
		keys = append(keys, q.Key)
	}
	if diff := cmp.Diff(asked, keys); diff != "" {
		t.Errorf("what init asks (-want +got):\n%s", diff)
	}
	must(t, os.WriteFile(file, []byte(before), 0o666))
}

// refused runs a command that ends with exit code 1 for these reasons, and returns what it prints.
func (p *product) refused(t *testing.T, why []string, args ...string) string {
	t.Helper()
	file, err := slipway()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), file, args...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("slipway %s: %v, want exit code 1\n%s", args[0], err, out)
	}
	for _, w := range why {
		if !strings.Contains(string(out), w) {
			t.Errorf("slipway %s does not say %q:\n%s", args[0], w, out)
		}
	}
	return string(out)
}

// here runs the command in the product's directory, as a user does, and returns what it prints.
func (p *product) here(t *testing.T, args ...string) string {
	t.Helper()
	file, err := slipway()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), file, args...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("slipway %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

// download returns a copy of a module that may be written to.
func download(t *testing.T, module string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir() // so that no other go.mod is asked
	out, err := cmd.Output()
	var m struct{ Dir, Error string }
	if jerr := json.Unmarshal(out, &m); err != nil || jerr != nil || m.Dir == "" {
		t.Fatalf("downloading %s: %v %s", module, err, m.Error)
	}
	dir := t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS(m.Dir)))
	must(t, filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(p, 0o755)
		}
		return err
	}))
	return dir
}

// adopted checks that each image of a release has a program for its platform.
func adopted(t *testing.T, l *lock.Lock, p *product) {
	t.Helper()
	st, err := store.Open(p.store)
	must(t, err)
	for _, i := range l.Images {
		for _, c := range i.Children {
			img, err := st.Image(c.Digest)
			must(t, err)
			programs := 0
			for name, content := range filesOf(t, img) {
				if m := machine(content); m != "" && m != c.Platform.OS+"/"+c.Platform.Architecture {
					t.Errorf("%s of %s for %s is for %s", name, i.Name, c.Platform, m)
				} else if m != "" {
					programs++
				}
			}
			if programs == 0 {
				t.Errorf("%s for %s has no program", i.Name, c.Platform)
			}
		}
	}
}
