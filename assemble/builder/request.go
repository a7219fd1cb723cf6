package builder

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
)

// Prefixes of the values of [Request.Contexts] that are not directories.
const (
	imagePrefix  = "docker-image://"
	layoutPrefix = "oci-layout://"
)

// shown is what messages call the Dockerfile.
func (r Request) shown() string { return cmp.Or(r.Shown, r.File) }

// epoch is SOURCE_DATE_EPOCH.
func (r Request) epoch() string { return strconv.FormatInt(r.Epoch.Unix(), 10) }

// check reports names that no builder is asked for.
func (r Request) check() error {
	for _, name := range slices.Sorted(maps.Keys(r.Contexts)) {
		if name == "" || strings.ContainsAny(name, "=,\n") {
			return fmt.Errorf("the name %q of a context has a character that builders do not take", name)
		}
	}
	for _, list := range []map[string]string{r.Args, r.Labels} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(list[name], "\x00") {
				return fmt.Errorf("the name or value of %q has a character that builders do not take", name)
			}
		}
	}
	return nil
}

// layout takes oci-layout://DIR@DIGEST apart.
func layout(value string) (dir, digest string, ok bool) {
	rest, ok := strings.CutPrefix(value, layoutPrefix)
	if !ok {
		return "", "", false
	}
	if n := strings.LastIndex(rest, "@"); n >= 0 {
		return rest[:n], rest[n+1:], true
	}
	return rest, "", true
}

// args returns the build arguments with SOURCE_DATE_EPOCH, which those of the user do not replace.
func (r Request) args() map[string]string {
	all := maps.Clone(r.Args)
	if all == nil {
		all = map[string]string{}
	}
	all["SOURCE_DATE_EPOCH"] = r.epoch()
	return all
}

// each returns a flag for each entry of a list, in the order of their names.
func each(list map[string]string, flag func(name, value string) string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(list)) {
		all = append(all, flag(name, list[name]))
	}
	return all
}

// field is a field of a line of CSV, as BuildKit's clients read --output.
func field(s string) string {
	if strings.ContainsAny(s, "\",\r\n") || strings.TrimSpace(s) != s {
		return `"` + strings.ReplaceAll(s, `"`, `""`) + `"`
	}
	return s
}

// exporter is the value of --output for BuildKit.
func exporter(dir string) string {
	return "type=oci," + field("dest="+dir) + ",tar=false,rewrite-timestamp=true"
}

// scratch makes an empty directory.
func scratch() (dir string, done func(), err error) {
	if dir, err = disk.Scratch(""); err != nil {
		return "", nil, fmt.Errorf("making a directory for the builder: %w", err)
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}

// flags are those of the request that docker and podman call the same, and the context.
func (r Request) flags() []string {
	var args []string
	if r.Target != "" {
		args = append(args, "--target="+r.Target)
	}
	pair := func(flag string) func(name, value string) string {
		return func(name, value string) string { return flag + name + "=" + value }
	}
	args = append(args, each(r.args(), pair("--build-arg="))...)
	args = append(args, each(r.Contexts, pair("--build-context="))...)
	args = append(args, each(r.Labels, pair("--label="))...)
	return append(args, r.Context)
}
