package maintainer_test

import (
	"context"
	"fmt"
	"path"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/build/dockerfile/modechange"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/packages/maintainer"
	"github.com/slipway-dev/slipway/build/packages/maintainer/shell"
)

// system makes a tree of lines "PATH TEXT"; a PATH that ends in a slash is a directory, "PATH ->
// TARGET" is a link.
func system(t testing.TB, files ...string) *tree.Tree {
	t.Helper()
	s := tree.New(nil)
	base := []string{
		"/tmp/", "/var/lib/dpkg/info/", "/etc/passwd root:x:0:0:root:/root:/bin/bash\nman:x:6:12:man:/var:/bin/false\n",
		"/etc/group root:x:0:\nman:x:12:\nadm:x:4:\n", "/usr/bin/", "/usr/sbin/", "/bin -> usr/bin", "/sbin -> usr/sbin",
		"/lib/", "/etc/init.d/",
	}
	for _, line := range append(base, files...) {
		name, text, _ := strings.Cut(line, " ")
		target, link := strings.CutPrefix(text, "-> ")
		var err error
		switch {
		case strings.HasSuffix(name, "/"):
			err = s.MkdirAll(path.Clean(name), tree.Root)
		case link:
			err = s.Set(name, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: target})
		default:
			mode := modechange.Mode(0o644)
			if strings.Contains(name, "bin/") {
				mode = 0o755
			}
			err = s.WriteText(name, []byte(strings.ReplaceAll(text, `\n`, "\n")), mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// show lists what changed in a tree since it was made.
func show(t testing.TB, over *tree.Tree) string {
	t.Helper()
	list, err := over.Entries(false)
	if err == nil {
		err = over.Fill(list)
	}
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range list.All {
		if _, touched := over.Nodes[e.Path]; !touched && e.Type != layer.Whiteout {
			continue // a directory above
		}
		fmt.Fprintf(&b, "%s", e.Path)
		switch e.Type {
		case layer.Whiteout:
			b.WriteString(" gone")
		case layer.Symlink:
			b.WriteString(" -> " + e.Linkname)
		case layer.Dir:
			fmt.Fprintf(&b, "/ %o", modechange.Bits(e.Mode))
		default:
			text, err := tree.ReadText(over, e.Path)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, " %o %q", modechange.Bits(e.Mode), text)
		}
		if e.UID != 0 || e.GID != 0 {
			fmt.Fprintf(&b, " %d:%d", e.UID, e.GID)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// carryOut runs a script on a layer above a tree and returns what changed.
func carryOut(t testing.TB, r *maintainer.Runner, below *tree.Tree, s maintainer.Script) (string, error) {
	t.Helper()
	over := tree.New(func() (*tree.Tree, error) { return below, nil })
	over.Before = below
	if s.Package == "" {
		s.Package, s.Version, s.Arch, s.Name = "demo", "1.2-3", "amd64", "postinst"
		s.Path = "/var/lib/dpkg/info/demo.postinst"
	}
	if s.Args == nil {
		s.Args = []string{"configure", ""}
	}
	err := r.Run(t.Context(), over, s)
	return show(t, over), err
}

// effects are scripts, the files that they find, and what they change.
var effects = []struct {
	name, script string
	files        []string
	want         string
}{
	{
		"mkdir", `mkdir -p -m 0750 /srv/a/b; mkdir /srv/c; chown man:adm /srv/a/b; chmod g+s,o= /srv/c`, nil,
		"/srv/ 755\n/srv/a/ 755\n/srv/a/b/ 750 6:4\n/srv/c/ 2750\n",
	},
	{
		"touch and text", `umask 027; echo a > /etc/a; echo b >> /etc/a; : > /etc/b; touch /etc/c`, nil,
		"/etc/a 640 \"a\\nb\\n\"\n/etc/b 640 \"\"\n/etc/c 640 \"\"\n",
	},
	{
		"ln", `ln -s a /etc/l; ln -sf b /etc/l; ln -s /etc/a /tmp; ln -sfn x /etc/d`,
		[]string{"/etc/a x", "/etc/d -> init.d"},
		"/etc/d -> x\n/etc/l -> b\n/tmp/a -> /etc/a\n",
	},
	{
		"cp and mv", `cp /etc/a /etc/b; cp -p /etc/a /tmp; mv /etc/a /etc/c; mv -n /etc/c /etc/b`,
		[]string{"/etc/a x"},
		"/etc/a gone\n/etc/b 644 \"x\"\n/etc/c 644 \"x\"\n/tmp/a 644 \"x\"\n",
	},
	{
		"cp -a", `cp -a /usr/share/d /etc/`,
		[]string{"/usr/share/d/f x", "/usr/share/d/l -> f"},
		"/etc/d/ 755\n/etc/d/f 644 \"x\"\n/etc/d/l -> f\n",
	},
	{
		"rm", `rm -f /etc/none /etc/a; rm -r /etc/d; rmdir /etc/e; rmdir --ignore-fail-on-non-empty /etc/init.d`,
		[]string{"/etc/a x", "/etc/d/f y", "/etc/e/", "/etc/init.d/z z"},
		"/etc/a gone\n/etc/d gone\n/etc/e gone\n",
	},
	{
		"install", `install -d -o man -g adm -m 2755 /var/log/x; install -m 600 /dev/null /etc/n; install -D /etc/a /srv/b`,
		[]string{"/etc/a x"},
		"/etc/n 600 \"\"\n/srv/ 755\n/srv/b 755 \"x\"\n/var/log/ 755\n/var/log/x/ 2755 6:4\n",
	},
	{
		"sed -i", `sed -i -e 's/^#\(a=\).*/\12/' -e '/^b/d' /etc/a`,
		[]string{`/etc/a #a=1\nb=2\nc=3\n`},
		"/etc/a 644 \"a=2\\nc=3\\n\"\n",
	},
	{
		"sed", `sed -n '/x/,/y/{s/[[:space:]]*$//;p;}' /etc/a > /etc/b; sed -E 's/(a|b)+/<&>/g;$d' /etc/a > /etc/c`,
		[]string{`/etc/a 1\nx  \n2\ny\nab\nend\n`},
		"/etc/b 644 \"x\\n2\\ny\\n\"\n/etc/c 644 \"1\\nx  \\n2\\ny\\n<ab>\\n\"\n",
	},
	{
		"grep", `grep -q '^root:' /etc/passwd && ! grep -qs x /none && grep -v root /etc/passwd | cut -d: -f1,3 > /etc/a`, nil,
		"/etc/a 644 \"man:6\\n\"\n",
	},
	{
		"texts", `printf 'b\na\nb\n' | sort -u | tr a-z A-Z | head -n1 > /etc/a; printf 'x y\n' | awk '{print $2}' >> /etc/a; wc -l < /etc/a >> /etc/a`,
		nil, "/etc/a 644 \"A\\ny\\n2\\n\"\n",
	},
	{
		"paths", `cd /etc; echo $(basename /a/b.c .c) $(dirname /a/b) $(readlink l) $(readlink -f l) $(realpath -m ./x/../y) > a`,
		[]string{"/etc/l -> init.d"},
		"/etc/a 644 \"b /a init.d /etc/init.d /etc/y\\n\"\n",
	},
	{
		"mktemp", `t=$(mktemp); u=$(mktemp -d /tmp/x.XXXXXX); echo $t $u > /etc/a; rm $t; rmdir $u`, nil,
		"/etc/a 644 \"/tmp/tmp.0000000001 /tmp/x.000002\\n\"\n",
	},
	{
		"find and xargs", `find /etc -name '*.bak' -type f -print0 | xargs -0 rm -f; find /srv -type d -empty -delete`,
		[]string{"/etc/a.bak x", "/etc/b x", "/srv/d/e/"},
		"/etc/a.bak gone\n/srv gone\n",
	},
	{"stat", `stat -c '%a %u:%g %U %n' /etc/passwd > /etc/a`, nil, "/etc/a 644 \"644 0:0 root /etc/passwd\\n\"\n"},
	{
		"sums", `echo "$(md5sum /etc/a | cut -d' ' -f1)" > /etc/b; echo "$(cat /etc/b)  /etc/a" | md5sum -c --status && echo ok >> /etc/b`,
		[]string{"/etc/a x"},
		"/etc/b 644 \"9dd4e461268c8034f5c8564e155c67a6\\nok\\n\"\n",
	},
	{
		"versions", `for p in '1.0 lt 1.0-1' '1.0~rc1 lt 1.0' '2:1 gt 3' '1.10 ge 1.9' '"" lt 1' '"" ge-nl 1'; do
eval "dpkg --compare-versions $p" && echo "$p" >> /etc/a; done; [ "$(dpkg --print-architecture)" = amd64 ]`, nil,
		"/etc/a 644 \"1.0 lt 1.0-1\\n1.0~rc1 lt 1.0\\n2:1 gt 3\\n1.10 ge 1.9\\n\\\"\\\" lt 1\\n\\\"\\\" ge-nl 1\\n\"\n",
	},
	{
		"dpkg-query", `dpkg-query -W -f='${Package} ${db:Status-Status}\n' demo > /etc/a; dpkg -L demo | tail -1 >> /etc/a; dpkg -s none || echo none >> /etc/a`,
		[]string{
			`/var/lib/dpkg/status Package: demo\nStatus: install ok half-configured\nVersion: 1\n\n`,
			`/var/lib/dpkg/info/demo.list /.\n/usr\n`,
		},
		"/etc/a 644 \"demo half-configured\\n/usr\\nnone\\n\"\n",
	},
	{
		"dpkg-divert", `dpkg-divert --package demo --add --rename --divert /etc/a.real /etc/a; dpkg-divert --truename /etc/a > /etc/b`,
		[]string{"/etc/a x", "/var/lib/dpkg/diversions "},
		"/etc/a gone\n/etc/a.real 644 \"x\"\n/etc/b 644 \"/etc/a.real\\n\"\n" +
			"/var/lib/dpkg/diversions 644 \"/etc/a\\n/etc/a.real\\ndemo\\n\"\n/var/lib/dpkg/diversions-old 644 \"\"\n",
	},
	{
		"dpkg-trigger", `dpkg-trigger --no-await ldconfig; dpkg-trigger x`, nil,
		"/var/lib/dpkg/triggers/ 755\n/var/lib/dpkg/triggers/Unincorp 644 \"ldconfig -\\nx demo\\n\"\n",
	},
	{
		"units", `deb-systemd-helper unmask a.service; if deb-systemd-helper --quiet was-enabled a.service; then
deb-systemd-helper enable a.service; else deb-systemd-helper update-state a.service; fi`,
		[]string{`/lib/systemd/system/a.service [Install]\nWantedBy=multi-user.target\n`},
		"/etc/systemd/ 755\n/etc/systemd/system/ 755\n/etc/systemd/system/multi-user.target.wants/ 755\n" +
			"/etc/systemd/system/multi-user.target.wants/a.service -> /lib/systemd/system/a.service\n" +
			"/var/lib/systemd/ 755\n/var/lib/systemd/deb-systemd-helper-enabled/ 755\n" +
			"/var/lib/systemd/deb-systemd-helper-enabled/a.service.dsh-also 644 " +
			"\"/etc/systemd/system/multi-user.target.wants/a.service\\n\"\n" +
			"/var/lib/systemd/deb-systemd-helper-enabled/multi-user.target.wants/ 755\n" +
			"/var/lib/systemd/deb-systemd-helper-enabled/multi-user.target.wants/a.service 644 \"\"\n",
	},
	{
		"update-rc.d", `update-rc.d x defaults; invoke-rc.d x start; deb-systemd-invoke start x.service`,
		[]string{`/etc/init.d/x ### BEGIN INIT INFO\n# Default-Start: 2\n# Default-Stop: 0 6\n### END INIT INFO\n`},
		"/etc/rc0.d/ 755\n/etc/rc0.d/K01x -> ../init.d/x\n/etc/rc2.d/ 755\n/etc/rc2.d/S01x -> ../init.d/x\n" +
			"/etc/rc6.d/ 755\n/etc/rc6.d/K01x -> ../init.d/x\n",
	},
	{
		"a script of the tree", `helper a b > /etc/a`,
		[]string{`/usr/bin/helper #!/bin/sh\necho "$0 $# $DPKG_MAINTSCRIPT_PACKAGE"\n`},
		"/etc/a 644 \"/usr/bin/helper 2 demo\\n\"\n",
	},
	{
		"what is not there", `command -v systemctl || systemctl x || echo $? > /etc/a; which grep > /etc/b || echo no > /etc/b`, nil,
		"/etc/a 644 \"127\\n\"\n/etc/b 644 \"no\\n\"\n",
	},
	{
		"environment", `echo $DPKG_MAINTSCRIPT_NAME $DPKG_MAINTSCRIPT_ARCH "$DPKG_ROOT" $DEBIAN_FRONTEND $1 "$2" $0 > /etc/a`, nil,
		"/etc/a 644 \"postinst amd64  noninteractive configure  /var/lib/dpkg/info/demo.postinst\\n\"\n",
	},
	{"mounts", `if findmnt / | grep -q /dev/md; then exit 1; fi; findmnt / || echo no > /etc/a`, nil, "/etc/a 644 \"no\\n\"\n"},
	{
		"pam-auth-update", `pam-auth-update --package --force`,
		append(pamFiles(), "/usr/sbin/pam-auth-update #!/usr/bin/perl", `/usr/share/pam-configs/unix Name: Unix
Default: yes
Priority: 256
Auth-Type: Primary
Auth:
	[success=end default=ignore]	pam_unix.so nullok try_first_pass
Auth-Initial:
	[success=end default=ignore]	pam_unix.so nullok
`), pamWant(),
	},
	{
		"pwconv", `pwconv`,
		[]string{"/etc/passwd root:*:0:0:root:/root:/bin/sh\n"},
		"/etc/passwd 644 \"root:x:0:0:root:/root:/bin/sh\\n\"\n/etc/shadow 600 \"root:*:0:0:99999:7:::\\n\"\n",
	},
	{
		"an identity", `echo "InitiatorName=$(uuidgen)" > /etc/id; echo x > /etc/a`,
		[]string{"/usr/bin/uuidgen \x7fELF"},
		"/etc/a 644 \"x\\n\"\n",
	},
}

const pamBlocks = "# here are the per-package modules (the \"Primary\" block)\n%s# here's the fallback if no module succeeds\n" +
	"deny\n# and here are more per-package modules (the \"Additional\" block)\n# end of pam-auth-update config\n"

var pamKinds = []string{"account", "auth", "password", "session", "session-noninteractive"}

func pamFiles() (files []string) {
	for _, kind := range pamKinds {
		files = append(files, "/usr/share/pam/common-"+kind+" "+fmt.Sprintf(pamBlocks, ""))
	}
	return append(files, "/var/cache/debconf/", "/etc/pam.d/")
}

func pamWant() string {
	etc, kept := "", ""
	for _, kind := range pamKinds {
		line, module := "[default=1]\t\t\tpam_permit.so", "null"
		mod := line
		if kind == "auth" {
			line, module = "[success=1 default=ignore]\tpam_unix.so nullok", "unix"
			mod = "[success=end default=ignore]\tpam_unix.so nullok"
		}
		text := fmt.Sprintf(pamBlocks, strings.TrimSuffix(kind, "-noninteractive")+"\t"+line+"\n")
		etc += fmt.Sprintf("/etc/pam.d/common-%s 644 %q\n", kind, text)
		kept += fmt.Sprintf("/var/lib/pam/%s 644 %q\n", kind, "Module: "+module+"\n"+mod+"\n")
		if kind == "password" {
			kept += "/var/lib/pam/seen 644 \"unix\\n\"\n"
		}
	}
	return etc + "/var/lib/pam/ 755\n" + kept
}

func TestEffects(t *testing.T) {
	for _, e := range effects {
		t.Run(e.name, func(t *testing.T) {
			got, err := carryOut(t, &maintainer.Runner{}, system(t, e.files...),
				maintainer.Script{Text: []byte("#!/bin/sh\nset -e\n" + e.script + "\n")})
			if err != nil || got != e.want {
				t.Errorf("%v\n%s\nnot\n%s", err, got, e.want)
			}
		})
	}
}

// refusals are scripts that are not carried out, and a part of the error.
var refusals = []struct{ script, want string }{
	{"#!/usr/bin/perl\nprint 1", "demo 1.2-3: postinst: it is a program for perl, and no program is run"},
	{"#!/usr/bin/python3\n", "it is a program for python3"},
	{"\x7fELF", "it is a program for the machine itself"},
	{"#!/bin/sh\n\n  tool -x", "demo 1.2-3: postinst:3:3: tool is a program for the machine itself"},
	{"#!/bin/sh\ncp --sparse=always a b", "postinst:2:1: cp --sparse=always: this option is not known here"},
	{"#!/bin/sh\nset -e\nfalse\n", "ends with status 1"},
	{"#!/bin/sh\nset -e\ncp /none /etc/\n", "postinst:3:1: cp ends with status 1 (cp: cannot stat '/none'"},
	{"#!/bin/sh\nif", "postinst:2:"},
	{"#!/bin/sh\nsleep 1 &\n", "postinst:2:1: & starts a job in the background"},
	{"#!/bin/sh\n:(){ :|:& };:\n", "invalid func name"},
	{"#!/bin/bash\n:(){ :|:& };:\n", "starts a job in the background"},
	{"#!/bin/sh\nb() { b | b & }; b\n", "starts a job in the background"},
	{"#!/bin/sh\nf() { f; }; f", "call one another more than"},
	{"#!/bin/sh\nf() { f | f; }; f", "call one another more than"},
	{"#!/bin/sh\nexec $0", "ends with status 127"},
	{"#!/bin/sh\nwhile :; do :; done", "does not end within"},
	{"#!/bin/sh\nx=aaaaaaaaaaaaaaaa; while :; do x=$x$x; done", "MiB"},
	{"#!/bin/sh\nwhile :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done > /etc/a", "does not end within"},
	{"#!/bin/sh\nwhile :; do cat /etc/passwd /etc/passwd /etc/passwd; done | cat > /etc/a", "does not end within"},
	{"#!/bin/bash\nexec 3<>/dev/tcp/127.0.0.1/80", "the redirection <> is not known here"},
	{"#!/bin/bash\necho x > /dev/tcp/127.0.0.1/80", "nothing is connected here"},
	{"#!/bin/sh\ncat /proc/self/environ", "ends with status 1 (cat: /proc/self/environ: No such file"},
	{"#!/bin/sh\necho $(cat /etc/shadow)$(ls /root) > /etc/a; cat /dev/urandom", "No such file"},
	{"#!/bin/sh\necho ~man", "~man is not known here"},
	{"#!/bin/sh\ncurl http://example.com", "ends with status 127"},
	{"#!/bin/sh\n" + strings.Repeat("(", 100_000), "nested deeper"},
	{"#!/bin/sh\n" + strings.Repeat("echo ${x:-", 20_000), "nested deeper"},
	{"#!/bin/sh\n" + strings.Repeat("if ", 50_000), "nested deeper"},
	{"#!/bin/sh\n" + strings.Repeat("a", shell.MaxScript), "bytes"},
	{"#!/bin/sh\nx=" + strings.Repeat("a*", 20_000) + "; case y in $x) ;; esac", "a pattern has more than"},
	{"#!/bin/sh\n. /etc/passwd", "/etc/passwd:2:1: man:x"},
	{"#!/bin/sh\neval 'echo $('", "postinst:2:1"},
	{"#!/bin/sh\nprintf '%1000000d' 1", "width"},
}

func TestRefusals(t *testing.T) {
	for _, e := range refusals {
		name := e.script
		if len(name) > 60 {
			name = name[:60]
		}
		limits := shell.Limits{Steps: 50_000, Written: 32 << 20}
		_, err := carryOut(t, &maintainer.Runner{Limits: limits}, system(t, "/usr/bin/tool \x7fELF"),
			maintainer.Script{Text: []byte(e.script)})
		if err == nil || !strings.Contains(err.Error(), e.want) {
			t.Errorf("%q\nends with %v, without %q", name, err, e.want)
		}
		if err != nil && (strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "demo 1.2-3: ")) {
			t.Errorf("%q\nends with %q, which is not one line with the package", name, err)
		}
	}
}

// A script ends when its context does.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	s := maintainer.Script{Package: "demo", Name: "postinst", Text: []byte("#!/bin/sh\nwhile :; do :; done")}
	r := &maintainer.Runner{Limits: shell.Limits{Steps: 1 << 40}}
	if err := r.Run(ctx, system(t), s); err == nil {
		t.Error("a script goes on after its context has ended")
	}
}

func TestSkip(t *testing.T) {
	r := &maintainer.Runner{Skip: map[string]string{"demo": "it asks for hardware"}}
	got, err := carryOut(t, r, system(t), maintainer.Script{Text: []byte("#!/usr/bin/perl\n")})
	if err != nil || got != "" || len(r.Notes) != 1 ||
		r.Notes[0].String() != "demo 1.2-3: postinst: not carried out: it asks for hardware" {
		t.Errorf("%v %q %v", err, got, r.Notes)
	}
}

func TestNotes(t *testing.T) {
	r := &maintainer.Runner{}
	files := system(t, "/usr/bin/uuidgen \x7fELF", "/usr/bin/systemd-machine-id-setup \x7fELF", "/usr/bin/py3compile #!/usr/bin/python3")
	_, err := carryOut(t, r, files, maintainer.Script{
		Text: []byte("#!/bin/sh\nuuidgen > /etc/hostid\nsystemd-machine-id-setup\npy3compile -p demo\npy3compile -p demo\n"),
	})
	var got []string
	for _, n := range r.Notes {
		got = append(got, string(n.Kind)+" "+n.Text)
	}
	want := "identity uuidgen: the identity that it makes is left out: each machine has to make its own\n" +
		"identity systemd-machine-id-setup: the identity that it makes is left out: each machine has to make its own\n" +
		"cache py3compile computes files from others, which is left out\n" +
		"identity /etc/hostid is left out: each machine has to make its own"
	if err != nil || strings.Join(got, "\n") != want {
		t.Errorf("%v\n%s", err, strings.Join(got, "\n"))
	}
}

const templates = `Template: demo/mode
Type: select
Choices: fast, slow
Default: slow
Description: Mode?
 The long text.

Template: demo/ask
Type: boolean
Default: false
Description: Sure?
`

func TestDebconf(t *testing.T) {
	s := maintainer.Script{
		Templates: []byte(templates),
		Config:    []byte("#!/bin/sh\nset -e\n. /usr/share/debconf/confmodule\ndb_input high demo/ask || true\ndb_go\n"),
		Text: []byte("#!/bin/sh\nset -e\n. /usr/share/debconf/confmodule\ndb_get demo/mode; echo \"$RET\" > /etc/a\n" +
			"db_get demo/ask; echo \"$RET\" >> /etc/a\ndb_get demo/none || echo $? >> /etc/a\n" +
			"db_subst demo/mode x 'a b'; db_fset demo/mode seen true; echo lost\ndb_stop\n"),
	}
	s.Package, s.Version, s.Name, s.Path = "demo", "1", "postinst", "/var/lib/dpkg/info/demo.postinst"
	r := &maintainer.Runner{Selections: []string{"demo demo/mode select fast"}}
	got, err := carryOut(t, r, system(t, "/var/cache/debconf/"), s)
	want := "/etc/a 644 \"fast\\nfalse\\n10\\n\"\n" +
		"/var/cache/debconf/config.dat 644 \"Name: demo/ask\\nTemplate: demo/ask\\nValue: false\\nOwners: demo\\n\\n" +
		"Name: demo/mode\\nTemplate: demo/mode\\nValue: fast\\nOwners: demo\\nFlags: seen\\nVariables:\\n x = a b\\n\\n\"\n" +
		"/var/cache/debconf/templates.dat 644 \"Name: demo/ask\\nDefault: false\\nDescription: Sure?\\nType: boolean\\n" +
		"Owners: demo/ask\\n\\nName: demo/mode\\nChoices: fast, slow\\nDefault: slow\\nDescription: Mode?\\n" +
		"Extended_description: The long text.\\nType: select\\nOwners: demo/mode\\n\\n\"\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s\nnot\n%s", err, got, want)
	}
}

// A script gives the same twice.
func TestDeterministic(t *testing.T) {
	script := "#!/bin/sh\nset | sort > /dev/null 2>&1 || true\nt=$(mktemp)\nenv_=$$; echo $t $env_ $(date -R) > /etc/a\n" +
		"for f in /etc/*; do echo $f; done >> /etc/a\n"
	var first string
	for range 3 {
		got, err := carryOut(t, &maintainer.Runner{Day: 20000}, system(t), maintainer.Script{Text: []byte(script)})
		if err != nil {
			t.Fatal(err)
		}
		if first != "" && got != first {
			t.Errorf("%s\nand\n%s", first, got)
		}
		first = got
	}
}

func FuzzRun(f *testing.F) {
	for _, e := range effects {
		f.Add("#!/bin/sh\nset -e\n" + e.script)
	}
	for _, e := range refusals {
		if len(e.script) < 200 {
			f.Add(e.script)
		}
	}
	below := system(f, "/etc/a x", "/lib/systemd/system/a.service [Install]\nWantedBy=b.target", "/usr/bin/systemctl \x7fELF")
	f.Fuzz(func(t *testing.T, text string) {
		over := tree.New(func() (*tree.Tree, error) { return below, nil })
		r := &maintainer.Runner{Limits: shell.Limits{Steps: 2000, Written: 1 << 20, Depth: 30}}
		s := maintainer.Script{
			Package: "demo", Version: "1", Name: "postinst", Args: []string{"configure", ""}, Text: []byte(text),
			Templates: []byte(templates),
		}
		first := r.Run(t.Context(), over, s)
		again := tree.New(func() (*tree.Tree, error) { return below, nil })
		second := r.Run(t.Context(), again, s)
		if fmt.Sprint(first) != fmt.Sprint(second) {
			t.Errorf("%v, and then %v", first, second)
		}
	})
}
