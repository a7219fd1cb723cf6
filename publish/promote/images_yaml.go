package promote

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
)

// promoted is one image of an images.yaml: the tags of each digest.
type promoted struct {
	Name string              `yaml:"name"`
	Dmap map[string][]string `yaml:"dmap"`
}

// imagesLimits bound an images.yaml; the largest in https://github.com/kubernetes/k8s.io has
// 1 MiB.
var imagesLimits = yamlfile.Options{
	MaxBytes: 32 << 20, MaxValues: 1 << 20, MaxText: 64 << 20, MaxDepth: 8,
	Start: "remove it",
}

// ImagesYAML returns the file at path, which need not be there, with the images of a lock added to
// it: what Kubernetes' image promoter is to copy, by digest, with the tags that never move
// (https://github.com/kubernetes-sigs/promo-tools/blob/main/docs/promotion-pull-requests.md). Names
// are paths below o.From. Charts are not added: the promoter cannot give them new names. The order
// and the form are those of kpromo; of comments, only those before the first image stay. In a file
// that has spaces inside of its brackets, as the scripts of some projects write them, they stay
// (https://github.com/kubernetes/k8s.io/blob/main/registry.k8s.io/images/k8s-staging-sig-storage/images.yaml).
func ImagesYAML(l *lock.Lock, o Options, path string) ([]byte, error) {
	p, err := fromLock(l, o)
	if err != nil {
		return nil, err
	}
	text, err := yamlfile.ReadText(path, imagesLimits.MaxBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	comments := leading(text)
	var list []promoted
	if len(comments) < len(text) {
		d := yamlfile.Decode(path, text, imagesLimits, &list)
		if err := d.Err(); err != nil {
			return nil, err
		}
		for n := range list {
			if list[n].Dmap == nil {
				list[n].Dmap = map[string][]string{}
			}
		}
	}
	var errs []error
	for _, i := range p.images {
		if i.chart {
			continue
		}
		at := slices.IndexFunc(list, func(have promoted) bool { return have.Name == i.path })
		if at < 0 {
			at = len(list)
			list = append(list, promoted{i.path, map[string][]string{}})
		}
		for _, t := range i.tags {
			errs = append(errs, list[at].add(path, t))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	pad := ""
	if bytes.Contains(text, []byte(`": [ "`)) {
		pad = " "
	}
	return append(comments, write(list, pad)...), nil
}

// WriteImagesYAML adds the images of a lock to the file at path as it is by now: others may have
// added theirs. Where path is a link, the file that it leads to is replaced.
func WriteImagesYAML(ctx context.Context, l *lock.Lock, o Options, path string, say disk.Say) error {
	to := path
	if file, err := filepath.EvalSymlinks(path); err == nil {
		to = file
	}
	d, err := disk.Lock(ctx, filepath.Dir(to), say)
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	defer d.Unlock()
	text, err := ImagesYAML(l, o, path)
	if err != nil {
		return err
	}
	if err := disk.Write(to, text, disk.ModeFile); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// add adds a tag. A tag of another digest is an error.
func (p promoted) add(path string, t tagged) error {
	digest := t.desc.Digest.String()
	for have, tags := range p.Dmap {
		if have != digest && slices.Contains(tags, t.tag) {
			return fmt.Errorf("%s: %s:%s is %s already, and this release is %s: "+
				"a tag that was promoted cannot move; release a new version", path, p.Name, t.tag, have, digest)
		}
	}
	if !slices.Contains(p.Dmap[digest], t.tag) {
		p.Dmap[digest] = append(p.Dmap[digest], t.tag)
	}
	return nil
}

// write prints the list as kpromo does: images by name, digests by their first tag, then by
// themselves. pad is inside of the brackets.
func write(list []promoted, pad string) []byte {
	slices.SortStableFunc(list, func(a, b promoted) int { return cmp.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	for _, p := range list {
		for _, tags := range p.Dmap {
			slices.Sort(tags)
		}
		fmt.Fprintf(&b, "- name: %s\n  dmap:\n", p.Name)
		for _, digest := range slices.SortedFunc(maps.Keys(p.Dmap), func(x, y string) int {
			return cmp.Or(cmp.Compare(first(p.Dmap[x]), first(p.Dmap[y])), cmp.Compare(x, y))
		}) {
			var quoted []string
			for _, t := range p.Dmap[digest] {
				quoted = append(quoted, fmt.Sprintf("%q", t))
			}
			inside := ""
			if len(quoted) > 0 {
				inside = pad + strings.Join(quoted, ","+pad) + pad
			}
			fmt.Fprintf(&b, "    %q: [%s]\n", digest, inside)
		}
	}
	return b.Bytes()
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// leading returns the comments and empty lines with which a file begins.
func leading(text []byte) []byte {
	n := 0
	for line := range bytes.Lines(text) {
		if s := bytes.TrimSpace(line); len(s) > 0 && s[0] != '#' {
			break
		}
		n += len(line)
	}
	return slices.Clone(text[:n])
}
