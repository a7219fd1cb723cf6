package airgap

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/regular"
)

// MirrorOptions describe where the images of bundles were pushed to.
type MirrorOptions struct {
	To string // host[/prefix], as for Push
	// path on the nodes of a certificate authority to trust for it; empty: the system's
	CAFile string
}

// ConfigFile is a file for nodes.
type ConfigFile struct {
	Path string `json:"path"` // relative, with slashes
	Data []byte `json:"-"`
}

// MirrorConfig makes the files that let nodes pull images by their original names from a private
// registry, to which [Push] sent them:
//
//	certs.d/HOST/hosts.toml  for containerd's config_path, one for each host
//	registries.yaml          for /etc/rancher/rke2 or /etc/rancher/k3s
//
// Like Push they replace the host of a name and keep the path. Nodes ask the hosts themselves
// last.
func MirrorConfig(bundles []*bundle.Contents, o MirrorOptions) ([]ConfigFile, error) {
	host, prefix, err := splitTarget(o.To)
	if err != nil {
		return nil, err
	}
	scheme := "https"
	if imagename.Loopback(host) {
		scheme = "http" // as Push speaks with it
	}
	hosts, err := origins(bundles, o.To)
	if err != nil {
		return nil, err
	}
	if hosts = slices.DeleteFunc(hosts, func(h string) bool { return h == host && prefix == "" }); len(hosts) == 0 {
		return nil, fmt.Errorf("the images have names of %s already: nodes need no mirror", o.To)
	}
	var files []ConfigFile
	var mirrors strings.Builder
	for _, h := range hosts {
		var b strings.Builder
		fmt.Fprintf(&b, "# Images of %s come from %s.\n", h, o.To)
		if prefix == "" {
			fmt.Fprintf(&b, "[host.%q]\n", scheme+"://"+host)
		} else {
			fmt.Fprintf(&b, "[host.%q]\n  override_path = true\n", scheme+"://"+host+"/v2/"+prefix)
		}
		b.WriteString("  capabilities = [\"pull\", \"resolve\"]\n")
		if o.CAFile != "" {
			fmt.Fprintf(&b, "  ca = %q\n", o.CAFile)
		}
		files = append(files, ConfigFile{path.Join("certs.d", hostDirectory(h), "hosts.toml"), []byte(b.String())})

		fmt.Fprintf(&mirrors, "  %q:\n    endpoint:\n    - %q\n", h, scheme+"://"+host)
		if prefix != "" {
			fmt.Fprintf(&mirrors, "    rewrite:\n      \"^(.*)$\": %q\n", prefix+"/$1")
		}
	}
	y := fmt.Sprintf("# Images of these hosts come from %s.\nmirrors:\n%s", o.To, mirrors.String())
	if o.CAFile != "" {
		y += fmt.Sprintf("configs:\n  %q:\n    tls:\n      ca_file: %q\n", host, o.CAFile)
	}
	return append(files, ConfigFile{"registries.yaml", []byte(y)}), nil
}

// splitTarget separates the parts of host[/prefix].
func splitTarget(to string) (host, prefix string, err error) {
	if err := imagename.CheckRegistry(to); err != nil {
		return "", "", howto.Usage("-to %w", err)
	}
	host, prefix, _ = strings.Cut(to, "/")
	return host, prefix, nil
}

// origins are the hosts in the names of the images, sorted. Two images that would have one name
// in the target are an error.
func origins(bundles []*bundle.Contents, to string) ([]string, error) {
	var hosts []string
	at := map[string]v1.Hash{}
	for _, c := range bundles {
		for _, i := range c.Images {
			if i.Chart {
				continue // nodes pull images only
			}
			t, err := retarget(i.Name, to)
			if err != nil {
				return nil, err
			}
			if d, ok := at[t.Name()]; ok && d != i.Digest() {
				return nil, fmt.Errorf("%s would name two images, %s and %s: use two targets", t, d, i.Digest())
			}
			at[t.Name()] = i.Digest()
			host, _, _ := strings.Cut(i.Name, "/")
			hosts = append(hosts, host)
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts), nil
}

// hostDirectory is containerd's name for the directory of a host: Windows allows no colon in a
// name.
func hostDirectory(host string) string {
	if at := strings.LastIndex(host, ":"); at > 0 {
		return host[:at] + "_" + host[at+1:] + "_"
	}
	return host
}

// ConfigFiles are files for nodes in a directory.
type ConfigFiles struct {
	Dir   string       `json:"dir"`
	Files []ConfigFile `json:"files"`
}

// Write writes all files, or none if the directory has one of them with other content.
func (c ConfigFiles) Write(ctx context.Context, say disk.Say) error {
	var errs []error
	for _, file := range c.Files {
		path := filepath.Join(c.Dir, filepath.FromSlash(file.Path))
		if old, err := regular.Read(path); err == nil && !bytes.Equal(old, file.Data) {
			errs = append(errs,
				fmt.Errorf("%s exists with other content: name another directory with -out, or merge the two", path))
		} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	for _, file := range c.Files {
		path := filepath.Join(c.Dir, filepath.FromSlash(file.Path))
		if err := disk.MkdirAll(filepath.Dir(path)); err != nil {
			return err
		}
		if err := disk.WriteAlone(ctx, path, file.Data, disk.ModeFile, say); err != nil {
			return fmt.Errorf("writing %s: %w", path, err)
		}
	}
	return nil
}

// WriteTable writes the path of each file.
func (c ConfigFiles) WriteTable(w io.Writer) error {
	for _, f := range c.Files {
		if _, err := fmt.Fprintln(w, filepath.Join(c.Dir, filepath.FromSlash(f.Path))); err != nil {
			return err
		}
	}
	return nil
}
