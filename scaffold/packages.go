package scaffold

import (
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// installs matches the commands that install Debian packages.
var installs = lazyregexp.New(`(?:^|[\s;&|/(])(?:apt-get|apt)\s(?:[^;&|]*\s)?(?:install|upgrade|dist-upgrade)\b|` +
	`(?:^|[\s;&|/(])(?:clean-install\s|dpkg\s+(?:-i|--install)\b)`)

// installsPackages reports whether a stage that ships, or one that it starts from, installs Debian
// packages.
func (p *part) installsPackages() bool {
	for s, n := p.of, 0; s != nil && n < len(p.from.stages); s, n = p.from.find(s.base), n+1 {
		for c := range instructionsIn[*instructions.RunCommand](s) {
			lines := c.CmdLine
			for _, f := range c.Files {
				lines = append(lines[:len(lines):len(lines)], f.Data)
			}
			if installs.MatchString(strings.Join(lines, " ")) {
				return true
			}
		}
	}
	return false
}

// writePackages says what pins the packages that the Dockerfiles of an image install.
func writePackages(w *writer, i image) {
	for _, p := range i.parts {
		if p.installsPackages() {
			w.note("    ", "The Dockerfile installs Debian packages: "+howto.Run("pin")+
				" chooses and locks them in packages.lock.yaml. Commit that file.")
			return
		}
	}
}
