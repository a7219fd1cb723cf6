package dpkg

import "io/fs"

// note records that a package has changed, as often as dpkg does: after 250 notes it saves the
// status.
func (db *database) note(p *pkg) error {
	const most = 250
	if p.state != triggersPending && p.state != triggersAwaited {
		p.pending = nil
	}
	if p.state <= configFiles {
		for _, other := range p.awaits {
			other.awaiters = without(other.awaiters, p)
		}
		p.awaits = nil
	}
	db.changed = true
	if db.notes++; db.notes > most {
		if err := db.save(); err != nil {
			return err
		}
	}
	if len(p.pending) == 0 && len(p.awaiters) > 0 {
		return db.clearAwaiters(p)
	}
	return nil
}

// save writes the status, and keeps the one before as status-old.
func (db *database) save() error {
	if err := db.write(statusOld, db.saved); err != nil {
		return err
	}
	db.saved = db.format()
	db.written, db.changed, db.notes = db.saved, false, 0
	return db.write(statusFile, db.saved)
}

// show writes the status for a maintainer script, which sees what has changed since it was saved.
func (db *database) show() error {
	if !db.changed {
		return nil
	}
	db.changed = false
	if text := db.format(); text != db.written {
		db.written = text
		return db.write(statusFile, text)
	}
	return nil
}

// close saves what a run of dpkg leaves.
func (db *database) close() error {
	if err := db.save(); err != nil {
		return err
	}
	for _, f := range []struct {
		path string
		mode fs.FileMode
	}{{admin + "/lock", 0o640}, {admin + "/lock-frontend", 0o640}, {triggersDir + "/Lock", 0o600}} {
		if err := db.touch(f.path, f.mode); err != nil {
			return err
		}
	}
	return nil
}
