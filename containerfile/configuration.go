package containerfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
)

func (b *builder) expose(s *stage, c *instructions.ExposeCommand) error {
	var all []string
	for _, word := range c.Ports {
		ports, err := b.shlex.ProcessWords(word, s.Env)
		if err != nil {
			return err
		}
		for _, p := range ports {
			more, err := parsePorts(p)
			if err != nil {
				return err
			}
			all = append(all, more...)
		}
	}
	for _, p := range all {
		put(&s.Config.ExposedPorts, p, struct{}{})
	}
	b.record(s, fmt.Sprintf("EXPOSE %v", all), false)
	return nil
}

// put sets a value in a map, which it makes if that is nil.
func put[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

// parsePorts reads PORT[-PORT][/PROTOCOL].
func parsePorts(s string) ([]string, error) {
	numbers, protocol, _ := strings.Cut(s, "/")
	protocol = strings.ToLower(protocol)
	if protocol == "" {
		protocol = "tcp"
	}
	if !slices.Contains([]string{"tcp", "udp", "sctp"}, protocol) {
		return nil, fmt.Errorf("port %q has the protocol %q: write tcp, udp or sctp", s, protocol)
	}
	if strings.Contains(numbers, ":") {
		return nil, fmt.Errorf("port %q names a host's address or port, which is chosen when the container is run: "+
			"write the container's port", s)
	}
	low, high, isRange := strings.Cut(numbers, "-")
	if !isRange {
		high = low
	}
	first, err1 := strconv.ParseUint(low, 10, 16)
	last, err2 := strconv.ParseUint(high, 10, 16)
	if err1 != nil || err2 != nil || last < first {
		return nil, fmt.Errorf("port %q is not a port or range of ports: write 8080, 8080/udp or 8000-8010", s)
	}
	var ports []string
	for p := first; p <= last; p++ {
		ports = append(ports, strconv.FormatUint(p, 10)+"/"+protocol)
	}
	return ports, nil
}

// signals are the names that STOPSIGNAL takes, without SIG, as github.com/moby/sys/signal knows
// them for Linux on every machine.
var signals = strings.Fields(`ABRT ALRM BUS CHLD CLD CONT FPE HUP ILL INT IO IOT KILL PIPE POLL PROF PWR QUIT SEGV STKFLT STOP
	SYS TERM TRAP TSTP TTIN TTOU URG USR1 USR2 VTALRM WINCH XCPU XFSZ RTMIN RTMAX`)

func checkSignal(s string) error {
	if n, err := strconv.Atoi(s); err == nil {
		if n <= 0 || n > 64 {
			return fmt.Errorf("signal %s is not between 1 and 64", s)
		}
		return nil
	}
	name := strings.TrimPrefix(strings.ToUpper(s), "SIG")
	for base, sign := range map[string]string{"RTMIN": "+", "RTMAX": "-"} {
		if rest, ok := strings.CutPrefix(name, base+sign); ok {
			most := 15
			if base == "RTMAX" {
				most = 14
			}
			if n, err := strconv.Atoi(rest); err == nil && n >= 1 && n <= most {
				return nil
			}
		}
	}
	if !slices.Contains(signals, name) {
		return fmt.Errorf("unknown signal %q: write a name such as SIGTERM, or its number", s)
	}
	return nil
}
