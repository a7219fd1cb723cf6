package order_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
	"github.com/slipway-dev/slipway/build/packages/dpkg/order"
)

// parse calls do for the stanzas of a text.
func parse(t *testing.T, text string, do func(s control.Stanza) error) {
	t.Helper()
	err := control.Parse(text, func(_ int, s control.Stanza) error { return do(s) })
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// calls writes steps as the calls of dpkg that they are.
func calls(steps []order.Step) []string {
	names := map[order.Op]string{
		order.Unpack: "unpack", order.Configure: "configure", order.Remove: "remove", order.Purge: "purge",
	}
	var all []string
	for n, s := range steps {
		if n == 0 || steps[n-1].Op != s.Op {
			all = append(all, names[s.Op])
		}
		all[len(all)-1] += " " + s.Name
	}
	return all
}

// TestDebian compares with the calls that apt-get made on a minimal Debian 12 to install the
// packages full (nfs-common, openssh-server and curl with what they recommend) and gcc (gcc,
// libc6-dev, make and git). Within a call dpkg configures in an order of its own, and the last call
// takes what is left.
func TestDebian(t *testing.T) {
	for _, name := range []string{"full", "gcc"} {
		t.Run(name, func(t *testing.T) {
			want := strings.Split(strings.TrimSpace(read(t, name)), "\n")
			var install []string
			for _, call := range want {
				if rest, ok := strings.CutPrefix(call, "unpack "); ok {
					install = append(install, strings.Fields(rest)...)
				}
			}
			ps := order.New("amd64")
			parse(t, read(t, "installed"), ps.Installed)
			parse(t, read(t, "available"), func(s control.Stanza) error {
				if !slices.Contains(install, s.Get("Package")) {
					return nil
				}
				return ps.Install(s, "")
			})
			steps, err := ps.Steps()
			if err != nil {
				t.Fatal(err)
			}
			got := calls(steps)
			for n, call := range want[:len(want)-1] {
				if n >= len(got) || sorted(got[n]) != sorted(call) {
					t.Fatalf("the calls are\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		})
	}
}

// sorted sorts the packages of a call to configure.
func sorted(call string) string {
	if !strings.HasPrefix(call, "configure ") {
		return call
	}
	words := strings.Fields(call)
	slices.Sort(words)
	return strings.Join(words, " ")
}

func TestSteps(t *testing.T) {
	for _, c := range []struct{ name, installed, install, remove, want string }{
		{"names", "", "b c a", "", "unpack a b c"},
		{"depends", "", "a:Depends=b b:Depends=c c", "", "unpack c b a"},
		{"pre-depends", "", "a:Pre-Depends=b b:Depends=c c", "", "unpack c b; configure c b; unpack a"},
		{"essential", "", "a b:Essential=yes,Depends=c c", "", "unpack c; configure c; unpack b; configure b; unpack a"},
		{"priority", "", "a b:Priority=required", "", "unpack b a"},
		{"cycle", "", "a:Depends=b b:Depends=a", "", "unpack b a"},
		{"provided", "", "a:Depends=v b:Provides=v", "", "unpack b a"},
		{"removal", "x y:Depends=x", "", "x y", "remove y x"},
		{"conflict", "x", "a:Conflicts=x", "x", "remove x; unpack a"},
		{"purge", "x", "", "x!", "purge x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ps := order.New("amd64")
			parse(t, stanzas(c.installed, "Status: install ok installed\n"), ps.Installed)
			parse(t, stanzas(c.install, ""), func(s control.Stanza) error { return ps.Install(s, "") })
			for _, name := range strings.Fields(c.remove) {
				name, purge := strings.CutSuffix(name, "!")
				ps.Remove(name, "amd64", purge)
			}
			steps, err := ps.Steps()
			if got := strings.Join(calls(steps), "; "); err != nil || got != c.want {
				t.Errorf("%s: %s, %v", c.want, got, err)
			}
		})
	}
}

// stanzas writes name:Field=value,Field=value as stanzas.
func stanzas(list, more string) string {
	var out strings.Builder
	for one := range strings.FieldsSeq(list) {
		name, fields, _ := strings.Cut(one, ":")
		out.WriteString("Package: " + name + "\nVersion: 1\nArchitecture: all\n" + more)
		for f := range strings.SplitSeq(fields, ",") {
			if f != "" {
				out.WriteString(strings.Replace(f, "=", ": ", 1) + "\n")
			}
		}
		out.WriteString("\n")
	}
	return out.String()
}

func TestNoOrder(t *testing.T) {
	ps := order.New("amd64")
	parse(t, stanzas("a:Pre-Depends=b b:Pre-Depends=a", ""), func(s control.Stanza) error { return ps.Install(s, "") })
	if steps, err := ps.Steps(); err == nil || !strings.Contains(err.Error(), "need one another") {
		t.Errorf("%v, %v", steps, err)
	}
}
