package dpkg_test

import (
	"io/fs"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/debtest"
)

type (
	files = []debtest.File
	info  = map[string]string
	pack  = debtest.Package
)

// one is a package with a version and other fields.
func one(name, version, fields string, i info, f files) pack {
	return pack{Control: "Package: " + name + "\nVersion: " + version + "\n" + fields, Info: i, Files: f}
}

func TestFiles(t *testing.T) {
	p := newPair(t)
	p.mkdir("/usr/bin")
	p.link("usr/bin", "/bin")
	p.write("/etc/passwd", "root:x:0:0::/:\ndaemon:x:1:1::/:\n")
	first := one("a", "1:1.0-1", "Section: x\nPriority: Optional\nHomepage: http://example.com\n"+
		"Depends: b | c (>=1) , d(<<0:2)\nProvides: b, d (= 1)\nInstalled-Size: 5\n", info{"shlibs": "x 1 a\n", "odd.name": "x"}, files{
		{Name: "./bin/tool", Text: "1", Mode: 0o755 | fs.ModeSetuid},
		{Name: "./bin/other", Hard: "./bin/tool"},
		{Name: "./bin/third", Hard: "./bin/tool", Mode: 0o755},
		{Name: "./usr/lib/a/gone", Text: "x", UID: 5, GID: 6},
		{Name: "./usr/lib/a/named", Text: "x", UID: 17, User: "daemon"},
		{Name: "./usr/lib/a/link", Link: "gone"},
		{Name: "./usr/lib/a/sub/", Mode: 0o700},
		{Name: "./usr/lib/a/sub/file", Text: "x"},
		{Name: "./usr/lib/b", Link: "a"},
	})
	p.install(nil, first)
	p.silent("--audit", "--verify")
	p.install(nil, first)
	p.install(nil, one("a", "1:1.0-2", "Section: y\nEssential: no\n", info{"md5sums": "d41d8cd98f00b204e9800998ecf8427e  y\n"}, files{
		{Name: "./bin/tool", Text: "2"},
		{Name: "./usr/lib/a/named/now/a/directory", Text: "x"},
		{Name: "./usr/lib/a/link/", Mode: 0o711},
		{Name: "./usr/lib/b", Text: "no link"},
	}))
	p.install(nil, first)
	p.remove(false, "a")
}

func TestConffiles(t *testing.T) {
	conffile := func(version, text string, more ...debtest.File) pack {
		return one("a", version, "", info{"conffiles": "/etc/a/conf\n"},
			append(files{{Name: "./etc/a/conf", Text: text, Mode: 0o600}}, more...))
	}
	for _, c := range []struct {
		name, before, edit, after string
		options                   options
	}{
		{"unchanged", "1", "", "2", nil},
		{"only here", "1", "mine", "1", nil},
		{"both to the same", "1", "2", "2", nil},
		{"kept", "1", "mine", "2", options{"--force-confold"}},
		{"replaced", "1", "mine", "2", options{"--force-confnew"}},
		{"by default", "1", "mine", "2", options{"--force-confdef", "--force-confnew"}},
		{"asked", "1", "mine", "1", options{"--force-confask", "--force-confnew"}},
		{"deleted", "1", "deleted", "1", nil},
		{"deleted and changed", "1", "deleted", "2", options{"--force-confold"}},
		{"deleted and new", "1", "deleted", "2", options{"--force-confnew"}},
		{"missing", "1", "deleted", "1", options{"--force-confmiss"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPair(t)
			p.install(nil, conffile("1", c.before))
			switch c.edit {
			case "":
			case "deleted":
				p.erase("/etc/a/conf")
			default:
				p.write("/etc/a/conf", c.edit)
			}
			p.install(c.options, conffile("2", c.after))
			p.install(nil, one("a", "3", "", nil, files{{Name: "./usr/x", Text: "x"}}))
			p.remove(false, "a")
			p.write("/etc/a/conf~", "x")
			p.write("/etc/a/conf.bak~x", "x")
			p.remove(true, "a")
		})
	}
}

func TestConffileThere(t *testing.T) {
	p := newPair(t)
	p.write("/etc/conf", "mine")
	p.install(options{"--force-confold"}, one("a", "1", "", info{"conffiles": "/etc/conf\n"},
		files{{Name: "./etc/conf", Text: "new"}}))
	p.install(nil, one("a", "2", "", info{"conffiles": "remove-on-upgrade /etc/conf\n"},
		files{{Name: "./usr/x", Text: "x"}}))
	p.remove(true, "a")
}

