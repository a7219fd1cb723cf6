package containerfile

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/output"
)

// doubted reports why what a COPY wants of a stage is not known.
func (b *builder) doubted(s *stage, wanted, p string, n *tree.Node, doubts []*run.Skip) error {
	var refusals []*run.Skip
	for _, k := range doubts {
		for _, k := range append(slices.Clone(k.Because), k) {
			if k.Refusal != nil && !slices.Contains(refusals, k) {
				refusals = append(refusals, k)
			}
		}
	}
	if len(refusals) > 0 {
		b.tell(refusals, fmt.Sprintf("%s, which is copied from the stage %s, may be what it writes", wanted, s.title()))
		return run.ErrReported
	}
	k := doubts[0]
	for _, other := range doubts[1:] {
		if likely(p, other.Text) > likely(p, k.Text) {
			k = other
		}
	}
	if n == nil {
		return fmt.Errorf("%s is not made in the stage %s, and %s in line %d, which may make it, is not run: %s",
			wanted, s.title(), k.Text, mistake.Line(k.At), run.Ways(s.Windows(), "COPY it from a context",
				"use a base that has it, such as one with builtin: static for certificates"))
	}
	return fmt.Errorf("%s of the stage %s may have other files than are known here, since %s in line %d, "+
		"which may write there, is not run: %s", wanted, s.title(), k.Text, mistake.Line(k.At),
		run.Ways(s.Windows(), "copy what the stage itself puts there by the names of the files, "+
			"and take the rest from an image that has it"))
}

// tell reports refusals, each once. why is what they are in the way of; empty for nothing in
// particular.
func (b *builder) tell(skips []*run.Skip, why string) {
	for _, k := range skips {
		if k.Refusal == nil || k.Told {
			continue
		}
		k.Told = true
		for _, e := range output.Split(k.Refusal) {
			if why != "" {
				e = fmt.Errorf("%w (%s)", e, why)
			}
			b.report.Add(k.At, "", e)
		}
	}
}

// likely returns how likely it is that a command makes a file of the system.
func likely(p, text string) int {
	name := path.Base(strings.Fields(text + " x")[0])
	accounts := strings.HasPrefix(name, "user") || strings.HasPrefix(name, "group") || strings.HasPrefix(name, "add")
	switch {
	case strings.Contains(p, "ssl") || strings.Contains(p, "pki") || strings.Contains(p, "cert"):
		if strings.Contains(text, "ca-certificates") || strings.Contains(text, "ca-trust") {
			return 2
		}
	case path.Base(p) == "mime.types" && strings.Contains(text, "mailcap"):
		return 2
	case slices.Contains([]string{"/etc/passwd", "/etc/group", "/etc/shadow"}, p) || tree.Within(p, "/home"):
		if accounts {
			return 2
		}
	}
	if accounts {
		return 0
	}
	return 1
}
