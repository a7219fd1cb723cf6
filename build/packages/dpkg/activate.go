package dpkg

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// activate makes a trigger of a package pending. aw, which may be nil, awaits that it is
// processed.
func (r *run) activate(p, aw *pkg, trigger string) error {
	if p.state < triggersAwaited {
		return nil
	}
	if !slices.Contains(p.pending, trigger) {
		p.pending = append([]string{trigger}, p.pending...)
		if p.state = triggersPending; len(p.awaits) > 0 {
			p.state = triggersAwaited
		}
		if err := r.db.note(p); err != nil {
			return err
		}
	}
	r.enqueueTriggers(p)
	if aw == nil || !awaits(aw, p) {
		return nil
	}
	if aw.state > triggersAwaited {
		aw.state = triggersAwaited
	}
	return r.db.note(aw)
}

// awaits records that a package awaits the triggers of another, and reports whether that is new.
func awaits(p, other *pkg) bool {
	if slices.Contains(p.awaits, other) {
		return false
	}
	p.awaits = append(p.awaits, other)
	other.awaiters = append(other.awaiters, p)
	return true
}

// clearAwaiters ends the waiting of other packages for p, which has no triggers that are pending.
func (db *database) clearAwaiters(p *pkg) error {
	list := p.awaiters
	p.awaiters = nil
	for _, aw := range slices.Backward(list) {
		aw.awaits = without(aw.awaits, p)
		if len(aw.awaits) > 0 || aw.state != triggersAwaited {
			continue
		}
		if aw.state = installed; len(aw.pending) > 0 {
			aw.state = triggersPending
		}
		if err := db.note(aw); err != nil {
			return err
		}
	}
	return nil
}

// touched activates the triggers of packages that are interested in a file itself.
func (r *run) touched(f *file, aw *pkg) error {
	for _, i := range slices.Backward(f.interests) {
		who := aw
		if i.noAwait {
			who = nil
		}
		if err := r.activate(i.pkg, who, f.name); err != nil {
			return err
		}
	}
	return nil
}

// touchedPath activates also the triggers of the directories above a file.
func (r *run) touchedPath(f *file, aw *pkg) error {
	if err := r.touched(f, aw); err != nil {
		return err
	}
	return r.touchedAbove(f.name, aw)
}

func (r *run) touchedAbove(name string, aw *pkg) error {
	for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
		if f := r.db.nodes[dir]; f != nil {
			if err := r.touched(f, aw); err != nil {
				return err
			}
		}
	}
	return nil
}

// trigger activates a trigger by its name.
func (r *run) trigger(name string, aw *pkg) error {
	if isFileTrigger(name) {
		if f := r.db.nodes[name]; f != nil {
			if err := r.touched(f, aw); err != nil {
				return err
			}
		}
		return r.touchedAbove(name, aw)
	}
	at := triggersDir + "/" + name
	text, err := tree.ReadText(r.db.t, at)
	if err != nil {
		return err
	}
	for who := range strings.FieldsSeq(string(text)) {
		label, noAwait := cutNoAwait(who)
		p, err := r.db.named(label)
		if err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
		w := aw
		if noAwait {
			w = nil
		}
		if err := r.activate(p, w, name); err != nil {
			return err
		}
	}
	return nil
}

// changing activates the triggers that a package activates when its state changes. text is its
// triggers file.
func (r *run) changing(p *pkg, text []byte) error {
	list, err := parseTriggers(text)
	if err != nil {
		return fmt.Errorf("package %s: %w", p.set.name, err)
	}
	for _, d := range list {
		if !d.activate {
			continue
		}
		aw := p
		if d.noAwait {
			aw = nil
		}
		if err := r.trigger(d.name, aw); err != nil {
			return err
		}
	}
	return nil
}

// changingInstalled is changing for a package that is installed.
func (r *run) changingInstalled(p *pkg) error {
	text, err := tree.ReadText(r.db.t, infoPath(p, &p.installed, "triggers"))
	if err != nil {
		return err
	}
	return r.changing(p, text)
}

// incorporate activates what dpkg-trigger has written into triggers/Unincorp.
func (r *run) incorporate() error {
	n, err := r.db.t.Lstat(unincorp)
	if err != nil {
		return err
	}
	if n == nil {
		if err := r.firstTriggers(); err != nil {
			return err
		}
		return r.db.write(unincorp, "")
	}
	text, err := tree.ReadText(r.db.t, unincorp)
	if err != nil || len(text) == 0 {
		return err
	}
	for n, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		for _, who := range words[1:] {
			var aw *pkg
			if who != "-" {
				if aw, err = r.db.named(who); err != nil {
					return fmt.Errorf("%s:%d: %w", unincorp, n+1, err)
				}
			}
			if err := r.trigger(words[0], aw); err != nil {
				return err
			}
		}
	}
	return r.db.write(unincorp, "")
}

// firstTriggers is for a database without records of triggers: all packages that are interested
// in any have them pending.
func (r *run) firstTriggers() error {
	for _, p := range r.db.hashed() {
		if p.state <= halfInstalled {
			continue
		}
		p.pending = nil
		text, err := tree.ReadText(r.db.t, infoPath(p, &p.installed, "triggers"))
		if err != nil {
			return err
		}
		if err := r.db.changeInterests(p, &p.installed, text, true); err != nil {
			return err
		}
		list, err := parseTriggers(text)
		if err != nil {
			return err
		}
		if p.state < triggersAwaited {
			continue
		}
		for _, d := range list {
			if !d.activate && !slices.Contains(p.pending, d.name) {
				p.pending = append([]string{d.name}, p.pending...)
			}
		}
		if p.state = installed; len(p.awaits) > 0 {
			p.state = triggersAwaited
		} else if len(p.pending) > 0 {
			p.state = triggersPending
		}
	}
	return r.db.saveInterests()
}
