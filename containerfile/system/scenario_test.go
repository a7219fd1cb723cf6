package system

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"golang.org/x/tools/txtar"
	"mvdan.cc/sh/v3/shell"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// today is a day that the tests have in the place of the clock: 2023-11-14.
const today = 19675

// scenarios are the files of testdata/scenarios by name.
func scenarios(t *testing.T) map[string]scenario {
	files, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	all := map[string]scenario{}
	for _, f := range files {
		all[strings.TrimSuffix(filepath.Base(f), ".txtar")] = readScenario(t, f)
	}
	return all
}

// TestScenarios runs the commands in the comment of each file of testdata/scenarios, on the files
// of a base and those of its own, and compares what they change with what TestRealPrograms sees.
func TestScenarios(t *testing.T) {
	for name, s := range scenarios(t) {
		t.Run(name, func(t *testing.T) {
			if got := imitate(t, s.files, s.commands); got != s.want {
				t.Errorf("it differs from the real programs:\n%s", difference(s.want, got))
			}
		})
	}
}

// scenario is a file of testdata/scenarios.
type scenario struct {
	files    []txtar.File // with those of the base
	commands []string
	want     string
}

func readScenario(t *testing.T, file string) (s scenario) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	base := "debian"
	for line := range strings.Lines(string(ar.Comment)) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "base "):
			base = line[len("base "):]
		case line != "" && line[0] != '#':
			s.commands = append(s.commands, line)
		}
	}
	all, err := txtar.ParseFile("testdata/" + base + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	want := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "want" })
	if want < 0 {
		t.Fatalf("%s has no file want", file)
	}
	s.files, s.want = slices.Concat(all.Files, ar.Files[:want]), string(ar.Files[want].Data)
	return s
}

// imitate runs commands of the package, and returns what they changed.
// parse separates options from operands, as package run does for those of the table there.
func parse(words []string) (o Options, operands []string, err error) {
	list := map[string]string{
		"useradd": "comment=c: home-dir=d: gid=g: groups=G: no-log-init=l create-home=m no-create-home=M no-user-group=N " +
			"non-unique=o password=p: system=r shell=s: uid=u: user-group=U",
		"groupadd": "force=f gid=g: non-unique=o system=r",
	}[words[0]]
	if list == "" {
		return nil, words[1:], nil
	}
	set := pflag.NewFlagSet(words[0], pflag.ContinueOnError)
	for one := range strings.FieldsSeq(list) {
		name, letter, _ := strings.Cut(one, "=")
		if letter, valued := strings.CutSuffix(letter, ":"); valued {
			set.StringP(name, letter, "", "")
		} else {
			set.BoolP(name, letter, false, "")
		}
	}
	err = set.Parse(words[1:])
	o = Options{}
	set.Visit(func(f *pflag.Flag) { o[f.Shorthand] = f.Value.String() })
	return o, set.Args(), err
}

func imitate(t *testing.T, files []txtar.File, commands []string) string {
	t.Helper()
	tr := fromArchive(t, files)
	before := listing(t, tr)
	s := &System{Tree: tr, Day: today}
	var b strings.Builder
	for _, c := range commands {
		words, err := shell.Fields(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := Command(words[0])
		if !ok {
			t.Fatalf("no program %s", words[0])
		}
		o, args, err := parse(words)
		if err == nil {
			err = p(s, o, args)
		}
		var exit *Exit
		switch {
		case errors.As(err, &exit):
			fmt.Fprintf(&b, "%s: exit %d\n", words[0], exit.Code)
		case err != nil:
			fmt.Fprintf(&b, "%s: %v\n", words[0], err)
		}
	}
	return b.String() + changes(before, listing(t, tr))
}

// fromArchive makes a tree. A file named modes has the mode and owner of others, one a line;
// a name that ends in a slash is a directory, and one with an arrow a link.
func fromArchive(t *testing.T, files []txtar.File) *tree.Tree {
	t.Helper()
	tr := tree.New(nil)
	root := *tree.Root
	for _, f := range files {
		name, link, isLink := strings.Cut(f.Name, " -> ")
		p := "/" + strings.Trim(name, "/")
		if f.Name == "modes" {
			continue
		}
		c := layer.Bytes(f.Data)
		n := &tree.Node{Kind: layer.Regular, Mode: 0o644, Content: func() (layer.Content, error) { return c, nil }}
		switch {
		case isLink:
			n = &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: link}
		case strings.HasSuffix(name, "/"):
			n = &root
		}
		if err := tr.MkdirAll(path.Dir(p), &root); err != nil {
			t.Fatal(err)
		}
		if err := tr.Set(p, n); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		if f.Name == "modes" {
			setModes(t, tr, string(f.Data))
		}
	}
	return tr
}