func TestReplaces(t *testing.T) {
	p := newPair(t)
	p.install(nil, one("a", "1", "", info{"conffiles": "/etc/moved\n"}, files{
		{Name: "./usr/lib/shared", Text: "a"}, {Name: "./usr/lib/own", Text: "a"}, {Name: "./etc/moved", Text: "a"},
	}))
	p.install(nil, one("b", "1", "Replaces: a (<< 2)\n", info{"conffiles": "/etc/moved\n"}, files{
		{Name: "./usr/lib/shared", Text: "b"}, {Name: "./etc/moved", Text: "a"},
	}))
	p.install(nil, one("a", "1.1", "", nil, files{{Name: "./usr/lib/shared", Text: "a"}, {Name: "./usr/lib/own", Text: "a"}}))
	p.install(nil, one("c", "1", "Replaces: a\n", nil, files{{Name: "./usr/lib/own", Text: "c"}}))
	p.silent("--audit", "--verify")
	p.remove(true, "b")
}

func TestDiversions(t *testing.T) {
	p := newPair(t)
	p.write("/var/lib/dpkg/diversions", "/usr/tool\n/usr/tool.real\ndiverter\n/usr/local\n/usr/local.real\n:\n")
	p.install(nil, one("a", "1", "", nil, files{{Name: "./usr/tool", Text: "a"}, {Name: "./usr/local", Text: "a"}}))
	p.install(nil, one("diverter", "1", "", nil, files{{Name: "./usr/tool", Text: "d"}}))
	p.install(nil, one("a", "2", "", nil, files{{Name: "./usr/tool", Text: "a2"}}))
	p.remove(true, "diverter")
	p.remove(true, "a")
}

func TestOverridesAndFilters(t *testing.T) {
	p := newPair(t)
	p.write("/etc/passwd", "root:x:0:0::/:\n")
	p.write("/etc/group", "root:x:0:\nwheel:x:10:\n")
	p.write("/var/lib/dpkg/statoverride", "root #10 4750 /usr/bin/su\n")
	o := options{"--path-exclude=/usr/share/doc/*", "--path-include=/usr/share/doc/*/copyright", "--path-exclude=/usr/share/man/*"}
	f := files{
		{Name: "./usr/bin/su", Text: "x"},
		{Name: "./usr/share/doc/a/copyright", Text: "x"},
		{Name: "./usr/share/doc/a/changelog", Text: "x"},
		{Name: "./usr/share/doc/b", Link: "a"},
		{Name: "./usr/share/man/man1/a.1", Text: "x"},
	}
	p.install(o, one("a", "1", "", nil, f))
	p.install(o, one("a", "2", "", nil, f[:3]))
}

func TestTriggers(t *testing.T) {
	p := newPair(t)
	p.install(nil,
		one("x", "1", "", info{"triggers": "activate named\nactivate-noawait other\n"}, files{{Name: "./usr/share/x/file", Text: "x"}}),
		one("man", "1", "", info{"triggers": "interest-noawait /usr/share/x\ninterest named\n"}, files{{Name: "./usr/bin/man", Text: "x"}}),
		one("both", "1", "", info{"triggers": "interest /usr/share/x\ninterest-noawait named\ninterest other\n"}, files{{Name: "./usr/bin/b", Text: "x"}}),
	)
	p.install(nil, one("x", "2", "", info{"triggers": "activate named\n"}, files{{Name: "./usr/share/x/file", Text: "y"}}))
	p.install(nil, one("man", "2", "", info{"triggers": "interest /usr/share/x\n"}, files{{Name: "./usr/bin/man", Text: "x"}}))
	p.remove(false, "x")
	p.remove(true, "both", "man")
}

func TestArchitectures(t *testing.T) {
	p := newPair(t)
	p.write("/var/lib/dpkg/arch", p.arch+"\nforeign\n")
	lib := func(arch, version, text string) pack {
		return one("lib", version, "Architecture: "+arch+"\nMulti-Arch: same\n", info{"conffiles": "/etc/lib\n"}, files{
			{Name: "./usr/lib/" + arch + "/lib", Text: arch}, {Name: "./usr/share/lib/shared", Text: text}, {Name: "./etc/lib", Text: text},
		})
	}
	p.install(nil, lib(p.arch, "1", "1"))
	p.install(nil, lib("foreign", "1", "1"))
	p.install(nil, lib(p.arch, "2", "2"), lib("foreign", "2", "2"))
	p.remove(false, "lib:foreign")
	p.remove(true, "lib:"+p.arch)
}

func TestRelations(t *testing.T) {
	p := newPair(t)
	p.install(nil, one("a", "1", "Depends: b\n", nil, files{{Name: "./usr/a", Text: "x"}}),
		one("b", "1", "Depends: c\n", nil, files{{Name: "./usr/b", Text: "x"}}),
		one("c", "1", "Depends: a\n", nil, files{{Name: "./usr/c", Text: "x"}}))
	p.install(options{"--auto-deconfigure"},
		one("d", "1", "Breaks: a (<< 2)\nConflicts: b\nReplaces: b\nProvides: b\n", nil, files{{Name: "./usr/b", Text: "y"}}),
		one("a", "2", "Depends: b\n", nil, files{{Name: "./usr/a", Text: "x"}}))
	p.remove(true, "a", "c")
}
