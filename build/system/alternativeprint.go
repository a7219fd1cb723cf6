package system

import (
	"fmt"
	"io"
	"strings"
)

// print writes what --list, --query and --display write.
func (a *alternative) print(out io.Writer, action string) error {
	var b strings.Builder
	switch action {
	case "list":
		for _, c := range a.choices {
			fmt.Fprintln(&b, c.file)
		}
	case "query":
		a.query(&b)
	default:
		a.display(&b)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func (a *alternative) status() string {
	if a.auto {
		return "auto"
	}
	return "manual"
}

func (a *alternative) query(b *strings.Builder) {
	fmt.Fprintf(b, "Name: %s\nLink: %s\n", a.name, a.link)
	if len(a.slaves) > 0 {
		b.WriteString("Slaves:\n")
		for _, sl := range a.slaves {
			fmt.Fprintf(b, " %s %s\n", sl.name, sl.link)
		}
	}
	fmt.Fprintf(b, "Status: %s\n", a.status())
	if best := a.best(); best != nil {
		fmt.Fprintf(b, "Best: %s\n", best.file)
	}
	fmt.Fprintf(b, "Value: %s\n", or(a.current, "none"))
	for _, c := range a.choices {
		fmt.Fprintf(b, "\nAlternative: %s\nPriority: %d\n", c.file, c.priority)
		if len(a.slaves) > 0 {
			b.WriteString("Slaves:\n")
		}
		for _, sl := range a.slaves {
			if c.slaves[sl.name] != "" {
				fmt.Fprintf(b, " %s %s\n", sl.name, c.slaves[sl.name])
			}
		}
	}
}

func (a *alternative) display(b *strings.Builder) {
	fmt.Fprintf(b, "%s - %s mode\n", a.name, a.status())
	if best := a.best(); best != nil {
		fmt.Fprintf(b, "  link best version is %s\n", best.file)
	} else {
		b.WriteString("  link best version not available\n")
	}
	if a.current != "" {
		fmt.Fprintf(b, "  link currently points to %s\n", a.current)
	} else {
		b.WriteString("  link currently absent\n")
	}
	fmt.Fprintf(b, "  link %s is %s\n", a.name, a.link)
	for _, sl := range a.slaves {
		fmt.Fprintf(b, "  slave %s is %s\n", sl.name, sl.link)
	}
	for _, c := range a.choices {
		fmt.Fprintf(b, "%s - priority %d\n", c.file, c.priority)
		for _, sl := range a.slaves {
			if c.slaves[sl.name] != "" {
				fmt.Fprintf(b, "  slave %s: %s\n", sl.name, c.slaves[sl.name])
			}
		}
	}
}

// selections writes a line for each link group.
func (c *alternativesCall) selections(out io.Writer) error {
	names, err := c.s.groups()
	if err != nil {
		return err
	}
	for _, name := range names {
		a, found, err := c.s.loadAlternative(name)
		if err != nil {
			return err
		}
		if found {
			if _, err := fmt.Fprintf(out, "%-30s %-8s %s\n", name, a.status(), a.current); err != nil {
				return err
			}
		}
	}
	return nil
}