func setModes(t *testing.T, tr *tree.Tree, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		var mode, uid, gid int
		var name string
		if _, err := fmt.Sscanf(line, "%o %d:%d %s", &mode, &uid, &gid, &name); err != nil {
			t.Fatal(line, err)
		}
		n, err := tr.Lstat("/" + name)
		if err != nil || n == nil {
			t.Fatal(name, err)
		}
		k := *n
		k.Mode, k.UID, k.GID = fs.FileMode(mode)&fs.ModePerm, uid, gid
		for bit, m := range layer.SpecialBits {
			if int64(mode)&bit != 0 {
				k.Mode |= m
			}
		}
		if err := tr.Set("/"+name, &k); err != nil {
			t.Fatal(err)
		}
	}
}

func textOf(t *testing.T, n *tree.Node) string {
	t.Helper()
	c, err := n.Content()
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// listing describes each file of a tree: a line with its metadata, and its text.
func listing(t *testing.T, tr *tree.Tree) map[string]string {
	t.Helper()
	list := map[string]string{}
	var walk func(dir string)
	walk = func(dir string) {
		names, err := tr.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			p := path.Join(dir, name)
			n, err := tr.Lstat(p)
			if err != nil {
				t.Fatal(err)
			}
			switch n.Kind {
			case layer.Dir:
				list[p] = fmt.Sprintf("directory %v %d:%d\n", n.Mode, n.UID, n.GID)
				walk(p)
			case layer.Symlink:
				list[p] = fmt.Sprintf("link to %s %d:%d\n", n.Link, n.UID, n.GID)
			default:
				list[p] = fmt.Sprintf("file %v %d:%d %x\n", n.Mode, n.UID, n.GID, n.Capability) + shown(t, p, n)
			}
		}
	}
	walk("/")
	return list
}

// shown returns the content of a file in a listing: its text, or bytes where it has none.
func shown(t *testing.T, p string, n *tree.Node) string {
	t.Helper()
	if strings.HasPrefix(p, "/bin/") || strings.HasPrefix(p, "/usr/") && !strings.HasPrefix(p, "/usr/local/") || strings.HasPrefix(p, "/lib") {
		return ""
	}
	text := textOf(t, n)
	if strings.ContainsRune(text, 0) {
		return strconv.Quote(text) + "\n"
	}
	return text
}

// changes prints how two listings differ.
func changes(before, after map[string]string) string {
	var b strings.Builder
	for _, p := range slices.Sorted(keys(before, after)) {
		was, is := before[p], after[p]
		switch {
		case was == is:
		case is == "":
			fmt.Fprintf(&b, "%s is gone\n", p)
		default:
			meta, text, _ := strings.Cut(is, "\n")
			if was == "" {
				was = before[strings.TrimSuffix(p, "-")] // a backup
			}
			_, old, _ := strings.Cut(was, "\n")
			fmt.Fprintf(&b, "%s %s\n%s", p, meta, difference(old, text))
		}
	}
	return b.String()
}

func keys(all ...map[string]string) func(yield func(string) bool) {
	seen := map[string]bool{}
	for _, m := range all {
		for k := range m {
			seen[k] = true
		}
	}
	return func(yield func(string) bool) {
		for k := range seen {
			if !yield(k) {
				return
			}
		}
	}
}

// difference prints the lines that two texts do not share at their begin and end.
func difference(old, text string) string {
	a, c := strings.SplitAfter(old, "\n"), strings.SplitAfter(text, "\n")
	first := 0
	for len(a) > 0 && len(c) > 0 && a[0] == c[0] {
		a, c, first = a[1:], c[1:], first+1
	}
	for len(a) > 0 && len(c) > 0 && a[len(a)-1] == c[len(c)-1] {
		a, c = a[:len(a)-1], c[:len(c)-1]
	}
	var b strings.Builder
	if first > 0 && len(a)+len(c) > 0 {
		fmt.Fprintf(&b, " behind line %d\n", first)
	}
	for _, l := range a {
		if l != "" {
			b.WriteString("-" + strings.TrimSuffix(l, "\n") + "\n")
		}
	}
	for _, l := range c {
		if l != "" {
			b.WriteString("+" + strings.TrimSuffix(l, "\n") + "\n")
		}
	}
	return b.String()
}

// TestRefused has what the real programs do and this package does not.
func TestRefused(t *testing.T) {
	for _, tc := range []struct{ settings, command, want string }{
		{"INACTIVE=7", "useradd a", "useradd: /etc/default/useradd: INACTIVE and EXPIRE are not supported"},
		{"CREATE_MAIL_SPOOL=yes", "useradd a", "useradd: /etc/default/useradd has it make a mailbox, which is not supported"},
		{"CREATE_MAIL_SPOOL=yes", "useradd -r a", "/etc/.pwd.lock file"},
	} {
		files := []txtar.File{
			{Name: "etc/default/useradd", Data: []byte(tc.settings + "\n")},
			{Name: "etc/login.defs", Data: []byte("MAIL_DIR /var/mail\n")},
		}
		if got := imitate(t, files, []string{tc.command}); !strings.HasPrefix(got, tc.want) {
			t.Errorf("%s: %s, not %s", tc.command, got, tc.want)
		}
	}
}
