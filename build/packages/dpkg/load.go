package dpkg

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
)

// load reads the database of a tree, which may have none.
func load(t *tree.Tree, arch string) (*database, error) {
	db := &database{t: t, arch: arch, sets: map[string]*pkgset{}, nodes: map[string]*file{}}
	if err := db.prepare(); err != nil {
		return nil, err
	}
	text, err := tree.ReadText(t, statusFile)
	if err != nil {
		return nil, err
	}
	db.saved, db.written = string(text), string(text)
	var awaiting []func() error
	err = control.Parse(db.saved, func(_ int, s control.Stanza) error {
		later, err := db.loadPackage(s)
		if later != nil {
			awaiting = append(awaiting, later)
		}
		return err
	})
	for _, f := range awaiting {
		if err == nil {
			err = f()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", statusFile, err)
	}
	if err := db.loadDiversions(); err != nil {
		return nil, err
	}
	if err := db.loadInterests(); err != nil {
		return nil, err
	}
	return db, nil
}

// prepare makes the files that dpkg makes where they are missing, and refuses a database of
// another format.
func (db *database) prepare() error {
	for _, f := range []struct{ path, text string }{
		{statusFile, ""}, {infoDir + "/format", "1\n"},
	} {
		n, err := db.t.Lstat(f.path)
		if err != nil {
			return err
		}
		if n == nil {
			if err := db.write(f.path, f.text); err != nil {
				return err
			}
		}
	}
	format, err := tree.ReadText(db.t, infoDir+"/format")
	if err != nil {
		return err
	}
	if f := strings.TrimSpace(string(format)); f != "1" {
		return fmt.Errorf("%s/format says that the database has format %.20q, and only 1 is known", infoDir, f)
	}
	for _, dir := range []string{"updates", "triggers"} {
		if err := db.t.MkdirAll(admin+"/"+dir, tree.Root); err != nil {
			return err
		}
	}
	names, err := db.t.ReadDir(admin + "/updates")
	if err != nil {
		return err
	}
	if n := slices.IndexFunc(names, func(n string) bool { return strings.Trim(n, "0123456789") == "" }); n >= 0 {
		return fmt.Errorf("%s/updates/%s is left of a dpkg that was interrupted: use a base image that is complete",
			admin, names[n])
	}
	return nil
}

// loadPackage adds a stanza of the status. What names other packages is read later, by the
// function that it returns.
func (db *database) loadPackage(s control.Stanza) (func() error, error) {
	name := s.Get("Package")
	if err := control.CheckName(name); err != nil {
		return nil, err
	}
	fail := func(err error) (func() error, error) { return nil, fmt.Errorf("package %s: %w", name, err) }
	// as dpkg, which knows the package before those that it depends on
	p := db.pkg(name, s.Get("Architecture"))
	if p.want != wantUnknown || p.state != notInstalled {
		return fail(fmt.Errorf("it is there twice"))
	}
	b, err := db.parse(p, s)
	if err != nil {
		return fail(err)
	}
	if err := p.parseStatus(s.Get("Status")); err != nil {
		return fail(err)
	}
	if p.state != notInstalled && p.state != halfInstalled && b.version.IsZero() {
		return fail(fmt.Errorf("it has no version"))
	}
	p.installed = *b
	db.link(&p.installed)
	if v := s.Get("Config-Version"); v != "" {
		if p.configVersion, err = control.ParseVersion(v); err != nil {
			return fail(err)
		}
	} else if p.state == installed || p.state == triggersPending {
		p.configVersion = b.version
	}
	// dpkg reads the names from the left, and puts each before the others
	for _, trigger := range strings.Fields(s.Get("Triggers-Pending")) {
		p.pending = append([]string{trigger}, p.pending...)
	}
	awaited := s.Get("Triggers-Awaited")
	waits, pends := awaited != "", len(p.pending) > 0
	if waits && (p.state <= configFiles || p.state >= triggersPending) || !waits && p.state == triggersAwaited ||
		pends && p.state != triggersPending && p.state != triggersAwaited || !pends && p.state == triggersPending {
		return fail(fmt.Errorf("its state %s does not fit its triggers", p.state))
	}
	if p.state == notInstalled && !p.reinstall &&
		(p.want == wantPurge || p.want == wantDeinstall || p.want == wantInstall && p.installed.arch == "") {
		p.want, p.installed.conffiles = wantUnknown, nil
	}
	if awaited == "" {
		return nil, nil
	}
	return func() error {
		for _, name := range strings.Fields(awaited) {
			other, err := db.named(name)
			if err != nil {
				return err
			}
			awaits(p, other)
		}
		return nil
	}, nil
}

// parseStatus reads the field Status.
func (p *pkg) parseStatus(text string) error {
	words := strings.Fields(text)
	if len(words) != 3 || !slices.Contains(wantNames, words[0]) || words[1] != "ok" && words[1] != "reinstreq" {
		return fmt.Errorf("%.60q is not a status", text)
	}
	n := slices.Index(stateNames, words[2])
	if n < 0 {
		return fmt.Errorf("%.60q is not a status", text)
	}
	p.want, p.reinstall, p.state = words[0], words[1] == "reinstreq", state(n) //nolint:gosec // a small index
	return nil
}
