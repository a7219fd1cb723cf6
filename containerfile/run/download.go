package run

import (
	"errors"
	"io/fs"
	"net/url"
	"path"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/script"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// download is a file that a RUN fetches. Its digest is known when a later command of the same RUN
// has compared it with one; what nothing compares is not fetched.
type download struct {
	url    string
	digest v1.Hash
}

// errUnchecked is about a download that is used without a checksum.
func (r *runner) errUnchecked(d *download) error {
	return mistake.At(d.url,
		`%s is downloaded, and nothing compares it with a checksum, so that the image would be another one when the file changes: %s`, d.url,
		r.s.ways(`write && echo "SHA256  FILE" | sha256sum -c - after it in the same RUN`, "use ADD --checksum=sha256:…"))
}

func (r *runner) contentOf(d *download) (layer.Content, error) {
	if d.digest.Hex == "" {
		return layer.Content{}, r.errUnchecked(d)
	}
	return r.eval.Fetch(r.ctx, d.url, d.digest)
}

func checkCurl(_ options, args []string) error {
	_, err := address(args[0])
	return err
}

func checkWget(o options, args []string) error {
	u, err := address(args[0])
	if err == nil && !o.has("O") && u.RawQuery != "" {
		err = mistake.At(args[0], "wget makes a file name of %s with the query after ?: write -O FILE", args[0])
	}
	return err
}

// address reads the URL of a download.
func address(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, mistake.At(text, "%w", err)
	case u.Scheme == "http":
		return nil, mistake.At(text, "%s: plain http is not used for downloads: write https", text)
	case u.Scheme != "https" || u.Host == "":
		return nil, mistake.At(text, "%s is not an address that begins with https://, which alone is downloaded here",
			text)
	case u.User != nil:
		return nil, mistake.At(u.Redacted(),
			"the address has a password in it, which would be in the history of the image: leave it out")
	}
	return u, nil
}

// curl is curl where it downloads one file.
func curl(r *runner, o options, args []string) {
	out := r.command().Output
	name := path.Base(must(address(args[0])).Path)
	parents := fs.FileMode(0)
	if o.has("create-dirs") {
		parents = 0o750
	}
	switch {
	case o.has("o") && o.has("O"):
		fail("-o and -O are for two downloads: write a command for each")
	case o.has("o", "O") && out != nil:
		fail("it prints nothing when it writes a file: leave > out")
	case o.has("o") && o["o"] != "-":
		r.save(o["o"], args[0], parents)
	case o.has("O") && (name == "." || name == "/"):
		failAt(args[0], "%s has no file name: write -o FILE", args[0])
	case o.has("O"):
		r.save(name, args[0], 0)
	case out != nil && !out.Append:
		r.save(out.File.Text, args[0], 0)
	default:
		failAt(args[0], "curl prints what it downloads, which goes nowhere: write -o FILE")
	}
}

func wget(r *runner, o options, args []string) {
	out := r.command().Output
	name := path.Base(must(address(args[0])).Path)
	if name == "." || name == "/" {
		name = "index.html"
	}
	switch {
	case o.has("O") && o["O"] != "-":
		r.save(o["O"], args[0], 0)
	case o.has("O") && out != nil && !out.Append:
		r.save(out.File.Text, args[0], 0)
	case o.has("O"):
		failAt(args[0], "wget prints what it downloads, which goes nowhere: write -O FILE")
	case o.has("P"):
		r.save(path.Join(o["P"], name), args[0], 0o755)
	default:
		r.save(name, args[0], 0)
	}
}

// save puts a file in the tree that is downloaded when its digest is known and its bytes are
// needed. parents is the mode of the directories above it that are made; 0 makes none.
func (r *runner) save(name, from string, parents fs.FileMode) {
	s := r.target(name)
	n := &tree.Node{Kind: layer.Regular, Mode: 0o666 &^ umask}
	if s.n != nil {
		expressible(name, s.n)
		n.Mode, n.UID, n.GID = s.n.Mode, s.n.UID, s.n.GID // it is written into the file that is there
	}
	if parents > 0 {
		r.parents(path.Dir(s.p), parents)
	}
	d := &download{url: from}
	n.Made, n.Content = d, func() (layer.Content, error) { return r.contentOf(d) }
	r.downloads = append(r.downloads, d)
	if s.n == nil {
		r.make(s.p, n)
	} else {
		r.set(s.p, n)
	}
}

// unchecked reports the downloads of the RUN that are still there and that nothing was compared
// with.
func (r *runner) unchecked() error {
	var errs []error
	for _, d := range r.downloads {
		if d.digest.Hex != "" {
			continue
		}
		for p := range r.t.Touched {
			if n := r.t.Nodes[p]; n != nil && n.Made == d {
				errs = append(errs, r.errUnchecked(d))
				break
			}
		}
	}
	return errors.Join(errs...)
}

