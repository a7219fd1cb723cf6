package draft

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/platform"
)

// copy rewrites a COPY: what a build would have made comes from the context binaries.
func (w *rewriting) copy(c *instructions.CopyCommand, args arguments, lines []string) []string {
	var from *stage
	if c.From != "" {
		if from = w.from.find(c.From); from == nil || !from.builder() {
			return lines
		}
	}
	var programs, files, missing []string
	for _, src := range c.SourcePaths {
		full := w.from.word(src, args)
		switch {
		case from == nil && w.inContext(full):
			files = append(files, src)
		case from != nil && !w.made(full) && w.fromBuilder(from, full) != "":
			files = append(files, w.fromBuilder(from, full))
		default:
			if p, ok := w.program(full, from); ok {
				programs = append(programs, w.programLine(c, p, full, len(c.SourcePaths) > 1))
			} else {
				missing = append(missing, src)
			}
		}
	}
	if from == nil && len(missing) == 0 && len(programs) == 0 {
		return lines
	}
	var out []string
	if len(files) > 0 {
		for i := range files {
			files[i] = quoteWord(files[i])
		}
		out = append(out, strings.Replace(strings.TrimSuffix(withFlags(c), " "), " --from=binaries", "", 1)+" "+strings.Join(append(files, quoteWord(c.DestPath)), " "))
	}
	out = append(out, programs...)
	if len(missing) > 0 {
		reason := "left out, since the repository does not have " + strings.Join(missing, ", ")
		if from != nil {
			reason = "left out, since a build makes " + strings.Join(missing, ", ") + ", and it is not known how without running that"
		}
		out = append(out, comment(reason, lines)...)
		w.notes = append(w.notes, w.from.path+": "+strings.Join(missing, ", ")+" is "+reason)
		w.d.hand("%s: COPY of %s is %s", w.from.path, strings.Join(missing, ", "), reason)
	}
	return out
}

// made reports whether a path has the name of a program, as a directory next to it may have, too.
func (w *rewriting) made(src string) bool {
	_, ok := w.d.main(strings.TrimSuffix(path.Base(strings.ReplaceAll(src, `\`, "/")), ".exe"))
	return ok
}

// add rewrites an ADD of files. What it has from elsewhere is judged by the check.
func (w *rewriting) add(c *instructions.AddCommand, args arguments, lines []string) []string {
	for _, src := range c.SourcePaths {
		if !strings.Contains(src, "://") {
			w.inContext(w.from.word(src, args))
		}
	}
	return lines
}

// inContext reports whether the repository has a file or directory, in its root or next to the
// Dockerfile, which then is the context.
func (w *rewriting) inContext(src string) bool {
	for _, context := range []string{w.context, ".", path.Dir(w.from.path)} {
		if context != "" && w.d.tree.matches(path.Join(context, src)) {
			if w.context == "" {
				w.context = context
			}
			return true
		}
	}
	return false
}

var archSuffix = regexp.MustCompile(`[-_.](?:linux|windows|amd64|arm64|x86_64|\$\{?TARGETARCH\}?|\$\{?TARGETOS\}?|\$\{?ARCH\}?)$`)

// program returns the program that a path of a build names.
func (w *rewriting) program(src string, from *stage) (name string, ok bool) {
	src = strings.ReplaceAll(src, `\`, "/")
	base := strings.TrimSuffix(path.Base(src), ".exe")
	for archSuffix.MatchString(base) {
		base = archSuffix.ReplaceAllString(base, "")
	}
	base = strings.TrimRight(base, "-_.") // before a variable without a value
	prefix, _, pattern := strings.Cut(base, "*")
	if m, ok := w.d.main(base); ok {
		return w.use(m, base), true
	}
	if i := slices.IndexFunc(w.d.mains, func(m mainPackage) bool { return pattern && prefix != "" && m.name == prefix }); i >= 0 {
		return w.use(w.d.mains[i], ""), true
	}
	if from != nil {
		if path.Ext(base) != "" {
			return "", false
		}
		if m, ok := w.built(from, base); ok {
			return w.use(m, base), true
		}
		if base == "bin" { // a directory that the builder fills
			return "", false
		}
	}
	if len(w.d.mains) == 1 && !pattern && path.Ext(base) == "" && !w.d.tree.hasDir(src) && plausible(src, from) {
		return w.use(w.d.mains[0], base), true
	}
	return "", false
}

// plausible reports whether a path looks like that of a program that a build made.
func plausible(src string, from *stage) bool {
	if from != nil {
		return !strings.HasPrefix(src, "/etc/") && !strings.HasPrefix(src, "/usr/share") && !strings.HasSuffix(src, "/licenses")
	}
	return regexp.MustCompile(`(?:^|/)(?:bin|_output|out|build|dist|output)/`).MatchString(src) || strings.HasSuffix(src, ".exe")
}

// built returns the package that a builder stage compiles by go build.
func (w *rewriting) built(s *stage, name string) (mainPackage, bool) {
	args, dir := arguments{}, ""
	for _, c := range s.commands {
		switch now := c.Command.(type) {
		case *instructions.ArgCommand:
			w.from.define(now, args)
		case *instructions.WorkdirCommand:
			dir = now.Path
		case *instructions.RunCommand:
			for part := range strings.SplitSeq(strings.Join(now.CmdLine, " "), "&&") {
				b := goBuild.FindStringSubmatch(part)
				if b == nil {
					continue
				}
				m, ok := w.d.goBuild(b[1], "")
				if ok && (w.d.outputs[name] == m.dir || path.Base(dir) == name || len(w.d.mains) == 1) {
					return m, true
				}
			}
		}
	}
	return mainPackage{}, false
}

// fromBuilder returns the file of the repository that a builder has below its working directory.
func (w *rewriting) fromBuilder(s *stage, src string) string {
	for _, c := range s.commands {
		dir, ok := c.Command.(*instructions.WorkdirCommand)
		if !ok {
			continue
		}
		if rel, ok := strings.CutPrefix(src, strings.TrimSuffix(dir.Path, "/")+"/"); ok && w.inContext(rel) {
			return rel
		}
	}
	return ""
}

// use declares the program of a package.
func (w *rewriting) use(m mainPackage, name string) string {
	if name != "" && !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`).MatchString(name) {
		name = ""
	}
	p := w.d.program(m, name)
	if !slices.Contains(w.programs, p) {
		w.programs = append(w.programs, p)
	}
	return p
}

// programLine copies a program to where it was copied to.
func (w *rewriting) programLine(c *instructions.CopyCommand, name, src string, several bool) string {
	ext := ""
	if w.os == platform.Windows {
		ext = ".exe"
	}
	dest := c.DestPath
	if several || strings.HasSuffix(dest, "/") || strings.HasSuffix(dest, `\`) || dest == "." {
		if base := path.Base(strings.ReplaceAll(src, `\`, "/")); !strings.Contains(base, "*") && base != name+ext {
			dest = strings.TrimSuffix(dest, ".") + base
			if c.DestPath == "." {
				dest = "./" + base
			}
		}
	}
	return withFlags(c) + " " + w.os + "_${TARGETARCH}/" + name + ext + " " + quoteWord(dest)
}
