package scaffold

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
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

// maxRounds bounds how often a draft is checked. Each round changes at least one thing.
const maxRounds = 50

// Settle writes slipway.yaml, which may not exist, and checks it as a release does. Facts that
// the check misses are completed from the repository, asked for, or taken out. The result is the
// errors that remain for a person, besides the questions. A failing Settle leaves no file of the
// draft.
func (d *Draft) Settle(ctx context.Context, say disk.Say) (remaining []string, err error) {
	unlock, made, err := d.create(ctx, say)
	if err != nil {
		return nil, err
	}
	defer unlock()
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(made))
		}
	}()
	for range maxRounds {
		faults, err := d.check(ctx)
		if err != nil {
			return nil, err
		}
		remaining = nil
		for _, f := range faults {
			if text := d.stays(f.whole); text != "" {
				remaining = append(remaining, text)
			}
		}
		changed, err := d.repair(faults)
		if err == nil {
			err = disk.Write(made, d.YAML(), disk.ModeFile)
		}
		if err != nil || !changed {
			return remaining, err
		}
	}
	return remaining, nil
}

// stays is what of an error is one after this round: not the questions, which are reported as such,
// and where there is nothing for Windows, not that pods may run on its nodes, which is allowed
// then.
func (d *Draft) stays(text string) string {
	if strings.Contains(text, "[product-undecided]") {
		return ""
	}
	head, findings, _ := strings.Cut(text, "\n")
	if !strings.Contains(text, "[os-missing]") || d.has(platform.Windows) {
		return text
	}
	d.linuxOnly = true
	var rest []string
	for line := range strings.SplitSeq(findings, "\n") {
		if !strings.HasSuffix(line, "[os-missing]") {
			rest = append(rest, line)
		}
	}
	if len(rest) == 0 {
		return ""
	}
	return head + "\n" + strings.Join(rest, "\n")
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

// fault is a mistake that the check finds.
type fault struct {
	whole           string // with paths relative to the draft; "" for a further line of one
	image, platform string // "" if it is of none
	file            string // "" if it has no place
	line            int
	text            string
}

var (
	ofImage = lazyregexp.New(`^building image ([^:\s]+): ((?:linux|windows)/[^ ]+): (.*)$`)
	placed  = lazyregexp.New(`^(?:[^\n]*?: )?([^:\s]+):([0-9]+)(?::[0-9]+)?: (.*)$`)
	// ofFile matches the message about a whole file, or about two of one name.
	ofFile = lazyregexp.New(`^([^:\s]+\.(?:json|ya?ml)): |^ytt sees templates \S+ and (\S+) both as `)
)

// check does the same as slipway check, and returns the faults.
func (d *Draft) check(ctx context.Context) (faults []fault, err error) {
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
	for _, e := range output.Split(err) {
		whole := strings.ReplaceAll(e.Error(), d.Dir+string(filepath.Separator), "")
		for n, line := range strings.Split(whole, "\n") {
			f := faultOf(line)
			if n == 0 {
				f.whole = whole
			}
			faults = append(faults, f)
		}
	}
	return faults, nil
}

// faultOf reads a line of an error.
func faultOf(line string) fault {
	f := fault{text: line}
	if m := ofImage.FindStringSubmatch(line); m != nil {
		f.image, f.platform, f.text = m[1], m[2], m[3]
	}
	if m := placed.FindStringSubmatch(f.text); m != nil {
		f.file, f.text = m[1], m[3]
		f.line, _ = strconv.Atoi(m[2])
	} else if m := ofFile.FindStringSubmatch(f.text); m != nil {
		f.file = m[1] + m[2]
	}
	return f
}

// repair completes or takes out what the check refuses.
func (d *Draft) repair(faults []fault) (changed bool, err error) {
	for _, f := range faults {
		switch {
		case f.image != "":
			changed = d.complete(f) || changed
		case !lint.MatchString(f.text):
			changed = d.takeOut(f) || changed
		}
	}
	if !changed {
		changed = d.decideFlags()
		changed = d.decideForm() || changed
	}
	return changed, d.failed
}

// lint matches what a rule finds, which a person mends in the manifest.
var lint = lazyregexp.New(`\[[a-z]+(?:-[a-z]+)+\]$`)

// complete gives an image what a line of its Dockerfile needs: the program that it copies, the
// value of a command, or another way to make it.
func (d *Draft) complete(f fault) (changed bool) {
	for n := range d.images {
		i := &d.images[n]
		if i.name != f.image {
			continue
		}
		for _, p := range i.parts {
			if p.from.path != f.file || !strings.HasPrefix(f.platform, p.os+"/") {
				continue
			}
			if at := wanted(f); at != "" && p.put(at) {
				p.stageFlags(at)
				return true
			}
			if p.substitute(f.text) {
				return true
			}
		}
		return d.suggest(i, f)
	}
	return false
}

// stageFlags takes from a stage whose program slipway.yaml compiles what it gives the compiler, and
// asks for what it puts into the source before.
func (p *part) stageFlags(at string) {
	from, _, ok := strings.Cut(at, ":")
	for s := p.from.before(from, len(p.from.stages)); ok && s != nil; s = p.from.before(s.base, p.from.index(s)) {
		p.compilers(s)
		for c := range instructionsIn[*instructions.CopyCommand](s) {
			if p.from.before(c.From, p.from.index(s)) != nil && !strings.HasPrefix(c.DestPath, "/") {
				p.d.lacks("programs", "the stage %s of %s compiles with %s of stage %s, and the programs of "+
					"slipway.yaml are compiled without: put it into the source before the release, or take this out "+
					"if they "+
					"do not embed it", s.Name, p.from.path, strings.Join(c.SourcePaths, ", "), c.From)
			}
		}
	}
}

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

// takeOut takes out a manifest, a chart or a list that cannot be released as it is, and says so
// under undecided.
func (d *Draft) takeOut(f fault) bool {
	for _, all := range [][]entry{d.templates, d.chart, d.lists} {
		for n := range all {
			e := &all[n]
			_, in := within(f.file, e.path)
			in = in || e.key == "release.kustomize" && slices.Contains(kustomizationNames, path.Base(f.file)) &&
				topOf(f.file) == topOf(e.path)
			if e.dropped || !in && (f.file != product.File || f.line < e.line || f.line > e.last || e.line == 0) {
				continue
			}
			e.dropped = true
			why, _, _ := strings.Cut(f.text, "; ")
			d.lacks(e.key+" "+e.path, "%s is omitted, since a release would refuse it: %s: %s; put it right and "+
				"write it there, or take this out if it is not released", e.path, f.file, why)
			return true
		}
	}
	return false
}
