package containerfile

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/containerfile/script"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// The files of settings of the go command decide about programs as variables do. Those of a stage
// that is not carried out are not read: that it has one is a setting whose value is not known.

var (
	settingsFile = lazyregexp.New(`/go/env$|^/usr/(?:local|lib)/(?:go|golang)/go\.env$`)
	settingsText = lazyregexp.New(`\S*/go/env(?:["'\s;&|)]|$)|\S*\bgo\.env\b|\bgo env GOENV\b`)
)

// settingsFiles are where they are if nothing says otherwise.
var settingsFiles = []string{"/root/.config/go/env", "/usr/local/go/go.env"}

// placed is what a COPY, ADD or mount puts somewhere.
type placed struct {
	source, to, from, word string
	by                     string // the instruction
	at                     []parser.Range
}

// elsewhere notes that settings of the go command are in a file.
func (h *replacedStage) elsewhere(by, source string, at []parser.Range) {
	if s, ok := h.set[script.Elsewhere]; !ok || !s.Known || s.Text != "off" {
		h.set[script.Elsewhere] = setting{script.Value{Source: source}, by, at}
	}
}

func (h *replacedStage) absolute(name string) string {
	if name = tree.Slashed(name); !path.IsAbs(name) {
		name = path.Join(h.dir, name)
	}
	return path.Clean(name)
}

// file returns a script that the Dockerfile has itself, of whatever directory if that is not known.
func (h *replacedStage) file(name string) (string, bool) {
	if text, ok := h.files[h.absolute(name)]; ok || path.IsAbs(name) {
		return text, ok
	}
	for p, text := range h.files {
		if path.Base(p) == path.Base(name) {
			return text, true
		}
	}
	return "", false
}

// copies notes the scripts that a COPY or ADD has itself, and files of settings.
func (h *replacedStage) copies(by string, c instructions.SourcesAndDest, from string, at []parser.Range) {
	dest, err := h.b.word(c.DestPath, h.env)
	if err != nil {
		dest = c.DestPath
	}
	to := h.absolute(dest)
	for _, s := range c.SourceContents {
		h.files[to], h.files[path.Join(to, s.Path)] = s.Data, s.Data
		c.SourcePaths = append(slices.Clone(c.SourcePaths), s.Path)
	}
	for _, source := range c.SourcePaths {
		h.placed = append(h.placed, placed{source, to, from, c.DestPath, by, at})
		for _, p := range []string{to, path.Join(to, path.Base(source))} {
			if settingsFile.MatchString(p) {
				h.elsewhere(by, c.DestPath, at)
			}
		}
		if h.within(source, to, from) {
			h.elsewhere(by, c.DestPath, at)
		}
	}
}

// within reports whether a directory that is copied or mounted may have a file of settings.
func (h *replacedStage) within(source, to, from string) bool {
	return slices.ContainsFunc(settingsFiles, func(file string) bool {
		return h.holds(placed{source: source, to: to, from: from}, file) && (from == "" || tree.Within(to, "/root"))
	})
}

// holds reports whether a directory that is copied or mounted may have a file.
func (h *replacedStage) holds(p placed, file string) bool {
	if !tree.Within(file, p.to) || file == p.to {
		return false
	}
	if p.from != "" {
		return true
	}
	files, err := h.b.buildContext(h.ctx)
	if err != nil {
		return false
	}
	_, n, err := tree.Resolve(files, path.Join("/", p.source, file[len(p.to):]))
	return err == nil && n != nil
}

// system reports whether a file is of the base alone.
func (h *replacedStage) system(name string) bool {
	return run.SystemPath(name) && !slices.ContainsFunc(h.placed, func(p placed) bool {
		return p.from == "" && (p.to == name || path.Join(p.to, path.Base(p.source)) == name || h.holds(p, name))
	})
}

// movedFiles are the files of settings whose place a variable decides.
var movedFiles = map[string]string{"GOROOT": "go.env", "HOME": ".config/go/env", "XDG_CONFIG_HOME": "go/env"}

// moved returns what puts a file of settings where the variables of a command have it. Of a
// variable that is not known, the name of the file counts.
func (h *replacedStage) moved(vars map[string]setting) (s setting, ok bool) {
	for _, name := range slices.Sorted(maps.Keys(movedFiles)) {
		v, set := vars[name]
		if !set || v.Known && v.Text == "" {
			continue
		}
		file := path.Join(h.absolute(v.Text), movedFiles[name])
		for _, p := range h.placed {
			base := path.Join(p.to, path.Base(p.source))
			found := p.to == file || base == file
			switch {
			case !v.Known:
				found = strings.HasSuffix(p.to, "/"+movedFiles[name]) || strings.HasSuffix(base, "/"+movedFiles[name])
			case p.from == "" || name != "GOROOT": // the toolchain of another stage has its own
				found = found || h.holds(p, file)
			}
			if found {
				return setting{script.Value{Source: p.word}, p.by, p.at}, true
			}
		}
	}
	return s, false
}

// sourced returns the text of the files that a shell reads before a script, by [script.Sourced]. Of
// one that the Dockerfile does not have itself, what it sets is not known.
func (h *replacedStage) sourced() (text string) {
	for _, name := range script.SourcedBy {
		s, ok := h.set[name]
		if !ok || !script.Sourced(name, s.Value) {
			continue
		}
		if found, ok := h.file(s.Text); ok {
			text += found + "\n"
			continue
		}
		h.set[script.Elsewhere] = setting{script.Value{Source: s.Text}, s.by, s.at}
	}
	return text
}

// settingsOf records what a RUN does with settings files, until end is called.
func (h *replacedStage) settingsOf(c *instructions.RunCommand, text string, at []parser.Range) (end func()) {
	if found := settingsText.FindString(text); found != "" {
		h.elsewhere("RUN", found, at)
	}
	before, had := h.set[script.Elsewhere]
	all := len(h.placed)
	// a mount that is wrong is reported where it is carried out
	_ = c.Expand(func(word string) (string, error) { return h.b.word(word, h.env) })
	for _, m := range instructions.GetMounts(c) {
		to := h.absolute(m.Target)
		if m.Type == instructions.MountTypeBind {
			h.placed = append(h.placed, placed{m.Source, to, m.From, m.Target, "RUN", at})
		}
		if m.Type == instructions.MountTypeBind && (settingsFile.MatchString(to) || h.within(m.Source, to, m.From)) {
			h.elsewhere("RUN", m.Target, at)
		}
	}
	return func() {
		h.placed = h.placed[:all]
		delete(h.set, script.Elsewhere)
		if had {
			h.set[script.Elsewhere] = before
		}
	}
}
