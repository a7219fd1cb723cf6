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
	case "adduser", "addgroup", "useradd", "groupadd", "usermod":
		return "write the number in USER, which needs no account (65532 is nonroot of builtin: " +
			"static), or COPY an /etc/passwd that has it"
	}
	return instead
}
