package run

import (
	"path"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// insteadOf returns what to do about a command that is not known.
func insteadOf(name string) string {
	switch path.Base(tree.Slashed(name)) {
	case "apt-get", "apt", "apk", "aptitude", "dnf", "microdnf", "tdnf", "yum", "zypper", "rpm",
		"dpkg", "pacman", "clean-install":
		return "name a base that has the packages; one with builtin: static has certificates and time zones"
	case "passwd", "chpasswd", "chsh", "chfn", "gpasswd", "newusers":
		return "use useradd or usermod with its options, or COPY an /etc/passwd and /etc/shadow"
	}
	return instead
}
