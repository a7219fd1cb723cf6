package system

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
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
			return c, fmt.Errorf("%q is not a list of capabilities: write cap_net_bind_service=+ep", clause)
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

// setcap is that of libcap 2.66.
func setcap(s *System, _ Options, args []string) error {
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
			return fmt.Errorf("%s: option %s is not supported: leave it out", me, text)
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
		return fail(me, 1, "%s has no capabilities to remove", p)
	}
	k := *n
	k.Capability = value
	return s.Tree.Change(at, &k)
}
