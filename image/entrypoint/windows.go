package entrypoint

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/image/environment"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// brought reports whether every base for Windows has a program: cmd, which runs the shell form.
func brought(name string) bool {
	return strings.EqualFold(name, "cmd") || strings.EqualFold(name, "cmd.exe")
}

// programOf returns the program of a whole command line, which Docker's builder for Windows writes
// as one word with ArgsEscaped.
func programOf(line string) string {
	if quoted, ok := strings.CutPrefix(line, `"`); ok {
		name, _, _ := strings.Cut(quoted, `"`)
		return name
	}
	if at := strings.Index(strings.ToLower(line)+" ", ".exe "); at >= 0 {
		return line[:at+len(".exe")]
	}
	name, _, _ := strings.Cut(line, " ")
	return name
}

// hosts reports whether a program may come from the machine that runs the container: HostProcess
// containers see its files, and other drives are mounted.
func (i Image) hosts(name string) bool {
	p := tree.Slashed(name)
	return !strings.Contains(p, "/") || strings.Contains(p, ":") || strings.Contains(p, "%") ||
		strings.HasPrefix(layer.Fold(p), "/WINDOWS/")
}

// windowsPath returns the working directory of a Windows container, and the directories of PATH.
func (i Image) windowsPath() (wd string, dirs []string) {
	wd = path.Join("/", tree.Slashed(i.Config.WorkingDir))
	list, _ := environment.New(i.Config.Env).WithoutCase().Get("PATH")
	for dir := range strings.SplitSeq(list, ";") {
		if dir = tree.Slashed(strings.Trim(dir, `"`)); dir != "" {
			dirs = append(dirs, absolute(wd, dir))
		}
	}
	return wd, dirs
}

// windowsCandidates are the paths at which CreateProcess looks for a program
// (https://learn.microsoft.com/windows/win32/api/processthreadsapi/nf-processthreadsapi-createprocessw),
// with each extension of PATHEXT.
func (i Image) windowsCandidates(name string) []string {
	if len(i.Config.WorkingDir) > maxPath || len(name) > maxPath {
		return nil
	}
	wd, search := i.windowsPath()
	name = tree.Slashed(name)
	dirs := []string{wd}
	if !strings.Contains(name, "/") {
		dirs = append(append(dirs, "/Windows/System32", "/Windows/System", "/Windows"), search...)
	}
	extensions, ok := environment.New(i.Config.Env).WithoutCase().Get("PATHEXT")
	if !ok {
		extensions = ".COM;.EXE;.BAT;.CMD"
	}
	var all []string
	for _, dir := range dirs {
		if len(all) > maxCandidates {
			break
		}
		p := absolute(dir, name)
		all = append(all, p)
		for _, x := range strings.SplitN(extensions, ";", maxCandidates) {
			if x = strings.TrimSpace(x); x != "" {
				all = append(all, p+x)
			}
		}
	}
	return all
}
