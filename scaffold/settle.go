package scaffold

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

// maxRounds bounds how often a draft is checked. Each round takes out at least one thing.
const maxRounds = 30

// Settle writes slipway.yaml, which may not exist, and checks it as a release does. Where the check
// refuses a stage that compiles, and all that is copied of it are programs, slipway.yaml has these
// from then on. It returns what remains: errors for a person. Where it fails, nothing of the draft
// is left.
func (d *Draft) Settle(ctx context.Context, say disk.Say) (remaining []string, err error) {
	unlock, made, err := d.create(ctx, say)
	if err != nil {
		return nil, err
	}
	defer unlock()
	var lists []string
	defer func() {
		if err != nil {
			for _, p := range append(lists, made) {
				err = errors.Join(err, os.Remove(p))
			}
		}
	}()
	if lists, err = d.writeLists(); err != nil {
		return nil, err
	}
	for range maxRounds {
		faults, err := d.check(ctx)
		if err != nil {
			return nil, err
		}
		remaining = faults
		if len(faults) == 0 || !d.repair(faults) {
			return remaining, nil
		}
		if err := disk.Write(made, d.YAML(), disk.ModeFile); err != nil {
			return nil, fmt.Errorf("writing %s: %w", made, err)
		}
	}
	return remaining, nil
}

// writeLists writes the lists of images that scripts have, none through a link, and returns their
// paths.
func (d *Draft) writeLists() (made []string, err error) {
	for _, g := range d.groups {
		if g.text == "" {
			continue
		}
		p := filepath.Join(d.Dir, filepath.FromSlash(g.lists[0]))
		dir := filepath.Dir(p)
		if fi, err := os.Lstat(dir); err == nil && !fi.IsDir() {
			return made, fmt.Errorf("writing %s: its directory escapes by a link, or is a file: take it out",
				g.lists[0])
		}
		if err := disk.MkdirAll(dir); err != nil {
			return made, fmt.Errorf("writing %s: %w", g.lists[0], cause(err))
		}
		if err := disk.New(p, []byte(g.text), disk.ModeFile); err != nil {
			return made, fmt.Errorf("writing %s: %w", g.lists[0], cause(err))
		}
		made = append(made, p)
	}
	return made, nil
}

// create writes slipway.yaml for the first time.
func (d *Draft) create(ctx context.Context, say disk.Say) (unlock func(), made string, err error) {
	top, err := disk.Lock(ctx, d.Dir, say)
	if err != nil {
		return nil, "", fmt.Errorf("writing to %s: %w", d.Dir, err)
	}
	p := filepath.Join(d.Dir, product.File)
	if err := disk.New(p, d.YAML(), disk.ModeFile); err != nil {
		top.Unlock()
		if errors.Is(err, os.ErrExist) {
			return nil, "", fmt.Errorf("%s already exists, and is not overwritten: remove it to begin again", p)
		}
		return nil, "", fmt.Errorf("writing %s: %w", p, err)
	}
	return top.Unlock, p, nil
}