// piped refuses what comes out of a download and goes into another command.
func piped(c script.Command) error {
	from, name := c.Input.Args[0].Text, c.Args[0].Text
	if from != "curl" && from != "wget" {
		return nil
	}
	at := c.Input.Args[len(c.Input.Args)-1].Text
	switch name {
	case "sha256sum", "shasum":
		return mistake.At(at, "RUN %s: the checksum is downloaded, too, so that it proves nothing of tomorrow's file: "+
			"write the checksum itself in the line", name)
	case "tar":
		return mistake.At(at,
			`RUN %s | tar: nothing compares the download with a checksum before it is unpacked: write %s to a file, && echo "SHA256  FILE" | sha256sum -c - && tar -xf FILE, or use ADD --checksum=sha256:… --unpack`, from, from)
	}
	return nil
}

// elsewhere returns what to do about a command that downloads, unpacks or compiles and is not known
// on the system; empty for any other. Of PowerShell it finds the commands in its script.
func elsewhere(words ...string) string {
	for _, w := range strings.Fields(strings.Join(words, " ")) {
		name := strings.TrimSuffix(strings.ToLower(path.Base(tree.Slashed(strings.Trim(w, `"'();|{}&`)))), ".exe")
		switch name {
		case "powershell", "pwsh":
			continue
		case "curl", "wget", "invoke-webrequest", "iwr", "start-bitstransfer", "bitsadmin", "certutil",
			"invoke-restmethod":
			return "use ADD --checksum=sha256:… URL DESTINATION"
		case "expand-archive", "7z", "unzip":
			return "use ADD --unpack, for an archive of the context or, with --checksum=sha256:…, of a URL"
		case "make", "mage", "bazel", "task":
			return "declare the programs that it compiles under programs in slipway.yaml, " +
				"and where it leaves them under the image's outputs, or write their go build in the RUN"
		case "git":
			return "make the repository a source in slipway.yaml, or use ADD --checksum=sha256:… with an archive of it"
		}
		if first := strings.ToLower(words[0]); !strings.Contains(first, "powershell") &&
			!strings.Contains(first, "pwsh") {
			break
		}
	}
	return ""
}

func checkChecksum(o options, _ []string) error {
	switch {
	case !o.has("c"):
		return errors.New("without -c it prints a checksum, and compares nothing: write -c")
	case o.has("a") && o["a"] != "256":
		return mistake.At("-a", "-a %s is not supported: write -a 256", o["a"])
	}
	return nil
}

// checksum is sha256sum, and shasum -a 256, where they compare files with their checksums. For a
// download, this is the source of its digest.
func checksum(r *runner, o options, args []string) {
	if len(args) == 0 {
		args = []string{"-"}
	}
	for _, name := range args {
		read := func() string { return r.readText(name) }
		if name == "-" {
			read = func() string { return r.input(r.command()) }
		}
		r.compare(read(), name, o.has("ignore-missing"))
	}
}

// sumLine is a line of sha256sum: 64 digits, a space, a space or *, the name. tagLine is the form
// of BSD.
var (
	sumLine = lazyregexp.New(`^([0-9a-fA-F]{64})( [ *]| )(.+)$`)
	tagLine = lazyregexp.New(`^SHA256 ?\((.+)\) = ([0-9a-fA-F]{64})$`)
)

// compare compares the files that lines name with the checksums of the lines.
func (r *runner) compare(text, from string, ignoreMissing bool) {
	some := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		var digest, name string
		if m := sumLine.FindStringSubmatch(line); m != nil {
			digest, name = m[1], m[3]
		} else if m := tagLine.FindStringSubmatch(line); m != nil {
			digest, name = m[2], m[1]
		} else if line == "" || line[0] == '#' {
			continue
		} else {
			fail("%q is not a line of a checksum: write the 64 digits of its SHA-256, two spaces and the file", line)
		}
		if s := r.find(name, true); s.n == nil && ignoreMissing && !r.unknown(s.p) {
			continue
		}
		some = true
		match256(r.existing(name, true), v1.Hash{Algorithm: "sha256", Hex: strings.ToLower(digest)})
	}
	if !some {
		fail("%s has no checksum of a file that is there", from)
	}
}

// match256 compares one file with its digest. A download gets the digest, and is compared when it
// is fetched.
func match256(s lookup, want v1.Hash) {
	if !s.is(layer.Regular) {
		fail("%s is not a file", s.name)
	}
	if d, ok := s.n.Made.(*download); ok && (d.digest.Hex == "" || d.digest == want) {
		d.digest = want
		return
	}
	// a check does not know every file
	if c := must(s.n.Content()); c.Digest.Hex != "" && c.Digest != want {
		failAt(want.Hex, "%s has the checksum %s: correct the one in the line, or the file", s.name, c.Digest.Hex)
	}
}
