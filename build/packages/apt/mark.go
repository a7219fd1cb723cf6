package apt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/build/packages/dpkg"
)

// marks are what apt-mark can do.
var marks = []string{"auto", "manual", "hold", "unhold"}

func checkMark(args []string) error {
	if len(args) < 3 || !slices.Contains(marks, args[1]) {
		return fmt.Errorf("%s is carried out as %s, with the names of packages", args[0], strings.Join(marks, ", "))
	}
	if n := slices.IndexFunc(args[2:], func(w string) bool { return strings.HasPrefix(w, "-") }); n >= 0 {
		return fmt.Errorf("option %s is not known here", args[2+n])
	}
	return nil
}

// mark is apt-mark. A package that is not installed is an error, as it is there.
func (m *Manager) mark(ctx context.Context, c packages.Call) error {
	if c.Unknown {
		return nil
	}
	arch, err := architecture(c.Platform)
	if err != nil {
		return err
	}
	status, err := tree.ReadText(c.Tree, statusFile)
	if err != nil {
		return err
	}
	paragraphs := strings.Split(string(status), "\n\n")
	for _, name := range c.Args[2:] {
		base, own, _ := strings.Cut(name, ":")
		n := slices.IndexFunc(paragraphs, func(p string) bool {
			a := field(p, "Architecture")
			return field(p, "Package") == base && (own == "" || own == a) &&
				strings.HasSuffix(field(p, "Status"), " installed")
		})
		if n < 0 {
			return fmt.Errorf("%s is not installed", name)
		}
		switch c.Args[1] {
		case "hold":
			paragraphs[n] = strings.Replace(paragraphs[n], "\nStatus: install ", "\nStatus: hold ", 1)
		case "unhold":
			paragraphs[n] = strings.Replace(paragraphs[n], "\nStatus: hold ", "\nStatus: install ", 1)
		default:
			a := dpkg.AutoInstalled{Name: base, Architecture: field(paragraphs[n], "Architecture")}
			if a.Architecture == "all" {
				a.Architecture = arch
			}
			if err := markAuto(ctx, c.Tree, arch, a, c.Args[1] == "auto"); err != nil {
				return err
			}
		}
	}
	if now := strings.Join(paragraphs, "\n\n"); now != string(status) {
		return c.Tree.WriteText(statusFile, []byte(now), 0o644)
	}
	return nil
}

// field returns the value of a field of one line in a paragraph.
func field(paragraph, name string) string {
	for line := range strings.SplitSeq(paragraph, "\n") {
		if v, ok := strings.CutPrefix(line, name+": "); ok {
			return v
		}
	}
	return ""
}

// markAuto sets or removes the mark of a package that was installed for others.
func markAuto(ctx context.Context, t *tree.Tree, arch string, a dpkg.AutoInstalled, on bool) error {
	all, err := readAuto(t)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(o dpkg.AutoInstalled) bool { return o == a })
	if on {
		all = append(all, a)
	}
	_, err = dpkg.Install(ctx, t, dpkg.Transaction{Architecture: arch, Auto: all})
	return err
}
