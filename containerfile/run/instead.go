package run

import (
	"path"
	"strings"

	"github.com/slipway-dev/slipway/image/tree"
)

// Ways returns what to do about a RUN that needs a machine: hints, and how the image is had as its
// builder makes it. Builders are for Linux.
func Ways(windows bool, hints ...string) string {
	if !windows {
		hints = append(hints, "let a builder make this image (dockerfile.builder: docker, podman or buildctl)")
	} else if len(hints) == 0 {
		hints = append(hints, "declare programs in slipway.yaml and use COPY --from=binaries, "+
			"use COPY --from another stage or image, or ADD a tar of what the command would make")
	}
	return strings.Join(append(hints, "take it as it was built (prebuilt)"), ", or ")
}

// ways are those of the stage.
func (s *State) ways(hints ...string) string { return Ways(s.Windows(), hints...) }

// insteadOf returns what to do about a command that is not known.
func (s *State) insteadOf(name string) string {
	switch path.Base(tree.Slashed(name)) {
	case "apt-get", "apt", "apk", "aptitude", "dnf", "microdnf", "tdnf", "yum", "zypper", "rpm",
		"dpkg", "pacman", "clean-install", "update-ca-certificates":
		return s.ways("name a base that has the packages (one with builtin: static has certificates and time zones)")
	case "adduser", "addgroup": // Debian's and BusyBox's differ
		return s.ways("use useradd or groupadd, if the base has it", "write USER and --chown by number")
	case "passwd", "chpasswd", "chsh", "chfn", "gpasswd", "newusers", "usermod":
		return s.ways("use useradd with its options, or COPY an /etc/passwd and /etc/shadow")
	}
	return s.ways()
}
