// Package modechange reads what chmod and mkdir -m take as a mode, as GNU's modechange.c does.
package modechange

import (
	"io/fs"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// Change is what chmod does to a mode.
type Change []clause

// clause is a part of a mode such as go+rX. Modes have the bits of Unix.
type clause struct {
	op        byte // '=', '+' or '-'
	kind      byte // 0, 'X', or 'c' for the bits that another class has
	affected  uint32
	value     uint32
	mentioned uint32 // setuid and setgid of a directory stay unless they are among these
}

// Umask is that of the shells that start commands.
const Umask = 0o022

const (
	allBits  = 0o7777
	setBits  = 0o6000 // setuid and setgid
	execBits = 0o111
)

// Parse reads a mode as chmod does: a symbolic mode without u, g, o or a does not change the bits
// of [Umask].
func Parse(s string) (Change, error) {
	bad := mistake.At(s, "mode %s is neither octal, such as 0755, nor symbolic, such as u=rwX,go=rX", s)
	if s == "" {
		return nil, bad
	}
	if strings.Trim(s, "01234567") == "" {
		n, err := strconv.ParseUint(s, 8, 16)
		if err != nil || n > allBits {
			return nil, bad
		}
		c := clause{op: '=', affected: allBits, value: uint32(n), mentioned: allBits}
		if len(s) < 5 {
			c.mentioned = c.value&setBits | 0o1777
		}
		return Change{c}, nil
	}
	var all Change
	for _, part := range strings.Split(s, ",") {
		who := part[:len(part)-len(strings.TrimLeft(part, "ugoa"))]
		var affected uint32
		for i := range len(who) {
			affected |= map[byte]uint32{'u': 0o4700, 'g': 0o2070, 'o': 0o1007, 'a': allBits}[who[i]]
		}
		part = part[len(who):]
		if part == "" {
			return nil, bad
		}
		for part != "" {
			c := clause{op: part[0], affected: affected}
			if strings.IndexByte("=+-", c.op) < 0 {
				return nil, bad
			}
			end := strings.IndexAny(part[1:], "=+-") + 1
			if end == 0 {
				end = len(part)
			}
			if !c.permissions(part[1:end]) {
				return nil, bad
			}
			all, part = append(all, c), part[end:]
		}
	}
	return all, nil
}

// permissions reads what follows the operator of a clause.
func (c *clause) permissions(s string) bool {
	switch s {
	case "u", "g", "o":
		c.kind, c.value = 'c', map[string]uint32{"u": 0o700, "g": 0o070, "o": 0o007}[s]
	default:
		for i := range len(s) {
			bits, ok := map[byte]uint32{'r': 0o444, 'w': 0o222, 'x': execBits, 'X': 0, 's': setBits, 't': 0o1000}[s[i]]
			if !ok {
				return false
			}
			if c.value |= bits; s[i] == 'X' {
				c.kind = 'X'
			}
		}
	}
	if c.mentioned = c.value; c.affected != 0 {
		c.mentioned &= c.affected
	}
	return true
}

// Adjust returns a mode after the change, and the bits that the change decides.
func (c Change) Adjust(mode uint32, dir bool) (_, bits uint32) {
	for _, p := range c {
		var omit uint32
		if dir {
			omit = setBits &^ p.mentioned
		}
		value := p.value
		switch {
		case p.kind == 'c':
			value &= mode
			for _, bit := range []uint32{0o444, 0o222, execBits} {
				if value&bit != 0 {
					value |= bit
				}
			}
		case p.kind == 'X' && (dir || mode&execBits != 0):
			value |= execBits
		}
		keep := omit
		if p.affected != 0 {
			value &= p.affected
			keep |= ^p.affected
		} else {
			value &^= Umask
		}
		value &^= omit
		switch p.op {
		case '=':
			bits |= allBits &^ keep
			mode = mode&keep | value
		case '+':
			bits |= value
			mode |= value
		case '-':
			bits |= value
			mode &^= value
		}
	}
	return mode, bits
}

// Apply returns the mode of a file after the change.
func (c Change) Apply(n *tree.Node) fs.FileMode {
	m, _ := c.Adjust(Bits(n.Mode), n.Kind == layer.Dir)
	return Mode(m)
}

// Made returns the mode of a directory that mkdir -m makes: it makes one with a sticky bit that
// only its owner can write to, and changes it only if another bit that the mode decides is missing.
// inherited is setgid, if the directory above has it.
func (c Change) Made(inherited fs.FileMode) fs.FileMode {
	mode, bits := c.Adjust(0o777, true)
	made := mode &^ setBits
	if bits&setBits|mode&0o1000 != 0 {
		made &^= 0o022
	}
	made |= Bits(inherited)
	if (made^mode)&bits != 0 {
		made = mode | made&^bits
	}
	return Mode(made)
}

// specialBits are those that Go has elsewhere.
var specialBits = map[uint32]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky}

// Bits turns a mode into the bits of Unix.
func Bits(m fs.FileMode) uint32 {
	u := uint32(m.Perm())
	for bit, special := range specialBits {
		if m&special != 0 {
			u |= bit
		}
	}
	return u
}

// Mode turns the bits of Unix into a mode.
func Mode(u uint32) fs.FileMode {
	m := fs.FileMode(u) & fs.ModePerm
	for bit, special := range specialBits {
		if u&bit != 0 {
			m |= special
		}
	}
	return m
}
