package maintainer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/maintainer/shell"
)

// session is one script that talks to debconf, which asks nothing: every question has its default,
// or what was set before.
type session struct {
	config, templates *store
	owner             string
	escape            bool // CAPB escape
	asked             []string
}

// source takes the place of debconf's library, and leaves other files to the shell.
func (r *run) source(ctx context.Context, sh *shell.Shell, args []string) (bool, error) {
	if args[0] != "/usr/share/debconf/confmodule" && args[0] != "/usr/share/debconf/confmodule.sh" {
		return false, nil
	}
	own := sh.Name == r.s.Name // and no other script that it calls
	first := r.debconf == nil && own
	if err := r.startDebconf(own); err != nil {
		return false, err
	}
	if first && (r.s.Name == "postinst" || r.s.Name == "preinst") {
		status, err := r.configure(ctx, sh)
		if err != nil {
			return false, err
		}
		if status != 0 { // the frontend ends, and the script does not begin
			_, err := sh.Eval(ctx, fmt.Sprintf("exit %d", status))
			return true, err
		}
	}
	_, err := sh.Eval(ctx, talking)
	return true, err
}

// talking is what debconf's library does with the streams of a script.
const talking = "exec 3>&1 1>&2; export DEBIAN_HAS_FRONTEND=1 DEBCONF_REDIR=1"

// startDebconf opens the database and, for a script of the package, loads its templates.
func (r *run) startDebconf(own bool) (err error) {
	if r.debconf != nil {
		return nil
	}
	d := &session{}
	if d.config, err = openStore(r.t, "config.dat"); err != nil {
		return err
	}
	if d.templates, err = openStore(r.t, "templates.dat"); err != nil {
		return err
	}
	d.owner = r.s.Package
	base, _, ok := strings.Cut(path.Base(r.s.Path), "."+r.s.Name)
	if ok && base != "" && path.Base(r.s.Path) != r.s.Name {
		d.owner = base // with the architecture of a package that is Multi-Arch: same
	}
	if err := r.preset(d); err != nil {
		return err
	}
	if !own {
		r.debconf = d
		return nil
	}
	text := r.s.Templates
	if len(text) == 0 {
		if text, err = tree.ReadText(r.t, admin+"/info/"+d.owner+".templates"); err != nil {
			return err
		}
	}
	d.load(parseTemplates(text), d.owner)
	r.debconf = d
	return nil
}

// load puts templates into the database, with a question of the same name for each.
func (d *session) load(list []template, owner string) {
	for _, t := range list {
		if t.kind == "" {
			continue
		}
		q := d.config.items[t.name]
		if q == nil {
			q = newItem()
			d.config.items[t.name] = q
		}
		if !q.owners[owner] {
			q.owners[owner] = true
			d.config.dirty = true
		}
		if q.fields["template"] == "" {
			q.fields["template"], d.config.dirty = t.name, true
		}
		k := d.templates.items[t.name]
		if k == nil {
			k = newItem()
			d.templates.items[t.name] = k
		}
		if len(k.owners) == 0 {
			k.owners[t.name] = true
		}
		k.fields = t.fields
		d.templates.dirty = true
	}
}

// preset answers questions by the lines of debconf-set-selections.
func (r *run) preset(d *session) error {
	for _, line := range r.Selections {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Fields(line)
		if len(f) < 3 {
			return fmt.Errorf("debconf-set-selections: the line %q has no owner, question and type", line)
		}
		d.selection(f[0], f[1], f[2], strings.Join(f[3:], " "))
	}
	return nil
}

func (d *session) selection(owner, name, kind, value string) {
	if kind == "seen" {
		if q := d.config.items[name]; q != nil {
			q.flags["seen"], d.config.dirty = value == "true", true
		}
		return
	}
	q := d.config.items[name]
	if q == nil {
		q = newItem()
		q.fields["template"] = name
		d.config.items[name] = q
		k := newItem()
		k.owners[name], k.fields["type"] = true, kind
		if d.templates.items[name] == nil {
			d.templates.items[name], d.templates.dirty = k, true
		}
	}
	if q.fields["value"] == value && q.flags["seen"] {
		return
	}
	q.owners[owner], q.flags["seen"], d.config.dirty = true, true, true
	q.fields["value"] = value
}

// configure runs the package's config script, as debconf's frontend does before a script.
func (r *run) configure(ctx context.Context, sh *shell.Shell) (int, error) {
	text := r.s.Config
	at := admin + "/info/" + r.debconf.owner + ".config"
	if len(text) == 0 && r.s.Name == "postinst" {
		var err error
		if text, err = tree.ReadText(r.t, at); err != nil {
			return 0, err
		}
	}
	if len(text) == 0 {
		return 0, nil
	}
	if !isShell(text) {
		return 0, fmt.Errorf("the config script of the package is for %s, and no program is run: %s",
			interpreter(text), instead)
	}
	version := ""
	if len(r.s.Args) > 1 {
		version = r.s.Args[1]
	}
	env := sh.Environ()
	env["DEBIAN_HAS_FRONTEND"] = "1"
	null := r.m.Null()
	child := r.m.New("config", []string{at, "configure", version}, env, null, null, r.m.NewBuffer())
	status, err := child.Script(ctx, text)
	r.debconf.escape = false
	r.debconf.seen()
	return status, err
}

// seen ends a talk: what was asked is not asked again.
func (d *session) seen() { d.asked = nil }

// finishDebconf writes the database.
func (r *run) finishDebconf() error {
	if r.debconf == nil {
		return nil
	}
	return errors.Join(r.debconf.templates.save(r.t), r.debconf.config.save(r.t))
}

// value returns the value of a question, or the default of its template.
func (d *session) value(q *item) string {
	if v, ok := q.fields["value"]; ok {
		return v
	}
	return d.meta(q, "default")
}

// meta returns a field of a question or of its template, in English.
func (d *session) meta(q *item, field string) string {
	if v, ok := q.fields[field]; ok {
		return v
	}
	t := d.templates.items[q.fields["template"]]
	if t == nil {
		return ""
	}
	for _, f := range []string{field + "-en", field + "-en.utf-8", field} {
		if v, ok := t.fields[f]; ok {
			return v
		}
	}
	base, _, _ := strings.Cut(field, "-")
	return t.fields[base]
}

// expand fills the variables of db_subst into a text.
func expandVariables(q *item, text string) string {
	var b strings.Builder
	for {
		n := strings.Index(text, "${")
		if n < 0 {
			break
		}
		end := strings.IndexByte(text[n:], '}')
		if end < 0 {
			break
		}
		name := text[n+2 : n+end]
		if n > 0 && text[n-1] == '\\' {
			b.WriteString(text[:n-1] + "${" + name + "}")
		} else {
			b.WriteString(text[:n] + q.vars[name])
		}
		text = text[n+end+1:]
	}
	return b.String() + text
}

// choices are the values that a select may have.
func (d *session) choices(q *item) []string {
	text := q.fields["choices"]
	if t := d.templates.items[q.fields["template"]]; text == "" && t != nil {
		text = cmp.Or(t.fields["choices-c"], t.fields["choices"])
	}
	text = strings.NewReplacer(`\, `, "\x01", `\,`, "\x01").Replace(expandVariables(q, text))
	var all []string
	for _, c := range strings.Split(text, ", ") {
		if c = strings.ReplaceAll(strings.TrimSpace(c), "\x01", ","); c != "" {
			all = append(all, c)
		}
	}
	return all
}
