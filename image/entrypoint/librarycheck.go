package entrypoint

import (
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/executable"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

// apiSet matches names of API sets, which Windows resolves to files of its own
// (https://learn.microsoft.com/windows/win32/apiindex/windows-apisets).
var apiSet = lazyregexp.New(`^(?i:api|ext)-`)

// muslOwn matches libraries that musl's loader is itself
// (https://git.musl-libc.org/cgit/musl/tree/ldso/dynlink.c, load_library).
var muslOwn = lazyregexp.New(`^lib(c|pthread|rt|m|dl|util|xnet)\.`)

// ofDriver matches libraries of NVIDIA's driver, which the container toolkit mounts from the host
// (https://github.com/NVIDIA/libnvidia-container/blob/main/src/nvc_info.c).
var ofDriver = lazyregexp.New(`^lib(cuda|cudadebugger|nvidia-[a-z0-9-]+|nvcuvid|nvoptix|[A-Za-z0-9_]+_nvidia)\.so\b`)

// ignored reports whether a library is not looked for in files.
func (l *Libraries) ignored(program, name string) bool {
	if l.names[strings.ToLower(name)] || l.allowed(name) {
		return true
	}
	if l.On.OS == platform.Windows {
		return apiSet.MatchString(name)
	}
	by := path.Base(l.needs[program].Interpreter)
	return name == by || ofDriver.MatchString(name) || strings.Contains(name, "/") ||
		strings.HasPrefix(by, "ld-musl-") && muslOwn.MatchString(name)
}

// judged reports whether a program is made for the image's system. A Linux program whose loader is
// not in the image was built for another one, to which it will be copied; if the image starts it,
// [Image.Start] reports that.
func (l *Libraries) judged(p string) (bool, error) {
	by := l.needs[p].Interpreter
	if l.On.OS == platform.Windows || by == "" {
		return l.On.OS == platform.Windows, nil
	}
	_, n, err := l.find(by)
	return n != nil, err
}

// missing reports a library that by needs and the loader does not find.
func (l *Libraries) missing(name, program, by string, starts bool) error {
	if !l.Known && !l.Gone(name) {
		return nil
	}
	l.names[strings.ToLower(name)] = true
	if l.On.OS == platform.Windows {
		if side, err := l.sideBySide(name); err != nil || side {
			return err
		}
		text := fmt.Sprintf("%s, which %s imports, is not in %s: "+
			"copy it from an image that has it (COPY --from), or use another base", name, by, l.Base)
		if strings.HasPrefix(l.Base, "nanoserver") {
			text = fmt.Sprintf("%s, which %s imports, is not in %s: copy it from servercore of the same release (COPY "+
				"--from), or use servercore as the base", name, by, l.Base)
		}
		l.tell(text, starts)
		return nil
	}
	at, own, err := l.elsewhere(name)
	switch {
	case err != nil || at != "" && !own: // the base's loader has a list of directories
		return err
	case own:
		standard, err := l.standard(program)
		if err != nil {
			return err
		}
		l.tell(fmt.Sprintf("%s, which %s needs, is in %s, where the loader does not look: add "+
			"that directory to LD_LIBRARY_PATH with ENV, or copy the library to %s", name, by, at, standard[1]), false)
	default:
		l.tell(fmt.Sprintf("%s, which %s needs, is not in the image: "+
			"copy it from an image that has it, or link the program statically (CGO_ENABLED=0 in Go)",
			name, by), starts)
	}
	return nil
}

func (l *Libraries) tell(text string, starts bool) {
	if !l.one {
		text += ", or name it under allowLibraries if it is there when the program runs"
	}
	if starts && l.Known {
		l.fatal = append(l.fatal, text)
		return
	}
	l.notes = append(l.notes, text)
}

// sideBySide reports whether a DLL is among the side-by-side assemblies, which a manifest in the
// program selects (https://learn.microsoft.com/windows/win32/sbscs/about-side-by-side-assemblies-).
func (l *Libraries) sideBySide(name string) (bool, error) {
	const dir = "/Windows/WinSxS"
	assemblies, err := l.Tree.ReadDir(dir)
	if err != nil {
		return false, err
	}
	for _, a := range assemblies {
		if n, err := l.Tree.Lstat(path.Join(dir, a, name)); err != nil || n != nil {
			return n != nil, err
		}
	}
	return false, nil
}

// elsewhere looks for a library in all directories. own is true for a file of the image's own
// layers, if the image has no list of directories for the loader.
func (l *Libraries) elsewhere(name string) (dir string, own bool, err error) {
	listed := false
	for p, n := range l.Tree.Nodes {
		listed = listed || p == "/etc/ld.so.cache" || strings.HasPrefix(p, "/etc/ld-musl-")
		if n.Kind != layer.Dir && path.Base(p) == name && (dir == "" || path.Dir(p) < dir) {
			dir, own = path.Dir(p), true
		}
	}
	if l.Tree.Below == nil {
		return dir, own && !listed, nil
	}
	below, err := l.Tree.Below()
	if err != nil {
		return "", false, err
	}
	for p, n := range below.Nodes {
		if n.Kind != layer.Dir && path.Base(p) == name {
			return path.Dir(p), false, nil
		}
	}
	return dir, own && !listed, nil
}

// unused reports DLLs that were copied to Windows' own directories, where only DLLs that are loaded
// by name are found, and that no file of the image's own layers imports or mentions. Only images
// that start a program of theirs are checked, and if all these DLLs are real.
func (l *Libraries) unused(entry string) error {
	if l.On.OS != platform.Windows || !l.Known || l.Tree.Nodes[entry] == nil {
		return nil
	}
	var dlls []string
	for _, p := range slices.Sorted(maps.Keys(l.Tree.Nodes)) {
		dir := layer.Fold(path.Dir(p))
		if l.Tree.Nodes[p].Kind != layer.Regular || !strings.EqualFold(path.Ext(p), ".dll") ||
			dir != "/WINDOWS/SYSTEM32" && dir != "/WINDOWS/SYSWOW64" {
			continue
		}
		if n, ok := l.needs[p]; !ok || !n.Library {
			return nil
		}
		if !l.allowed(path.Base(p)) {
			dlls = append(dlls, p)
		}
	}
	if len(dlls) == 0 {
		return nil
	}
	used, err := l.mentioned(dlls)
	if err != nil {
		return err
	}
	for i, p := range dlls {
		if !used[i] {
			l.notes = append(l.notes,
				fmt.Sprintf("%s is copied into the image, and nothing there imports or names it: "+
					"remove the COPY, or name it under allowLibraries if a program finds the name elsewhere", p))
		}
	}
	return nil
}

// mentioned reports for each DLL whether another file has its name, without the extension, which
// LoadLibrary adds. An import is a mention, too.
func (l *Libraries) mentioned(dlls []string) ([]bool, error) {
	var names []string
	for _, p := range dlls {
		base := path.Base(p)
		names = append(names, strings.TrimSuffix(base, path.Ext(base)))
	}
	used := make([]bool, len(dlls))
	for p, n := range l.Tree.Nodes {
		if n.Kind != layer.Regular || n.Odd != "" {
			continue
		}
		err := l.open(n, func(_ layer.Content, r io.Reader) error {
			found, err := executable.Mentions(r, names)
			for i := range found {
				used[i] = used[i] || found[i] && dlls[i] != p
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
	}
	return used, nil
}
