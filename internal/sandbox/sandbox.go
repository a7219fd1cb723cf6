// Package sandbox runs a program without network and with only the directories that it needs.
//
// A [Box] starts a program as a child of slipway: the same program under another name ([Main]),
// which restricts itself and then becomes the program. On Linux it uses what the kernel permits:
//
//   - user, mount, PID, IPC, UTS and network namespaces: only the named files, processes and
//     addresses exist;
//   - Landlock: other files cannot be opened, and other processes get no signals;
//   - seccomp: no sockets, no tracing, no keyrings.
//
// [New] tries the protection of this machine by a child that restricts itself and ends, and
// [Protection] reports it. Memory, processor time and disk space are not bounded.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Mode is what a user wants.
type Mode string

// The modes. Auto uses what the machine permits; Require fails where files or the network would
// not be protected.
const (
	Auto    Mode = "auto"
	Require Mode = "require"
	Off     Mode = "off"
)

// Options say what a box is for.
type Options struct {
	Mode Mode // "" is Off
	// Read has directories that every program in the box may read, with all that is below.
	Read []string
	// Dir is a directory for the box itself, which exists. Nothing else writes to it.
	Dir string
	// Cache is the directory of the build cache that programs in the box use.
	Cache string
	// Programs means that the programs of the system can run in the box: compilers of C, shells.
	Programs bool
	// Unfit states why programs cannot work in a box here; "" if they can.
	Unfit string
}

// Box starts programs. One whose [Box.On] is false restricts nothing.
type Box struct {
	options    Options
	protection Protection
}

// New tries what this machine permits, and fails only in mode [Require], and if ctx ends.
func New(ctx context.Context, o Options) (*Box, error) {
	b := &Box{options: o}
	switch {
	case o.Mode == Off || o.Mode == "":
		b.protection.Lacks = "-sandbox=off"
	case o.Unfit != "":
		b.protection.Lacks = o.Unfit
	case !hooked:
		b.protection.Lacks = "this program cannot be the child that restricts itself"
	default:
		b.protection = b.try(ctx)
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	if o.Mode == Require && !b.protection.complete() {
		return nil, errors.New("-sandbox=require: this machine has no sandbox that keeps programs " +
			"from files and from the network: " + b.protection.String() +
			": permit user namespaces or use a kernel with Landlock, or allow less with -sandbox=auto")
	}
	return b, nil
}

// On reports whether programs are restricted.
func (b *Box) On() bool { return b != nil && b.protection.any() }

// Cache is the directory of the build cache in the box.
func (b *Box) Cache() string { return b.options.Cache }

// Programs reports whether programs of the system can run in the box.
func (b *Box) Programs() bool { return b.options.Programs }

// Dir is the directory of the box itself.
func (b *Box) Dir() string { return b.options.Dir }

// Protection returns what restricts programs.
func (b *Box) Protection() Protection { return b.protection }

// Protection is what restricts programs in a box.
type Protection struct {
	// Namespaces are those that the programs have to themselves; none if the machine permits none.
	Namespaces []string `json:"namespaces,omitempty"`
	Landlock   int      `json:"landlock,omitempty"` // version of its ABI; 0 for none
	Seccomp    bool     `json:"seccomp,omitempty"`
	// Lacks names the missing protection and why; "" for none.
	Lacks string `json:"lacks,omitempty"`
}

func (p Protection) any() bool { return len(p.Namespaces) > 0 || p.Landlock > 0 || p.Seccomp }

// complete reports whether files and the network are protected.
func (p Protection) complete() bool {
	return len(p.Namespaces) > 0 || p.Landlock > 0 && p.Seccomp
}

// open names the gaps in the protection.
func (p Protection) open() string {
	switch {
	case p.Landlock > 0:
		return "the network"
	case p.Seccomp:
		return "files"
	}
	return "files and network"
}

// String returns the protection on one line: "Landlock ABI 7 and seccomp, no namespaces: …".
func (p Protection) String() string {
	var has []string
	if len(p.Namespaces) > 0 {
		has = append(has, strings.Join(p.Namespaces, ", ")+" namespaces")
	}
	if p.Landlock > 0 {
		has = append(has, fmt.Sprintf("Landlock ABI %d", p.Landlock))
	}
	if p.Seccomp {
		has = append(has, "seccomp")
	}
	text := strings.Join(has, "; ")
	switch {
	case text == "":
		text = "none"
	case !p.complete():
		text += " alone, which does not protect " + p.open()
	}
	if p.Lacks != "" {
		text += ": " + p.Lacks
	}
	return text
}
