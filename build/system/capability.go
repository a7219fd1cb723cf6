package system

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/layer"
)

// capabilityNames are those of linux/capability.h, in the order of their numbers.
var capabilityNames = strings.Fields(`
chown dac_override dac_read_search fowner fsetid kill setgid setuid setpcap linux_immutable
net_bind_service net_broadcast net_admin net_raw ipc_lock ipc_owner sys_module sys_rawio sys_chroot
sys_ptrace sys_pacct sys_admin sys_boot sys_nice sys_resource sys_time sys_tty_config mknod lease
audit_write audit_control setfcap mac_override mac_admin syslog wake_alarm block_suspend audit_read
perfmon bpf checkpoint_restore`)

// capabilities are the sets of a file, by bits.
type capabilities struct{ effective, inheritable, permitted uint64 }

// allCapabilities has a bit for each.
var allCapabilities = uint64(1)<<len(capabilityNames) - 1

// The attribute security.capability, as Linux stores it.
const (
	capabilityRevision  = 0x02000000
	capabilityEffective = 0x1
	capabilitySize      = 20
)

// parseCapabilities reads the text of setcap: clauses such as cap_net_raw,cap_kill=+ep.
func parseCapabilities(text string) (c capabilities, err error) {
	for _, clause := range strings.Fields(text) {
		at := strings.IndexAny(clause, "=+-")
		if at < 0 || clause[0] == '+' || clause[0] == '-' {
			return c, fmt.Errorf("%q is no list of capabilities: write cap_net_bind_service=+ep", clause)
		}
		bits, err := capabilityBits(clause[:at])
		if err != nil {
			return c, err
		}
		for rest := clause[at:]; rest != ""; {
			op := rest[0]
			flags := rest[1:]
			if end := strings.IndexAny(flags, "=+-"); end >= 0 {
				flags = flags[:end]
			}
			rest = rest[1+len(flags):]
			if strings.Trim(flags, "eip") != "" || flags == "" && op != '=' {
				return c, fmt.Errorf("%q has flags other than e, i and p: write cap_net_bind_service=+ep", clause)
			}
			c.apply(op, flags, bits)
		}
	}
	return c, nil
}

func (c *capabilities) apply(op byte, flags string, bits uint64) {
	for flag, set := range map[byte]*uint64{'e': &c.effective, 'i': &c.inheritable, 'p': &c.permitted} {
		has := strings.IndexByte(flags, flag) >= 0
		switch {
		case op == '=':
			*set &^= bits
			if has {
				*set |= bits
			}
		case op == '+' && has:
			*set |= bits
		case op == '-' && has:
			*set &^= bits
		}
	}
}

func capabilityBits(list string) (uint64, error) {
	if list == "" || strings.EqualFold(list, "all") {
		return allCapabilities, nil
	}
	var bits uint64
	for _, name := range strings.Split(list, ",") {
		n := slices.Index(capabilityNames, strings.TrimPrefix(strings.ToLower(name), "cap_"))
		if n < 0 || !strings.HasPrefix(strings.ToLower(name), "cap_") {
			return 0, fmt.Errorf("capability %s is not known: see man 7 capabilities", name)
		}
		bits |= 1 << n
	}
	return bits, nil
}

// attribute returns the value of security.capability.
func (c capabilities) attribute() (string, error) {
	either := c.permitted | c.inheritable
	flags := uint32(capabilityRevision)
	if c.effective != 0 {
		if either&^c.effective != 0 {
			return "", errors.New("effective capabilities are all or none of the others: add e to each clause")
		}
		flags |= capabilityEffective
	}
	b := make([]byte, 0, capabilitySize)
	for _, v := range []uint32{
		flags, uint32(c.permitted), uint32(c.inheritable), uint32(c.permitted >> 32), uint32(c.inheritable >> 32), //nolint:gosec // halves
	} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return string(b), nil
}

// readAttribute is the reverse of attribute.
func readAttribute(s string) (c capabilities, err error) {
	b := []byte(s)
	if len(b) < capabilitySize {
		return c, fmt.Errorf("an attribute security.capability of %d bytes is not known here", len(b))
	}
	word := func(n int) uint64 { return uint64(binary.LittleEndian.Uint32(b[4*n:])) }
	c.permitted, c.inheritable = word(1)|word(3)<<32, word(2)|word(4)<<32
	if word(0)&capabilityEffective != 0 {
		c.effective = c.permitted | c.inheritable
	}
	return c, nil
}

// String is the text of getcap.
func (c capabilities) String() string {
	byFlags := map[string][]string{}
	var order []string
	for n, name := range capabilityNames {
		flags := ""
		for _, f := range []struct {
			letter string
			set    uint64
		}{{"e", c.effective}, {"i", c.inheritable}, {"p", c.permitted}} {
			if f.set&(1<<n) != 0 {
				flags += f.letter
			}
		}
		if flags == "" {
			continue
		}
		if byFlags[flags] == nil {
			order = append(order, flags)
		}
		byFlags[flags] = append(byFlags[flags], "cap_"+name)
	}
	if len(order) == 1 && len(byFlags[order[0]]) == len(capabilityNames) {
		return "=" + order[0]
	}
	var parts []string
	for n, flags := range order {
		op := "+"
		if n == 0 {
			op = "="
		}
		parts = append(parts, strings.Join(byFlags[flags], ",")+op+flags)
	}
	return strings.Join(parts, " ")
}

// setcap is that of libcap 2.66.
func setcap(_ context.Context, s *System, args []string, _ io.Writer) error {
	const me = "setcap"
	for len(args) > 0 && args[0] == "-q" {
		args = args[1:]
	}
	if len(args) < 2 {
		return fail(me, 1, "it needs capabilities and a file")
	}
	for ; len(args) > 1; args = args[2:] {
		value := ""
		switch text := args[0]; {
		case text == "-r":
		case text == "-" || len(text) > 1 && text[0] == '-':
			return syntax{program: me}.unknown(text)
		default:
			c, err := parseCapabilities(text)
			if err == nil {
				value, err = c.attribute()
			}
			if err != nil {
				return fail(me, 1, "%v", err)
			}
		}
		if err := s.setCapability(args[1], value, args[0] == "-r"); err != nil {
			return err
		}
	}
	if len(args) > 0 {
		return fail(me, 1, "%s has no file", args[0])
	}
	return nil
}

func (s *System) setCapability(p, value string, remove bool) error {
	const me = "setcap"
	at, err := s.itself(p)
	if err != nil {
		return err
	}
	n, err := s.Tree.Lstat(at)
	switch {
	case err != nil:
		return err
	case n == nil:
		return fail(me, 1, "The value of the capability argument is not permitted for a file that is not there: %s", p)
	case n.Kind != layer.Regular || n.Odd != "":
		return fail(me, 1, "%s is not a regular file", p)
	case remove && n.Capability == "":
		return fail(me, 1, "Failed to remove capabilities of %s, which has none", p)
	}
	k := *n
	k.Capability = value
	return s.Tree.Change(at, &k)
}

// getcap is that of libcap 2.66, for files.
func getcap(_ context.Context, s *System, args []string, out io.Writer) error {
	for _, p := range args {
		if strings.HasPrefix(p, "-") {
			return syntax{program: "getcap"}.unknown(p)
		}
		n, err := s.stat(p)
		if err != nil {
			return err
		}
		if n == nil || n.Capability == "" {
			continue
		}
		c, err := readAttribute(n.Capability)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if _, err := fmt.Fprintf(out, "%s %s\n", p, c); err != nil {
			return err
		}
	}
	return nil
}
