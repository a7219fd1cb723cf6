package debian_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/packages/debian"
)

// The worlds that TestOracle makes, and the requests for each. SLIPWAY_DEBIAN_WORLDS=1000 makes
// more.
const worlds, requests = 40, 4

// rare are worlds with what hardly any other has: names that are known for another architecture, a
// candidate that was discarded and still counts, and a tie of scores.
var rare = []uint64{1044, 1090, 1430}

// TestOracle compares Resolve with apt-get -s on random repositories.
func TestOracle(t *testing.T) {
	count := worlds
	first := uint64(1)
	if n, err := strconv.Atoi(os.Getenv("SLIPWAY_DEBIAN_WORLDS")); err == nil {
		count = n
	}
	if n, err := strconv.ParseUint(os.Getenv("SLIPWAY_DEBIAN_SEED"), 10, 64); err == nil {
		first = n
	}
	found := map[string]int{}
	for n := range count {
		seed := first + uint64(n)
		t.Run(fmt.Sprint(seed), func(t *testing.T) { compareWorld(t, seed, found) })
	}
	for _, seed := range rare {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { compareWorld(t, seed, found) })
	}
	t.Logf("%v", found)
	if found["tied"] == 0 {
		t.Error("no answer depends on the order of equal scores")
	}
	if found["same"] < count {
		t.Errorf("only %d of the answers are the same: %v", found["same"], found)
	}
}

func compareWorld(t *testing.T, seed uint64, found map[string]int) {
	rnd := rand.New(rand.NewPCG(seed, 7))
	w := newWorld(rnd, seed%4 == 0)
	a := newApt(t, w.archs[0], w.archs[1:]...)
	a.marks = true
	u := debian.NewUniverse(w.archs[0], w.archs[1:]...)
	var sources strings.Builder
	for suite, packages := range map[string][]stanza{"stable": w.stable, "updates": w.updates} {
		release := fmt.Sprintf("Origin: Test\nLabel: Test\nSuite: %s\nCodename: %s-name\nDate: Thu, 01 Jan 2026 00:00:00 UTC\n"+
			"Architectures: %s\nComponents: main\nSHA256:\n", suite, suite, strings.Join(w.archs, " "))
		for _, arch := range w.archs {
			a.repository(t, suite, release, arch, index(packages, arch))
		}
	}
	for _, suite := range []string{"stable", "updates"} {
		packages := map[string][]stanza{"stable": w.stable, "updates": w.updates}[suite]
		fmt.Fprintf(&sources, "deb [trusted=yes] file:/repo %s main\n", suite)
		for _, arch := range w.archs {
			r := &debian.Repository{
				URL: "file:/repo", Suite: suite, Component: "main", Archive: suite, Codename: suite + "-name", Origin: "Test",
				Label: "Test",
			}
			if err := u.Add(r, arch, index(packages, arch)); err != nil {
				t.Fatal(err)
			}
		}
	}
	a.write(t, "etc/sources.list", sources.String())
	a.write(t, "status", w.status)
	a.write(t, "extended_states", w.auto)
	if err := u.AddStatus("status", w.status); err != nil {
		t.Fatal(err)
	}
	if err := u.AddExtendedStates("extended_states", w.auto); err != nil {
		t.Fatal(err)
	}
	for range requests {
		compareRequest(t, a, u, w, found)
	}
}

func compareRequest(t *testing.T, a *apt, u *debian.Universe, w *world, found map[string]int) {
	r, args := w.request()
	plan, err := u.Resolve(r)
	lines, auto, output, ok := a.simulate(t, args...)
	var ambiguous *debian.AmbiguousError
	var tie *debian.TieError
	switch {
	case errors.As(err, &tie):
		found["tied"]++
	case errors.As(err, &ambiguous):
		found["ambiguous"]++
	case err != nil && !ok:
		found["refused"]++
	case !ok && orderFails(output):
		found["not ordered"]++
	case err != nil:
		found["differs"]++
		t.Errorf("%s: %v, and apt does\n%s", strings.Join(args, " "), err, strings.Join(lines, "\n"))
	case !ok:
		found["differs"]++
		t.Errorf("%s: apt refuses, and this is resolved as\n%s\n%s", strings.Join(args, " "),
			strings.Join(asApt(plan, a.arch), "\n"), lastLines(output, 12))
	default:
		got := asApt(plan, a.arch)
		if !slices.Equal(got, lines) {
			found["differs"]++
			t.Errorf("%s: %s", strings.Join(args, " "), diff(got, lines))
			return
		}
		// With sections whose packages are never marked, the marks change after apt prints them. It
		// also prints marks of packages that are not installed in the end, and does not write
		// these.
		auto = slices.DeleteFunc(auto, func(name string) bool { return !w.installedAfter(plan, name) })
		if got := autos(plan, a.arch); len(r.Settings.NeverMarkAuto) == 0 && !slices.Equal(got, auto) {
			found["marks differ"]++
			t.Errorf("%s: the marks of automatic packages: %s", strings.Join(args, " "), diff(got, auto))
			return
		}
		found["same"]++
	}
}

