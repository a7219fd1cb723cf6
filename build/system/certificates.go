package system

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// certificates is one call of update-ca-certificates.
type certificates struct {
	s                            *System
	conf, dir, local, etc, hooks string
	bundle                       string
	fresh, all                   bool
	text                         bytes.Buffer // of the bundle
	written                      bool
	changed                      int // certificates that were added or removed
}

// updateCACertificates is that of Debian, or of Alpine where the system has that.
func updateCACertificates(_ context.Context, s *System, args []string, out io.Writer) error {
	c := &certificates{
		s: s, conf: "/etc/ca-certificates.conf", dir: "/usr/share/ca-certificates",
		local: "/usr/local/share/ca-certificates", etc: "/etc/ssl/certs", hooks: "/etc/ca-certificates/update.d",
		bundle: "ca-certificates.crt",
	}
	if err := c.parse(args); err != nil {
		return err
	}
	if ok, err := s.is(c.etc, layer.Dir); err != nil || !ok {
		if err == nil {
			err = fail("update-ca-certificates", 1, "there is no directory %s: take a base with ca-certificates", c.etc)
		}
		return err
	}
	alpine, err := c.variant()
	if err != nil {
		return err
	}
	if alpine {
		return c.updateAlpine()
	}
	if err := c.update(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "Updating certificates in %s...\n%d changed; done.\n", c.etc, c.changed)
	return err
}

// UpdateCACertificates brings /etc/ssl/certs in line with the certificates that are installed.
// fresh makes all links again.
func UpdateCACertificates(ctx context.Context, s *System, fresh bool) error {
	var args []string
	if fresh {
		args = []string{"--fresh"}
	}
	return updateCACertificates(ctx, s, args, io.Discard)
}

func (c *certificates) parse(args []string) error {
	values := map[string]*string{
		"--certsconf": &c.conf, "--certsdir": &c.dir, "--localcertsdir": &c.local, "--certbundle": &c.bundle,
		"--etccertsdir": &c.etc, "--hooksdir": &c.hooks,
	}
	for n := 0; n < len(args); n++ {
		switch w := args[n]; {
		case w == "--verbose" || w == "-v":
		case w == "--fresh" || w == "-f":
			c.fresh = true
		case w == "--default" || w == "-d":
			c.fresh, c.all = true, true
		case values[w] != nil && n+1 < len(args):
			n++
			*values[w] = args[n]
		default:
			return syntax{program: "update-ca-certificates"}.unknown(w)
		}
	}
	return nil
}

// variant reports whether the system has Alpine's program, which is no script.
func (c *certificates) variant() (alpine bool, err error) {
	for _, p := range []string{"/usr/sbin/update-ca-certificates", "/sbin/update-ca-certificates"} {
		ok, err := c.s.is(p, layer.Regular)
		if err != nil {
			return false, err
		}
		if !ok {
			continue
		}
		text, err := c.s.read(p)
		if err != nil {
			return false, err
		}
		switch {
		case bytes.HasPrefix(text, []byte("\x7fELF")):
			return true, nil
		case !bytes.Contains(text, []byte("LOCALCERTSDIR=")):
			return false, fmt.Errorf("update-ca-certificates: %s is neither Debian's nor Alpine's, and is not known "+
				"here: COPY a bundle of certificates", p)
		}
		return false, nil
	}
	return false, nil
}

// update does what Debian's script does.
func (c *certificates) update() error {
	conf, err := c.s.read(c.conf)
	if err != nil {
		return err
	}
	if c.fresh || len(conf) == 0 {
		if err := c.clear(); err != nil {
			return err
		}
	}
	if c.all {
		if err := c.addAll(c.dir); err != nil {
			return err
		}
	}
	if err := c.configured(string(conf)); err != nil {
		return err
	}
	if ok, err := c.s.is(c.local, layer.Dir); err != nil {
		return err
	} else if ok {
		if err := c.addAll(c.local); err != nil {
			return err
		}
	}
	if c.changed > 0 {
		if err := c.removeOrphans(); err != nil {
			return err
		}
		if ok, err := c.s.is("/usr/bin/openssl", layer.Regular); err != nil {
			return err
		} else if ok {
			if err := c.s.rehash(c.etc); err != nil {
				return err
			}
		}
	}
	if c.written {
		if err := c.writeBundle(); err != nil {
			return err
		}
	}
	return c.refuseHooks()
}

// writeBundle puts a new file in the place of the bundle: a link there is replaced.
func (c *certificates) writeBundle() error {
	text := layer.Bytes(c.text.Bytes())
	n := tree.Node{Kind: layer.Regular, Mode: 0o644, Content: func() (layer.Content, error) { return text, nil }}
	dir, err := tree.Follow(c.s.Tree, c.etc)
	if err != nil {
		return err
	}
	return c.s.make(path.Join(dir, c.bundle), n.Sized(text.Size))
}

// configured goes through /etc/ca-certificates.conf: first what it excludes, then what it names.
func (c *certificates) configured(conf string) error {
	var lines []string
	for line := range strings.Lines(conf) {
		// the shell does not read a line without an end
		if line, ok := strings.CutSuffix(line, "\n"); ok && line != "" {
			lines = append(lines, line)
		}
	}
	for _, l := range lines {
		if name, ok := strings.CutPrefix(l, "!"); ok {
			if err := c.remove(c.dir + "/" + strings.Trim(name, " \t")); err != nil {
				return err
			}
		}
	}
	for _, l := range lines {
		if l[0] == '!' || l[0] == '#' {
			continue
		}
		p := c.dir + "/" + strings.Trim(l, " \t")
		ok, err := c.s.is(p, layer.Regular)
		if err != nil {
			return err
		}
		if ok {
			if err := c.add(p); err != nil {
				return err
			}
		}
	}
	return nil
}

var pemName = strings.NewReplacer(" ", "_", "(", "=", ")", "=", ",", "_")

// add links a certificate, and adds it to the bundle, with a newline at its end.
func (c *certificates) add(p string) error {
	link := c.etc + "/" + pemName.Replace(strings.TrimSuffix(path.Base(p), ".crt")) + ".pem"
	gone, err := c.s.missing(link)
	if err != nil {
		return err
	}
	to, err := c.s.target(link)
	if err != nil {
		return err
	}
	if gone || to != p {
		if err := c.s.unlink(link); err != nil {
			return err
		}
		if err := c.s.symlink(p, link); err != nil {
			return err
		}
		c.changed++
	}
	text, err := c.s.read(p)
	if err != nil {
		return err
	}
	c.written = true
	c.text.Write(text)
	if len(text) > 0 && text[len(text)-1] != '\n' {
		c.text.WriteByte('\n')
	}
	return nil
}

func (c *certificates) remove(p string) error {
	link := c.etc + "/" + strings.TrimSuffix(path.Base(p), ".crt") + ".pem"
	to, err := c.s.target(link)
	if err != nil || to == "" {
		return err
	}
	c.changed++
	return c.s.unlink(link)
}
