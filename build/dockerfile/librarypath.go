package dockerfile

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// multiarch are the directories of Debian and its kin for libraries of an architecture
// (https://wiki.debian.org/Multiarch/Tuples).
var multiarch = map[string]string{
	"amd64": "x86_64-linux-gnu", "arm64": "aarch64-linux-gnu", "arm": "arm-linux-gnueabihf", "386": "i386-linux-gnu", "ppc64le": "powerpc64le-linux-gnu",
	"s390x": "s390x-linux-gnu", "riscv64": "riscv64-linux-gnu",
}

// directories are where the loader looks for a library that a program needs, or one of its
// libraries, in its order.
func (l *libraries) directories(program, by string) []string {
	if l.on.OS == platform.Windows {
		return l.windowsDirectories(program)
	}
	var dirs []string
	for _, file := range []string{by, program} {
		for _, dir := range l.needs[file].Paths {
			dirs = append(dirs, strings.NewReplacer("$ORIGIN", path.Dir(file), "${ORIGIN}", path.Dir(file), "$LIB", "lib", "${LIB}", "lib").Replace(dir))
		}
	}
	wd := path.Join("/", l.config.WorkingDir)
	if list, ok := newEnvironment(l.config.Env).Get("LD_LIBRARY_PATH"); ok {
		for _, dir := range strings.FieldsFunc(list, func(r rune) bool { return r == ':' || r == ';' }) {
			dirs = append(dirs, absolute(wd, dir))
		}
	}
	dirs = append(dirs, path.Dir(l.needs[program].Interpreter), "/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib", "/usr/local/lib64")
	if tuple, ok := multiarch[l.on.Architecture]; ok {
		dirs = append(dirs, "/lib/"+tuple, "/usr/lib/"+tuple, "/usr/local/lib/"+tuple)
	}
	return dirs
}

// windowsDirectories are where Windows looks for a DLL
// (https://learn.microsoft.com/windows/win32/dlls/dynamic-link-library-search-order).
func (l *libraries) windowsDirectories(program string) []string {
	wd := path.Join("/", slashed(l.config.WorkingDir))
	// programs for 386 have SysWOW64 under the name of System32
	dirs := []string{path.Dir(program), "/Windows/System32", "/Windows/SysWOW64", "/Windows/System", "/Windows", wd}
	list, _ := newEnvironment(l.config.Env).withoutCase().Get("PATH")
	for _, dir := range strings.Split(list, ";") {
		if dir = slashed(strings.Trim(dir, `"`)); dir != "" {
			dirs = append(dirs, absolute(wd, dir))
		}
	}
	return dirs
}
