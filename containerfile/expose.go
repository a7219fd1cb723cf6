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
		if s.Config.ExposedPorts == nil {
			s.Config.ExposedPorts = map[string]struct{}{}
		}
		s.Config.ExposedPorts[p] = struct{}{}
	}
	b.record(s, fmt.Sprintf("EXPOSE %v", all), false)
	return nil
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
