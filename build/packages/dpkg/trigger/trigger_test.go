package trigger_test

import (
	"testing"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/dpkg/trigger"
)

func TestActivate(t *testing.T) {
	tr := tree.New(nil)
	for _, name := range []string{"a.list", "lib:amd64.list"} {
		if err := tr.WriteText("/var/lib/dpkg/info/"+name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, pkg, arch, want string }{
		{"ldconfig", "", "", "ldconfig -\n"},
		{"ldconfig", "a", "all", "ldconfig a -\n"},
		{"/usr/share/x", "lib", "amd64", "ldconfig a -\n/usr/share/x lib:amd64\n"},
		{"ldconfig", "", "", "ldconfig - a\n/usr/share/x lib:amd64\n"},
		{"ldconfig", "lib", "i386", "ldconfig lib - a\n/usr/share/x lib:amd64\n"},
	} {
		if err := trigger.Activate(tr, c.name, c.pkg, c.arch); err != nil {
			t.Fatal(err)
		}
		if text, err := tree.ReadText(tr, "/var/lib/dpkg/triggers/Unincorp"); err != nil || string(text) != c.want {
			t.Errorf("%s %s: %q, %v, not %q", c.name, c.pkg, text, err, c.want)
		}
	}
	for _, name := range []string{"", "a b", "a\n", "é"} {
		if err := trigger.Activate(tr, name, "", ""); err == nil {
			t.Errorf("%q is taken for a trigger", name)
		}
	}
}
