package entrypoint

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/image/environment"

	"github.com/slipway-dev/slipway/platform"
)

// maxDirectories bounds how many directories of LD_LIBRARY_PATH are looked at.
const maxDirectories = 256

// multiarch are the directories of Debian and its kin for libraries of an architecture
// (https://wiki.debian.org/Multiarch/Tuples).
var multiarch = map[string]string{
	"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu", "arm": "arm-linux-gnueabihf", "386": "i386-linux-gnu",
	"ppc64le": "powerpc64le-linux-gnu",
	"s390x":   "s390x-linux-gnu", "riscv64": "riscv64-linux-gnu",
}

// directories are where the loader looks for a library that a program needs, or one of its
// libraries, in its order. Those of the second list are its own: of the files in them, only a base
// can have named those to the cache of the loader that are not in [Libraries.standard].
func (l *Libraries) directories(program, by string) (first, own []string) {
	if l.On.OS == platform.Windows {
		return l.windowsDirectories(program), nil
	}
	add := func(file string, dirs []string) {
		for _, dir := range dirs {
			first = append(first, strings.NewReplacer("$ORIGIN", path.Dir(file), "${ORIGIN}", path.Dir(file),
				"$LIB", "lib", "${LIB}", "lib").Replace(dir))
		}
	}
	p, b := l.needs[program], l.needs[by]
	switch {
	case l.musl(program): // takes both for both
		add(by, append(b.RPath, b.RunPath...))
		add(program, append(p.RPath, p.RunPath...))
	case len(b.RunPath) > 0:
		add(by, b.RunPath)
	default:
		add(by, b.RPath)
		if len(p.RunPath) == 0 {
			add(program, p.RPath)
		}
	}
	wd := path.Join("/", l.Config.WorkingDir)
	if list, ok := environment.New(l.Config.Env).Get("LD_LIBRARY_PATH"); ok {
		dirs := strings.FieldsFunc(list, func(r rune) bool { return r == ':' || r == ';' })
		for _, dir := range dirs[:min(len(dirs), maxDirectories)] {
			first = append(first, absolute(wd, dir))
		}
	}
	own = append(own, path.Dir(p.Interpreter), "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib",
		"/usr/local/lib64")
	if tuple, ok := multiarch[l.On.Architecture]; ok {
		own = append(own, "/lib/"+tuple, "/usr/lib/"+tuple, "/usr/local/lib/"+tuple)
	}
	return first, own
}

func (l *Libraries) musl(program string) bool {
	return strings.HasPrefix(path.Base(l.needs[program].Interpreter), "ld-musl-")
}

// standard are the directories in which a loader finds files without a cache, which only ldconfig
// writes: those of musl, and of glibc those that its distribution has libc.so.6 in.
func (l *Libraries) standard(program string) ([]string, error) {
	if l.musl(program) {
		return []string{"/lib", "/usr/local/lib", "/usr/lib"}, nil
	}
	lib := []string{"/lib", "/usr/lib"}
	if tuple, ok := multiarch[l.On.Architecture]; ok {
		lib = append(lib, "/lib/"+tuple, "/usr/lib/"+tuple)
	}
	for _, dirs := range [][]string{lib, {"/lib64", "/usr/lib64"}} {
		for _, dir := range dirs {
			_, n, err := l.find(path.Join(dir, "libc.so.6"))
			if err != nil || n != nil {
				return dirs, err
			}
		}
	}
	return append(lib, "/lib64", "/usr/lib64"), nil
}

// windowsDirectories are where Windows looks for a DLL
// (https://learn.microsoft.com/windows/win32/dlls/dynamic-link-library-search-order).
func (l *Libraries) windowsDirectories(program string) []string {
	wd, search := l.windowsPath()
	// programs for 386 have SysWOW64 under the name of System32
	dirs := []string{path.Dir(program), "/Windows/System32", "/Windows/SysWOW64", "/Windows/System", "/Windows", wd}
	return append(dirs, search...)
}
