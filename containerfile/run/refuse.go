package run

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/script"
	"github.com/slipway-dev/slipway/image/tree"
)

// refuse reports all commands that are not known, or not in this form.
func (s *State) refuse(commands []script.Command) error {
	var errs []error
	for _, c := range commands {
		errs = append(errs, s.refuseOne(c))
	}
	return cmp.Or(errors.Join(errs...), s.refuseLine())
}

// refuseLine reports settings of the stage with which no line is supported.
func (s *State) refuseLine() error {
	if s.Windows() {
		return nil
	}
	for _, name := range script.Deciding {
		if v, ok := s.Env.Get(name); ok && v != "" && name == strings.ToUpper(name) &&
			!slices.Contains(ofShells, name) {
			return mistake.At(name,
				"RUN with the variable %s, which changes what its commands do, is not supported: leave it out", name)
		}
	}
	user, group, _ := strings.Cut(s.Config.User, ":")
	if user != "" && user != "0" && user != "root" || group != "" && group != "0" && group != "root" {
		return fmt.Errorf("RUN after USER %s is not supported, since the rights of that user are unknown: %s",
			s.Config.User, s.ways("move RUN above USER", "write USER root before it"))
	}
	return nil
}

// ofShells are variables that a shell sets itself, whatever it is started with.
var ofShells = []string{"IFS", "PWD", "OLDPWD", "OPTIND", "PPID", "LINENO", "UID", "EUID", "RANDOM", "SHLVL", "_"}

func (s *State) refuseOne(c script.Command) error {
	if c.Group != 0 {
		return nil
	}
	words := c.Texts()
	name := words[0]
	k, ok := s.command(name)
	switch {
	case c.Args[0].Pattern != "":
		return mistake.At(name, "RUN %s: a pattern in the place of a command", name)
	case !ok && elsewhere(words...) != "":
		return mistake.At(name, "RUN %s: no command is run here: %s", name,
			s.ways(elsewhere(words...)))
	case (name == "go" || name == "xx-go") && !s.Toolchain:
		return mistake.At(name,
			"RUN go: programs are compiled in a stage of their own, and no command is run in the image: %s",
			s.ways("move it to FROM golang AS builder, and use COPY --from=builder",
				"declare the package under programs in slipway.yaml and use COPY --from=binaries"))
	case !ok:
		return mistake.At(name, "RUN %s needs a machine of the image's system, and no command is run here: %s",
			name, s.insteadOf(name))
	case c.Output != nil && !k.prints:
		return mistake.At(c.Output.File.Text, "RUN %s: its output is unknown: %s", name,
			s.ways("write it with echo or printf"))
	case c.Input != nil && piped(c) != nil:
		return piped(c)
	case c.Input != nil && !k.reads:
		return mistake.At("|", "RUN %s does not read a pipe here: %s", name, s.ways("write a file first"))
	case c.Input != nil:
		if err := refuseInput(c); err != nil {
			return err
		}
	}
	_, _, err := k.parse(words[1:])
	if err != nil {
		return fmt.Errorf("RUN %s: %w", name, err)
	}
	return nil
}

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
