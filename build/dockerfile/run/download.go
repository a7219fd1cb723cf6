package run

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/script"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// download is a file that a RUN fetches. Its digest is known when a later command of the same RUN
// has compared it with one; what nothing compares is not fetched.
type download struct {
	url    string
	digest v1.Hash
}

// errUnchecked is about a download that is used without a checksum.
func (d *download) errUnchecked() error {
	return mistake.At(d.url, `%s is downloaded, and nothing compares it with a checksum, so that the image would be another one when the file changes: write && echo "SHA256  FILE" | sha256sum -c - after it in the same RUN, or use ADD --checksum=sha256:…`, d.url)
}

// contentOf returns the bytes of a download. A check has none.
func (r *runner) contentOf(d *download) (layer.Content, error) {
	switch {
	case d.digest.Hex == "":
		return layer.Content{}, d.errUnchecked()
	case r.eval.Check:
		return layer.Content{Digest: d.digest}, nil
	}
	return r.eval.Fetch(r.ctx, d.url, d.digest)
}

// curlTool is curl where it downloads one file. What its options say of retries and messages is of
// no interest.
func curlTool() tool {
	return tool{
		options: "fsSLOo:kRv#4m:\x01:\x02:\x03:\x04:\x05:\x06\x07\x08",
		long: map[string]byte{
			"output": 'o', "remote-name": 'O', "location": 'L', "fail": 'f', "silent": 's', "show-error": 'S', "insecure": 'k', "remote-time": 'R', "verbose": 'v', "progress-bar": '#', "ipv4": '4', "max-time": 'm',
			"retry": '\x01', "retry-delay": '\x02', "retry-max-time": '\x03', "connect-timeout": '\x04', "proto": '\x05', "tlsv1.2": '\x06', "create-dirs": '\x07',
			"fail-with-body": '\x08', "retry-connrefused": '\x08', "retry-all-errors": '\x08', "no-progress-meter": '\x08', "tlsv1.3": '\x08', "http1.1": '\x08', "compressed": '\x08',
		},
		least: 1, most: 1, prints: true, check: checkCurl, run: curl,
	}
}

func wgetTool() tool {
	return tool{
		options: "qnvcO:P:t:T:\x01:\x02",
		long: map[string]byte{
			"quiet": 'q', "no-verbose": 'v', "output-document": 'O', "directory-prefix": 'P', "tries": 't', "timeout": 'T', "continue": 'c',
			"progress": '\x01', "show-progress": '\x02', "no-check-certificate": '\x02', "https-only": '\x02', "no-hsts": '\x02', "no-cache": '\x02', "retry-connrefused": '\x02',
		},
		least: 1, most: 1, prints: true, check: checkWget, run: wget,
	}
}

func checkCurl(_ options, args []string) error {
	_, err := address(args[0])
	return err
}

func checkWget(o options, args []string) error {
	u, err := address(args[0])
	if err == nil && !o.has("O") && u.RawQuery != "" {
		err = mistake.At(args[0], "wget makes a file name of %s with what is after ?: write -O FILE", args[0])
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
		return nil, mistake.At(text, "%s is not an address that begins with https://, which alone is downloaded here", text)
	case u.User != nil:
		return nil, mistake.At(u.Redacted(), "the address has a password in it, which would be in the history of the image: leave it out")
	}
	return u, nil
}

func curl(r *runner, o options, args []string) error {
	u, err := address(args[0])
	if err != nil {
		return err
	}
	out := r.commands[r.at].Output
	switch name := path.Base(u.Path); {
	case o.has("o") && o.has("O"):
		return errors.New("-o and -O are for two downloads: write a command for each")
	case o.has("oO") && out != nil:
		return errors.New("it prints nothing beside the file: leave > out")
	case o.has("o") && o['o'] != "-":
		return r.save(o['o'], args[0], when(o.has("\x07"), 0o750))
	case o.has("O") && (name == "." || name == "/"):
		return mistake.At(args[0], "%s has no file name: write -o FILE", args[0])
	case o.has("O"):
		return r.save(name, args[0], 0)
	case out != nil && !out.Append:
		return r.save(out.File.Text, args[0], 0)
	}
	return mistake.At(args[0], "curl prints what it downloads, which goes nowhere: write -o FILE")
}

func wget(r *runner, o options, args []string) error {
	u, err := address(args[0])
	if err != nil {
		return err
	}
	out := r.commands[r.at].Output
	switch name := path.Base(u.Path); {
	case o.has("O") && o['O'] != "-":
		return r.save(o['O'], args[0], 0)
	case o.has("O") && out != nil && !out.Append:
		return r.save(out.File.Text, args[0], 0)
	case o.has("O"):
		return mistake.At(args[0], "wget prints what it downloads, which goes nowhere: write -O FILE")
	case name == "." || name == "/":
		return r.save(path.Join(o['P'], "index.html"), args[0], when(o.has("P"), 0o755))
	default:
		return r.save(path.Join(o['P'], name), args[0], when(o.has("P"), 0o755))
	}
}

func when(yes bool, mode fs.FileMode) fs.FileMode {
	if yes {
		return mode
	}
	return 0
}

// save puts a file in the tree that is downloaded when its digest is known and its bytes are
// needed. parents is the mode of the directories above it that are made; 0 makes none.
func (r *runner) save(name, from string, parents fs.FileMode) error {
	s, err := r.find(name, true)
	switch {
	case err != nil:
		return err
	case s.slash || s.n != nil && s.n.Kind == layer.Dir:
		return fmt.Errorf("%s is a directory", name)
	case s.n != nil && s.n.Odd != "":
		return fmt.Errorf("%s is %s, which a layer cannot contain here", name, s.n.Odd)
	}
	if parents > 0 {
		if err := r.parents(path.Dir(s.p), parents); err != nil {
			return err
		}
	}
	d := &download{url: from}
	n := &tree.Node{Kind: layer.Regular, Mode: 0o666 &^ umask, Made: d}
	n.Content = func() (layer.Content, error) { return r.contentOf(d) }
	r.downloads = append(r.downloads, d)
	if s.n == nil {
		return r.make(s.p, n)
	}
	n.Mode, n.UID, n.GID = s.n.Mode, s.n.UID, s.n.GID // it is written into the file that is there
	return r.t.Set(s.p, n)
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
				errs = append(errs, d.errUnchecked())
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
		return mistake.At(at, "RUN %s: the checksum is downloaded, too, so that it proves nothing of tomorrow's file: write the checksum itself in the line", name)
	case "tar":
		return mistake.At(at, `RUN %s | tar: nothing compares the download with a checksum before it is unpacked: write %s to a file, && echo "SHA256  FILE" | sha256sum -c - && tar -xf FILE, or use ADD --checksum=sha256:… --unpack`, from, from)
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
		case "curl", "wget", "invoke-webrequest", "iwr", "start-bitstransfer", "bitsadmin", "certutil", "invoke-restmethod":
			return "use ADD --checksum=sha256:… URL DESTINATION"
		case "expand-archive", "7z", "unzip":
			return "use ADD --unpack, for an archive of the context or, with --checksum=sha256:…, of a URL"
		case "make", "mage", "bazel", "task":
			return "declare the programs that it compiles under programs in slipway.yaml, and where it leaves them under the image's outputs, or write their go build in the RUN"
		case "git":
			return "make the repository a source in slipway.yaml, or use ADD --checksum=sha256:… with an archive of it"
		}
		if first := strings.ToLower(words[0]); !strings.Contains(first, "powershell") && !strings.Contains(first, "pwsh") {
			break
		}
	}
	return ""
}
