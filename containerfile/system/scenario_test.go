package system

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/pflag"
	"golang.org/x/tools/txtar"
	"mvdan.cc/sh/v3/shell"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// today is a day that the tests have in the place of the clock: 2023-11-14.
const today = 19675

// oracleDir is a root with the real programs. Where it is set, tests run them in it, and write
// what they changed into testdata.
var oracleDir = os.Getenv("SLIPWAY_SYSTEM_ORACLE")

// TestScenarios runs the commands in the comment of each file of testdata/scenarios, on the files
// of a base and those of its own, and compares what they changed with what the real programs
// changed.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) { scenario(t, f) })
	}
}

func scenario(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	base, commands := "debian", []string{}
	for line := range strings.Lines(string(ar.Comment)) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "base "):
			base = line[len("base "):]
		case line != "" && line[0] != '#':
			commands = append(commands, line)
		}
	}
	all, err := txtar.ParseFile("testdata/" + base + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	want := slices.IndexFunc(ar.Files, func(f txtar.File) bool { return f.Name == "want" })
	if want < 0 {
		ar.Files, want = append(ar.Files, txtar.File{Name: "want"}), len(ar.Files)
	}
	all.Files = slices.Concat(all.Files, ar.Files[:want])
	if oracleDir != "" {
		ar.Files[want].Data = oracle(t, filepath.Join(oracleDir, base), all.Files, commands)
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil { //nolint:gosec // test data
			t.Fatal(err)
		}
	}
	got := imitate(t, all.Files, commands)
	if want := string(ar.Files[want].Data); got != want {
		t.Errorf("%s differs from the real programs:\n%s", file, difference(want, got))
	}
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

// oracle runs the real programs in a root, whose files it restores.
func oracle(t *testing.T, root string, files []txtar.File, commands []string) []byte {
	t.Helper()
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"etc/*", "home", "var", "srv", "opt", "usr/local", "usr/share/ca-certificates"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found {
			if strings.HasPrefix(filepath.Base(p), "pam.") { // without which chfn does nothing
				continue
			}
			if err := os.RemoveAll(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	writeTo(t, root, fromArchive(t, files), "/")
	before := listing(t, fromDisk(t, root))
	var b strings.Builder
	for _, c := range commands {
		words, err := shell.Fields(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		x := exec.Command("/bin/sh", append([]string{"-c", `exec "$@"`, "sh"}, words...)...)
		x.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
		x.Dir = "/"
		x.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", fmt.Sprintf("SOURCE_DATE_EPOCH=%d", today*86400+7)}
		var out, errs bytes.Buffer
		x.Stdout, x.Stderr = &out, &errs
		err = x.Run()
		var exit *exec.ExitError
		switch {
		case errors.As(err, &exit):
			fmt.Fprintf(&b, "%s: exit %d\n", words[0], exit.ExitCode())
			t.Logf("%s: %s%s", c, out.String(), errs.String())
		case err != nil:
			t.Fatal(err)
		}
	}
	return []byte(b.String() + changes(before, listing(t, fromDisk(t, root))))
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

// writeTo writes the files of a tree to the disk.
func writeTo(t *testing.T, root string, tr *tree.Tree, dir string) {
	t.Helper()
	names, err := tr.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		p := path.Join(dir, name)
		if p == "/usr/bin" || p == "/usr/sbin" {
			continue // the root has the real programs
		}
		n, err := tr.Lstat(p)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(root, p)
		switch n.Kind {
		case layer.Dir:
			if err := os.Mkdir(to, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				t.Fatal(err)
			}
			writeTo(t, root, tr, p)
		case layer.Symlink:
			if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
			if err := os.Symlink(n.Link, to); err != nil {
				t.Fatal(err)
			}
			continue
		default:
			if err := os.WriteFile(to, []byte(textOf(t, n)), 0o644); err != nil { //nolint:gosec // test data
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.Chown(to, n.UID, n.GID), os.Chmod(to, n.Mode)); err != nil {
			t.Fatal(err)
		}
	}
}

// fromDisk makes a tree of a directory, without what is not compared.
func fromDisk(t *testing.T, root string) *tree.Tree {
	t.Helper()
	tr := tree.New(nil)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		rel := strings.TrimPrefix(p, root)
		if slices.Contains([]string{"/proc", "/sys", "/dev", "/tmp", "/run", "/var/log"}, rel) {
			return fs.SkipDir
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		st := fi.Sys().(*syscall.Stat_t)
		n := &tree.Node{Mode: fi.Mode() &^ fs.ModeType, UID: int(st.Uid), GID: int(st.Gid)}
		switch fi.Mode().Type() {
		case fs.ModeDir:
			n.Kind = layer.Dir
		case fs.ModeSymlink:
			n.Kind, n.Mode = layer.Symlink, 0o777
			if n.Link, err = os.Readlink(p); err != nil {
				return err
			}
		case 0:
			n.Content = func() (layer.Content, error) {
				return layer.Content{Size: fi.Size(), Open: func() (io.ReadCloser, error) { return os.Open(p) }}, nil
			}
			n.Capability = xattr(p)
		default:
			return nil
		}
		return tr.Set(rel, n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func xattr(p string) string {
	b := make([]byte, 64)
	n, err := syscall.Getxattr(p, "security.capability", b)
	if err != nil {
		return ""
	}
	return string(b[:n])
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