// check does what slipway check does, and returns what is wrong, with paths relative to the draft.
func (d *Draft) check(ctx context.Context) ([]string, error) {
	p, err := product.Load(ctx, product.Options{
		Path: filepath.Join(d.Dir, product.File),
		Made: []string{filepath.Join(d.Dir, ".slipway"), filepath.Join(d.Dir, "dist")},
	})
	if err == nil {
		_, err = release.Check(ctx, p)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var faults []string
	for _, e := range output.Split(err) {
		faults = append(faults, strings.ReplaceAll(e.Error(), d.Dir+string(filepath.Separator), ""))
	}
	return faults, nil
}

// place is where an error is.
var place = lazyregexp.New(`^(?:[^\n]*?: )?([^:\s]+):([0-9]+)(?::[0-9]+)?: (.*)$`)

var bothAs = lazyregexp.New(`sees templates (\S+) and (\S+) both as`)

// repair completes what slipway.yaml says of a Dockerfile that the check refuses, and takes out
// manifests that are there twice.
func (d *Draft) repair(faults []string) (changed bool) {
	for _, f := range faults {
		for line := range strings.Lines(f) {
			if m := bothAs.FindStringSubmatch(line); m != nil {
				changed = d.dropManifest(m[2], "ytt sees it and "+m[1]+" under one name") || changed
			}
			m := place.FindStringSubmatch(strings.TrimRight(line, "\n"))
			if m == nil {
				continue
			}
			if !d.has(platform.Windows) && strings.Contains(m[3], "[os-missing]") {
				changed = changed || !d.linuxOnly
				d.linuxOnly = true
				continue
			}
			if other := sameObject.FindStringSubmatch(m[3]); other != nil {
				changed = d.dropManifest(m[1], m[3]) || changed
			}
			n, err := strconv.Atoi(m[2])
			if err == nil {
				changed = d.complete(m[1], n, m[3]) || changed
			}
		}
	}
	return changed
}

// complete gives an image the programs of a stage that the check refuses at a line, or the output
// of a command that the line needs.
func (d *Draft) complete(file string, line int, why string) (changed bool) {
	for i := range d.images {
		for _, p := range d.images[i].parts {
			if p.from.path != file {
				continue
			}
			if s := p.at(line); s != nil && p.promised[s] != nil && p.promised[s].all && !p.promised[s].used {
				p.promised[s].used = true
				p.use(p.promised[s].outputs)
				if p.compilesC(s) {
					d.images[i].missing = append(d.images[i].missing,
						fmt.Sprintf("stage %s of %s compiles with CGO_ENABLED=1: name the C compiler "+
							"under cc of the programs, or take this out if they need none", s.Name, file))
				}
				d.images[i].missing = append(d.images[i].missing, p.putsIn(s)...)
				changed = true
				continue
			}
			changed = p.substitute(why) || changed
		}
	}
	return changed
}

// at returns the stage that has a line of a Dockerfile, or for one that another starts from, the
// stage of which files are copied.
func (p *part) at(line int) *stage {
	var found *stage
	for _, s := range p.stages {
		for _, c := range s.commands {
			if c.node.StartLine <= line && line <= c.node.EndLine {
				found = s
			}
		}
	}
	for found != nil && p.promised[found] == nil {
		next := slices.IndexFunc(p.stages, func(s *stage) bool {
			return p.from.before(s.base, slices.Index(p.from.stages, s)) == found
		})
		if next < 0 {
			return nil
		}
		found = p.stages[next]
	}
	return found
}

// compilesC reports whether a stage, or one that it starts from, compiles with cgo.
func (p *part) compilesC(s *stage) bool {
	for ; s != nil; s = p.from.before(s.base, slices.Index(p.from.stages, s)) {
		if slices.ContainsFunc(s.commands, func(c command) bool { return withCgo.MatchString(c.node.Original) }) {
			return true
		}
	}
	return false
}

// putsIn returns what a stage gets from other stages before it compiles: the programs of
// slipway.yaml are compiled without.
func (p *part) putsIn(s *stage) (list []string) {
	for ; s != nil; s = p.from.before(s.base, slices.Index(p.from.stages, s)) {
		for _, c := range s.commands {
			if now, ok := c.Command.(*instructions.CopyCommand); ok && !strings.HasPrefix(now.DestPath, "/") &&
				p.from.before(now.From, slices.Index(p.from.stages, s)) != nil {
				list = append(list,
					fmt.Sprintf("%s:%d: the stage compiles with %s of stage %s, "+
						"and the programs of slipway.yaml are compiled without: "+
						"put it into the source before the release, or take this out if they do not embed it",
						p.from.path, c.node.StartLine, strings.Join(now.SourcePaths, ", "), now.From))
			}
		}
	}
	return list
}

var withCgo = lazyregexp.New(`CGO_ENABLED[= ]"?1`)

// substituted names the argument that has the output of a command.
var substituted = lazyregexp.New(`"(\$\([^"]*\))"`)

// substitute gives the output of a command whose meaning is plain: git's version, commit and date.
func (p *part) substitute(why string) bool {
	m := substituted.FindStringSubmatch(why)
	if m == nil || p.args[m[1]] != "" {
		return false
	}
	switch command := m[1]; {
	case strings.Contains(command, "git describe"):
		p.args[command] = "{{.Version}}"
	case strings.Contains(command, "git rev-parse") && !strings.Contains(command, "--abbrev-ref"):
		p.args[command] = "{{.Revision}}"
	case strings.HasPrefix(command, "$(date "):
		p.args[command] = "{{.Created}}"
	default:
		return false
	}
	return true
}

// remove removes files that were made, the last first.
func remove(made []string) (err error) {
	for _, p := range slices.Backward(made) {
		err = errors.Join(err, os.Remove(p))
	}
	return err
}
