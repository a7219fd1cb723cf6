package dpkg

import (
	"context"
	"fmt"
	"strings"
	"io/fs"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages/dpkg/deb"
	"github.com/slipway-dev/slipway/build/packages/maintainer"
)

// Run carries out a call of a maintainer script on a tree.
type Run func(ctx context.Context, t *tree.Tree, s maintainer.Script) error

// run is one call of dpkg: it reads the database, changes it, and saves it.
type run struct {
	db       *database
	options  *options
	script   Run
	archives *tree.Archives
	report   *Report
	action   action
	// what --triggers and --no-triggers say: -1 leaves triggers pending
	triggers int
	force    bool // --force-depends of a removal
	// --pending: what is wanted of packages stays
	pendingOnly     bool
	autoDeconfigure bool // --auto-deconfigure

	queue []*pkg // nil where a package was taken out
	late  []*pkg // packages whose triggers are processed at the end
	// what dpkg calls dependtry: how much is done to make progress
	try          int
	sinceNothing int
	byTriggers   *pkg // whose triggers would help
	cycles       triggerCycles

	installing  *pkg // that is unpacked
	conflictors []*pkg
	deconfigure []deconfigured
}

type action uint8

const (
	actInstall action = iota // unpack and configure
	actUnpack
	actConfigure
	actRemove
	actPurge
)

// begin reads the database for a call of dpkg.
func (in *installer) begin(act action) (*run, error) {
	db, err := load(in.t, in.tx.Architecture)
	if err != nil {
		return nil, err
	}
	r := &run{
		db: db, options: in.options, script: in.tx.Script, archives: in.tx.Archives, report: in.report,
		action: act, try: tryNormal,
	}
	return r, r.incorporate()
}

// call runs a maintainer script, if the package has it.
func (r *run) call(ctx context.Context, p *pkg, name string, args ...string) error {
	at := infoPath(p, &p.installed, name)
	text, err := tree.ReadText(r.db.t, at)
	if err != nil || text == nil {
		return err
	}
	if err := r.executable(at); err != nil {
		return err
	}
	templates, err := tree.ReadText(r.db.t, infoPath(p, &p.installed, "templates"))
	if err != nil {
		return err
	}
	return r.execute(ctx, p, &p.installed, maintainer.Script{
		Name: name, Path: at, Args: args, Text: text, Templates: templates,
	})
}

// callNew runs the script of a package that is being unpacked.
func (r *run) callNew(ctx context.Context, p *pkg, d *deb.Deb, name string, args ...string) error {
	text := d.Text(name)
	if d.Script(name) == nil {
		return nil
	}
	return r.execute(ctx, p, &p.available, maintainer.Script{
		Name: name, Path: admin + "/tmp.ci/" + name, Args: args, Text: text, Templates: d.Text("templates"),
		Config: d.Text("config"),
	})
}

// executable gives a script a mode that can be executed, as dpkg does before it runs it.
func (r *run) executable(at string) error {
	const execute, usual = 0o555, 0o755
	at, n, err := tree.Resolve(r.db.t, at)
	if err != nil || n.Mode&execute == execute {
		return err
	}
	k := *n
	k.Mode = usual
	return r.db.t.Set(at, &k)
}

// execute runs a script, and reads what it has changed of the database.
func (r *run) execute(ctx context.Context, p *pkg, b *binary, s maintainer.Script) error {
	if err := r.db.show(); err != nil {
		return err
	}
	s.Package, s.Arch, s.Version, s.Instances = p.set.name, b.arch, b.version.String(), p.set.instances()
	r.report.Scripts = append(r.report.Scripts, s)
	if err := r.script(ctx, r.db.t, s); err != nil {
		return fmt.Errorf("%s: %w", strings.TrimSpace(s.Name+" "+strings.Join(s.Args, " ")), err)
	}
	if err := r.db.loadDiversions(); err != nil {
		return err
	}
	if s.Name == "postinst" {
		return nil // its caller incorporates triggers, when the state is right
	}
	return r.incorporate()
}

// configured sets the state of a package whose postinst has run.
func (r *run) configured(p *pkg) error {
	switch {
	case len(p.awaits) > 0:
		p.state = triggersAwaited
	case len(p.pending) > 0:
		p.state = triggersPending
	default:
		p.state = installed
	}
	if err := r.db.note(p); err != nil {
		return err
	}
	return r.incorporate()
}

// installInfo writes a file of control.tar into info.
func (r *run) installInfo(at string, i *deb.Info) error {
	uid, gid, err := r.db.owner(i.User, i.Group, i.UID, i.GID)
	if err != nil {
		return err
	}
	c := layer.Bytes(i.Text)
	n := tree.Node{
		Kind: layer.Regular, Mode: i.Mode, UID: uid, GID: gid,
		Content: func() (layer.Content, error) { return c, nil },
	}
	return r.db.t.Set(at, n.Sized(c.Size))
}

// touch makes an empty file, if nothing is there.
func (db *database) touch(at string, mode fs.FileMode) error {
	n, err := db.t.Lstat(at)
	if err != nil || n != nil {
		return err
	}
	return db.t.WriteText(at, nil, mode)
}