// orderFails reports whether apt has resolved a request, and finds no order to unpack and
// configure the packages, or fails in the search for garbage.
func orderFails(output string) bool {
	return slices.ContainsFunc([]string{
		"E: Couldn't configure", "E: Could not configure", "E: Conf Broken", "E: Could not perform immediate configuration",
		"MaxLoopCount reached in Smart", "E: Fatal, conflicts violated", "AutoRemover broke stuff",
	}, func(message string) bool { return strings.Contains(output, message) })
}

// installedAfter reports whether a package is installed after a plan.
func (w *world) installedAfter(p *debian.Plan, name string) bool {
	name, arch, _ := strings.Cut(name, ":")
	for _, c := range p.Changes {
		if c.Name == name && (arch == "" || c.Arch == arch) {
			return c.New != ""
		}
	}
	for s := range strings.SplitSeq(w.status, "\n\n") {
		if strings.HasPrefix(s, "Package: "+name+"\n") && strings.HasSuffix(s, " installed") &&
			(arch == "" || strings.Contains(s, "\nArchitecture: "+arch)) {
			return true
		}
	}
	return false
}

func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// request returns a random request, and the arguments of apt-get that mean the same.
func (w *world) request() (debian.Request, []string) {
	r := debian.Request{Command: []debian.Command{
		"install", "install", "install", "install", "remove", "purge", "autoremove", "upgrade", "dist-upgrade", "reinstall",
	}[w.rnd.IntN(10)]}
	args := []string{"--allow-downgrades", "--allow-remove-essential", "--allow-change-held-packages"}
	r.Settings.AllowDowngrades, r.Settings.AllowRemoveEssential, r.Settings.AllowChangeHeld = true, true, true
	for _, o := range []struct {
		arg string
		on  *bool
	}{
		{"--no-install-recommends", &r.Settings.NoRecommends},
		{"--install-suggests", &r.Settings.Suggests},
		{"--purge", &r.Settings.Purge},
		{"--auto-remove", &r.Settings.AutoRemove},
		{"--ignore-hold", &r.Settings.IgnoreHold},
		{"--with-new-pkgs", &r.Settings.UpgradeWithNew},
		{"--no-upgrade", &r.Settings.NoUpgrade},
		{"-oAPT::AutoRemove::SuggestsImportant=false", &r.Settings.KeepNoSuggests},
	} {
		if o.arg == "--with-new-pkgs" && r.Command != "upgrade" {
			continue
		}
		if w.rnd.IntN(8) == 0 || o.on == &r.Settings.NoRecommends && w.rnd.IntN(2) == 0 {
			*o.on = true
			args = append(args, o.arg)
		}
	}
	if w.rnd.IntN(6) == 0 {
		r.Settings.DefaultRelease = []string{"stable", "updates", "n=updates-name"}[w.rnd.IntN(3)]
		args = append(args, "-t", r.Settings.DefaultRelease)
	}
	for _, key := range []string{"Never-MarkAuto-Sections", "Move-Autobit-Sections"} {
		list := &r.Settings.NeverMarkAuto
		if key == "Move-Autobit-Sections" {
			list = &r.Settings.MoveAuto
		}
		if w.rnd.IntN(2) == 0 {
			continue
		}
		*list = []string{map[string]string{
			"Never-MarkAuto-Sections": "metapackages", "Move-Autobit-Sections": "oldlibs",
		}[key]}
		args = append(args, "-oAPT::"+key+"::="+(*list)[0])
	}
	if r.Command != "upgrade" && r.Command != "dist-upgrade" {
		for range 1 + w.rnd.IntN(3) {
			r.Names = append(r.Names, w.name())
		}
	}
	args = append(args, string(r.Command))
	return r, append(args, r.Names...)
}

// name returns a random name of a request.
func (w *world) name() string {
	s := w.stable[w.rnd.IntN(len(w.stable))]
	name := s.name
	if len(w.archs) > 1 && s.arch != "all" && w.rnd.IntN(4) == 0 {
		name += ":" + s.arch
	}
	switch w.rnd.IntN(12) {
	case 0:
		return name + "=" + s.version
	case 1:
		return name + "/updates"
	case 2:
		return name + "-"
	case 3:
		if len(w.virtuals) > 0 {
			return w.virtuals[0]
		}
	}
	return name
}
