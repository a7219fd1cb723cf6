package debian_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/packages/debian"
)

// apt runs the real apt-get in a directory of its own, so that it neither reads nor changes what
// is installed on the machine.
type apt struct {
	dir, arch, lists string
	foreign          []string
	marks            bool // also find which packages are marked as installed automatically
}

func newApt(t *testing.T, arch string, foreign ...string) *apt {
	t.Helper()
	version, err := exec.CommandContext(t.Context(), "apt-get", "--version").Output()
	if err != nil {
		t.Skip("apt-get is not installed")
	}
	if !strings.HasPrefix(string(version), "apt 2.6.") {
		t.Skipf("this is not apt 2.6: %s", version)
	}
	a := &apt{dir: t.TempDir(), arch: arch, foreign: foreign}
	a.lists = filepath.Join(a.dir, "lists")
	for _, d := range []string{"lists/partial", "cache/archives/partial", "etc/preferences.d", "etc/apt.conf.d"} {
		if err := os.MkdirAll(filepath.Join(a.dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"status", "extended_states", "etc/sources.list"} {
		a.write(t, name, "")
	}
	return a
}

func (a *apt) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// repository puts an index where apt-get update would.
func (a *apt) repository(t *testing.T, suite, release, arch, packages string) {
	t.Helper()
	base := "lists/_repo_dists_" + suite + "_"
	a.write(t, base+"Release", release)
	a.write(t, base+"main_binary-"+arch+"_Packages", packages)
}

// config returns the configuration of apt-get.
func (a *apt) config() string {
	var b strings.Builder
	for key, value := range map[string]string{
		"Dir": "/", "Dir::State": a.dir, "Dir::State::lists": a.lists, "Dir::State::status": a.dir + "/status",
		"Dir::State::extended_states": a.dir + "/extended_states", "Dir::Cache": a.dir + "/cache",
		"Dir::Etc": a.dir + "/etc", "APT::Architecture": a.arch, "APT::Sandbox::User": "root", "Dir::Log": a.dir,
	} {
		fmt.Fprintf(&b, "%s %q;\n", key, value)
	}
	fmt.Fprintf(&b, "APT::Architectures { %q;", a.arch)
	for _, f := range a.foreign {
		fmt.Fprintf(&b, " %q;", f)
	}
	b.WriteString(" };\n")
	return b.String()
}

var (
	instLine = regexp.MustCompile(`(?m)^(Inst|Remv|Purg) (\S+)(?: \[([^\]]*)\])?(?: \((\S+) .*?\[(\S+)\]\))?`)
	autoLine = regexp.MustCompile(`(?m)^AutoDep: (\S+)$`)
)

// simulate returns what apt-get -s would do, as sorted lines, and the packages that it marks as
// installed automatically. ok is false if apt-get refuses.
func (a *apt) simulate(t *testing.T, args ...string) (lines, auto []string, output string, ok bool) {
	t.Helper()
	conf := filepath.Join(a.dir, "apt.conf")
	if err := os.WriteFile(conf, []byte(a.config()), 0o644); err != nil {
		t.Fatal(err)
	}
	args = append([]string{"-s", "-y", "-o", "Debug::NoLocking=1"}, args...)
	if a.marks {
		args = append([]string{"-o", "Debug::pkgAutoRemove=1"}, args...)
	}
	cmd := exec.CommandContext(t.Context(), "apt-get", args...)
	cmd.Env = []string{"APT_CONFIG=" + conf, "PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	out, err := cmd.CombinedOutput()
	output = string(out)
	if err != nil {
		return nil, nil, output, false
	}
	for _, m := range instLine.FindAllStringSubmatch(output, -1) {
		name, _, _ := strings.Cut(m[2], ":")
		_, arch, qualified := strings.Cut(m[2], ":")
		if !qualified {
			arch = a.arch
		}
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s:%s %s", m[1], name, arch, m[4])))
	}
	slices.Sort(lines)
	// The last pass over the packages has the marks that apt would write.
	blocks := strings.Split(output, "DoAutomaticRemove()")
	for _, m := range autoLine.FindAllStringSubmatch(blocks[len(blocks)-1], -1) {
		if name := strings.TrimSuffix(m[1], ":"+a.arch); !slices.Contains(auto, name) {
			auto = append(auto, name)
		}
	}
	slices.Sort(auto)
	return slices.Compact(lines), auto, output, true
}

// asApt returns a plan as the lines of apt-get -s.
func asApt(p *debian.Plan, native string) (lines []string) {
	for _, c := range p.Changes {
		arch := c.Arch
		if arch == "all" {
			arch = native
		}
		switch c.Action {
		case debian.Remove:
			lines = append(lines, fmt.Sprintf("Remv %s:%s", c.Name, arch))
		case debian.Purge:
			lines = append(lines, fmt.Sprintf("Purg %s:%s", c.Name, arch))
		default:
			lines = append(lines, fmt.Sprintf("Inst %s:%s %s", c.Name, arch, c.New))
		}
	}
	slices.Sort(lines)
	return lines
}

// autos returns the packages that a plan marks as installed automatically.
func autos(p *debian.Plan, native string) (names []string) {
	for entry := range strings.SplitSeq(p.ExtendedStates(), "\n\n") {
		name, rest, _ := strings.Cut(strings.TrimPrefix(entry, "Package: "), "\n")
		arch, _, _ := strings.Cut(strings.TrimPrefix(rest, "Architecture: "), "\n")
		switch {
		case name == "":
		case arch == native:
			names = append(names, name)
		default:
			names = append(names, name+":"+arch)
		}
	}
	slices.Sort(names)
	return names
}

// diff lists what only one of two lists has.
func diff(got, want []string) string {
	var b strings.Builder
	for _, l := range got {
		if !slices.Contains(want, l) {
			b.WriteString("\n\tonly here: " + l)
		}
	}
	for _, l := range want {
		if !slices.Contains(got, l) {
			b.WriteString("\n\tonly apt:  " + l)
		}
	}
	return b.String()
}
